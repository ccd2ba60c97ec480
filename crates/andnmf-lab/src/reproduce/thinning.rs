//! Reduces the thousands of stages of a run to as many as a plot can show.

use andnmf_program::StageRow;

use super::outcome::{Errors, TracePoint};

/// The number of first stages that are all stored.
const FIRST_STAGES: usize = 40;
/// A later stage is stored when this many times as many stages are done as at the last stored one.
const STAGE_RATIO: f64 = 1.02;

/// A selection of stages for plotting: the first ones, then ones at growing distances, and the last. It depends only on
/// the stage numbers, so that the same run on a slower machine gives the same selection.
pub(super) fn thinned(stages: &[StageRow]) -> Vec<TracePoint> {
    let mut selected: Vec<TracePoint> = Vec::new();
    let mut last_selected = 0;
    for (i, row) in stages.iter().enumerate() {
        let late = (i + 1) as f64 >= STAGE_RATIO * last_selected as f64;
        if i < FIRST_STAGES || i + 1 == stages.len() || late {
            last_selected = i + 1;
            let errors = Errors { total: row.correlation_error, relative: row.relative_correlation_error };
            selected.push(TracePoint { stage: row.record.stage, seconds: row.record.seconds, errors });
        }
    }
    selected
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
    fn first_and_last_stages_are_selected_and_gaps_are_small() {
        let selected = thinned(&rows(|stage| 0.001 * (stage + 1) as f64));
        assert!(selected.len() < 400, "{}", selected.len());
        assert_eq!((selected[0].stage, selected.last().unwrap().stage), (0, 4999));
        for pair in selected.windows(2) {
            assert!(pair[1].stage as f64 <= 1.03 * pair[0].stage as f64 + 2.0, "{pair:?}");
        }
        assert_eq!(selected[7].errors, Errors { total: 0.5 / 8.0, relative: 1.0 / 8.0 });
        assert!(thinned(&[]).is_empty());
    }

    #[test]
    fn the_selection_of_stages_does_not_depend_on_time() {
        let numbers =
            |selected: Vec<TracePoint>| selected.iter().map(|point| point.stage).collect::<Vec<_>>();
        let even = numbers(thinned(&rows(|stage| 0.001 * (stage + 1) as f64)));
        let uneven = numbers(thinned(&rows(|stage| (0.01 * stage as f64).powi(3))));
        assert_eq!(even, uneven);
    }
}
