//! A summary of the error over all stages of a run, which verdicts are based on.

use serde::{Deserialize, Serialize};

/// The descent ends when the error is within this factor of its minimum.
const NEAR_SMALLEST: f64 = 10.0;
/// An error this many times its smallest value so far counts as a rise.
const RISE: f64 = 1.05;

/// The error after a stage, and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StageError {
    pub(super) seconds: f64,
    pub(super) error: f64,
}

/// The point at which a run reached an error level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Milestone {
    /// Stages done.
    pub stages: usize,
    /// Solver time.
    pub seconds: f64,
}

/// The paper's error over a whole run, from all stages. Only the seconds depend on the clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorSummary {
    /// The smallest error, including that of the start.
    pub smallest: f64,
    /// The error after half of the stages.
    pub halfway: f64,
    /// When the error fell to a tenth of the start's, if ever.
    pub to_a_tenth: Option<Milestone>,
    /// When it fell to a hundredth.
    pub to_a_hundredth: Option<Milestone>,
    /// When it fell to a thousandth.
    pub to_a_thousandth: Option<Milestone>,
    /// R² of a linear fit to the logarithm of the error over the stages of the descent.
    #[serde(rename = "straightness")]
    pub r_squared: f64,
    /// Number of stages of the descent: until the error is within ten times its minimum.
    #[serde(rename = "way_down")]
    pub descent_stages: usize,
    /// Number of stages after which the error was more than 5 % above its smallest value so far.
    pub rises: usize,
    /// The largest ratio of the error to its smallest value so far.
    pub largest_rise: f64,
}

impl ErrorSummary {
    /// Summarizes a run from its start through all stages.
    pub(super) fn of(start: f64, stages: &[StageError]) -> Self {
        let until = |share: f64| {
            let reached = stages.iter().position(|stage| stage.error <= share * start)?;
            Some(Milestone { stages: reached + 1, seconds: stages[reached].seconds })
        };
        let smallest = stages.iter().map(|stage| stage.error).fold(start, f64::min);
        let halfway = (stages.len() / 2).checked_sub(1).map_or(start, |last| stages[last].error);
        let (r_squared, descent_stages) = r_squared(start, stages);
        let (rises, largest_rise) = rises(stages);
        Self {
            smallest,
            halfway,
            to_a_tenth: until(0.1),
            to_a_hundredth: until(0.01),
            to_a_thousandth: until(0.001),
            r_squared,
            descent_stages,
            rises,
            largest_rise,
        }
    }
}

/// R² of the linear fit over the descent, and the number of stages of the descent.
fn r_squared(start: f64, stages: &[StageError]) -> (f64, usize) {
    let smallest = stages.iter().map(|stage| stage.error).fold(f64::INFINITY, f64::min);
    let log = |error: f64| error.max(f64::MIN_POSITIVE).ln();
    let near = stages.iter().position(|stage| stage.error <= NEAR_SMALLEST * smallest);
    let descent_stages = near.map_or(stages.len(), |near| near + 1);
    let points: Vec<(f64, f64)> = std::iter::once(log(start))
        .chain(stages[..descent_stages].iter().map(|stage| log(stage.error)))
        .enumerate()
        .map(|(stage, log)| (stage as f64, log))
        .collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (stage, log) in points {
        xx += (stage - x) * (stage - x);
        xy += (stage - x) * (log - y);
        yy += (log - y) * (log - y);
    }
    (if xx * yy > 0.0 { xy * xy / (xx * yy) } else { 0.0 }, descent_stages)
}

/// The number of rises, and the largest ratio of the error to its smallest value so far.
fn rises(stages: &[StageError]) -> (usize, f64) {
    let (mut smallest, mut rises, mut largest) = (f64::INFINITY, 0, 1.0_f64);
    for stage in stages {
        rises += usize::from(stage.error > RISE * smallest);
        if smallest > 0.0 && smallest.is_finite() {
            largest = largest.max(stage.error / smallest);
        }
        smallest = smallest.min(stage.error);
    }
    (rises, largest)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Synthetic stages, one per second.
    pub(in crate::reproduce) fn stages(errors: &[f64]) -> Vec<StageError> {
        let stage = |(i, &error): (usize, &f64)| StageError { seconds: (i + 1) as f64, error };
        errors.iter().enumerate().map(stage).collect()
    }

    #[test]
    fn a_geometric_descent_is_linear_and_a_bent_one_is_not() {
        let falling: Vec<f64> = (1..60).map(|stage| 10.0 * 0.7_f64.powi(stage)).collect();
        // A factor of 0.2 per stage for six stages, then 0.95.
        let fall = |stage: i32| 10.0 * 0.2_f64.powi(stage.min(6)) * 0.95_f64.powi((stage - 6).max(0));
        let bent: Vec<f64> = (1..120).map(fall).collect();
        assert!(ErrorSummary::of(10.0, &stages(&falling)).r_squared > 0.9999);
        assert!(ErrorSummary::of(10.0, &stages(&bent)).r_squared < 0.9);
    }

    #[test]
    fn milestones_and_levels_match_hand_calculations() {
        let error_summary = ErrorSummary::of(10.0, &stages(&[5.0, 1.0, 0.5, 2.0, 0.1, 0.2]));
        assert_eq!((error_summary.smallest, error_summary.halfway), (0.1, 0.5));
        assert_eq!(error_summary.to_a_tenth, Some(Milestone { stages: 2, seconds: 2.0 }));
        assert_eq!(error_summary.to_a_hundredth, Some(Milestone { stages: 5, seconds: 5.0 }));
        assert_eq!(error_summary.to_a_thousandth, None);
        // Above 0.5 once, above 0.1 once; within ten times 0.1 at the second stage.
        assert_eq!(
            (error_summary.rises, error_summary.largest_rise, error_summary.descent_stages),
            (2, 4.0, 2)
        );
    }

    #[test]
    fn a_run_without_stages_stays_at_its_start() {
        let error_summary = ErrorSummary::of(3.0, &[]);
        assert_eq!((error_summary.smallest, error_summary.halfway, error_summary.r_squared), (3.0, 3.0, 0.0));
        assert_eq!(
            (error_summary.to_a_tenth, error_summary.descent_stages, error_summary.rises),
            (None, 0, 0)
        );
    }
}
