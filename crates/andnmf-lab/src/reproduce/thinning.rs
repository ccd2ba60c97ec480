//! Of thousands of stages as many as a drawing can show.

use super::outcome::{Errors, WayPoint};
use crate::StageRow;

/// Stages that are kept whatever their time.
const FIRST: usize = 40;
/// Later ones are kept when so much more time has gone by.
const LATER: f64 = 1.02;

/// The stages that differ to the eye: the first ones, then those that are some way apart in time, and the last.
pub(super) fn thinned(stages: &[StageRow]) -> Vec<WayPoint> {
    let mut kept: Vec<WayPoint> = Vec::new();
    for (i, row) in stages.iter().enumerate() {
        let seconds = row.record.seconds;
        let late = kept.last().is_none_or(|last| seconds >= LATER * last.seconds);
        if i < FIRST || i + 1 == stages.len() || late {
            let errors = Errors { total: row.correlation_error, relative: row.relative_correlation_error };
            kept.push(WayPoint { stage: row.record.stage, seconds, errors });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::fit::StageRecord;

    #[test]
    fn first_and_last_stay_and_gaps_in_time_are_small() {
        let rows: Vec<StageRow> = (0..5000)
            .map(|stage| StageRow {
                record: StageRecord {
                    stage,
                    seconds: 0.001 * (stage + 1) as f64,
                    threshold_min: None,
                    threshold_median: None,
                    active_fraction: 1.0,
                    change: 0.0,
                    loss: None,
                },
                relative_correlation_error: 1.0 / (stage + 1) as f64,
                correlation_error: 0.5 / (stage + 1) as f64,
            })
            .collect();
        let kept = thinned(&rows);
        assert!(kept.len() < 400, "{}", kept.len());
        assert_eq!((kept[0].stage, kept.last().unwrap().stage), (0, 4999));
        for pair in kept.windows(2) {
            assert!(pair[1].seconds < 1.03 * pair[0].seconds + 0.002, "{pair:?}");
        }
        assert_eq!(kept[7].errors, Errors { total: 0.5 / 8.0, relative: 1.0 / 8.0 });
        assert!(thinned(&[]).is_empty());
    }
}
