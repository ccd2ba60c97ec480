//! Of thousands of stages as many as a drawing can show.

use andnmf_program::StageRow;

use super::outcome::{Errors, WayPoint};

/// Stages that are all kept.
const FIRST: usize = 40;
/// Later ones are kept when so many times more stages are done.
const LATER: f64 = 1.02;

/// The stages that differ to the eye: the first ones, then those that are some way apart, and the last. Which they are
/// is decided by their numbers alone: the same run on a slower machine keeps the same ones.
pub(super) fn thinned(stages: &[StageRow]) -> Vec<WayPoint> {
    let mut kept: Vec<WayPoint> = Vec::new();
    let mut last_kept = 0;
    for (i, row) in stages.iter().enumerate() {
        let late = (i + 1) as f64 >= LATER * last_kept as f64;
        if i < FIRST || i + 1 == stages.len() || late {
            last_kept = i + 1;
            let errors = Errors { total: row.correlation_error, relative: row.relative_correlation_error };
            kept.push(WayPoint { stage: row.record.stage, seconds: row.record.seconds, errors });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::fit::StageRecord;

    fn rows(seconds: impl Fn(usize) -> f64) -> Vec<StageRow> {
        (0..5000)
            .map(|stage| StageRow {
                record: StageRecord {
                    stage,
                    seconds: seconds(stage),
                    threshold_min: None,
                    threshold_median: None,
                    active_fraction: 1.0,
                    change: 0.0,
                    loss: None,
                },
                relative_correlation_error: 1.0 / (stage + 1) as f64,
                correlation_error: 0.5 / (stage + 1) as f64,
            })
            .collect()
    }

    #[test]
    fn first_and_last_stay_and_gaps_are_small() {
        let kept = thinned(&rows(|stage| 0.001 * (stage + 1) as f64));
        assert!(kept.len() < 400, "{}", kept.len());
        assert_eq!((kept[0].stage, kept.last().unwrap().stage), (0, 4999));
        for pair in kept.windows(2) {
            assert!(pair[1].stage as f64 <= 1.03 * pair[0].stage as f64 + 2.0, "{pair:?}");
        }
        assert_eq!(kept[7].errors, Errors { total: 0.5 / 8.0, relative: 1.0 / 8.0 });
        assert!(thinned(&[]).is_empty());
    }

    #[test]
    fn the_clock_does_not_decide_which_stages_stay() {
        let numbers = |kept: Vec<WayPoint>| kept.iter().map(|point| point.stage).collect::<Vec<_>>();
        let even = numbers(thinned(&rows(|stage| 0.001 * (stage + 1) as f64)));
        let uneven = numbers(thinned(&rows(|stage| (0.01 * stage as f64).powi(3))));
        assert_eq!(even, uneven);
    }
}
