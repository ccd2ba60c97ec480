//! What a run's errors came to, from all of its stages: a drawing needs fewer, a verdict does not.

use serde::{Deserialize, Serialize};

/// From this many times the smallest error on, a fall is over: what follows is where it settles.
const NEAR_SMALLEST: f64 = 10.0;
/// An error by so much above its smallest value so far has risen.
const RISE: f64 = 1.05;

/// The error after a stage, and when that was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StageError {
    pub(super) seconds: f64,
    pub(super) error: f64,
}

/// When a run came somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Stages done by then.
    pub stages: usize,
    /// Time in the solver.
    pub seconds: f64,
}

/// The paper's error along a whole run, before any stage is left out. Of all of it only the seconds depend on the clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The smallest error, the start's included.
    pub smallest: f64,
    /// The error when half of the stages were done.
    pub halfway: f64,
    /// When a tenth of the start's error was left, if ever.
    pub to_a_tenth: Option<Moment>,
    /// When a hundredth was left.
    pub to_a_hundredth: Option<Moment>,
    /// When a thousandth was left.
    pub to_a_thousandth: Option<Moment>,
    /// How straight the way down is on a logarithmic axis over the stages: the share of the variation that a line
    /// explains.
    pub straightness: f64,
    /// How many stages that way has: until the error is within ten times its smallest.
    pub way_down: usize,
    /// How often the error was by a twentieth above its smallest value so far.
    pub rises: usize,
    /// The most by which it was above its smallest value so far, as a ratio.
    pub largest_rise: f64,
}

impl Course {
    /// The course from a start through all stages.
    pub(super) fn of(start: f64, stages: &[StageError]) -> Self {
        let until = |share: f64| {
            let reached = stages.iter().position(|stage| stage.error <= share * start)?;
            Some(Moment { stages: reached + 1, seconds: stages[reached].seconds })
        };
        let smallest = stages.iter().map(|stage| stage.error).fold(start, f64::min);
        let halfway = (stages.len() / 2).checked_sub(1).map_or(start, |last| stages[last].error);
        let (straightness, way_down) = straightness(start, stages);
        let (rises, largest_rise) = rises(stages);
        Self {
            smallest,
            halfway,
            to_a_tenth: until(0.1),
            to_a_hundredth: until(0.01),
            to_a_thousandth: until(0.001),
            straightness,
            way_down,
            rises,
            largest_rise,
        }
    }
}

/// How straight the fall is, and over how many stages.
fn straightness(start: f64, stages: &[StageError]) -> (f64, usize) {
    let smallest = stages.iter().map(|stage| stage.error).fold(f64::INFINITY, f64::min);
    let log = |error: f64| error.max(f64::MIN_POSITIVE).ln();
    let near = stages.iter().position(|stage| stage.error <= NEAR_SMALLEST * smallest);
    let way_down = near.map_or(stages.len(), |near| near + 1);
    let points: Vec<(f64, f64)> = std::iter::once(log(start))
        .chain(stages[..way_down].iter().map(|stage| log(stage.error)))
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
    (if xx * yy > 0.0 { xy * xy / (xx * yy) } else { 0.0 }, way_down)
}

/// How often the error rose above its smallest value so far, and by which ratio at most.
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

    /// A stage per second.
    pub(in crate::reproduce) fn stages(errors: &[f64]) -> Vec<StageError> {
        let stage = |(i, &error): (usize, &f64)| StageError { seconds: (i + 1) as f64, error };
        errors.iter().enumerate().map(stage).collect()
    }

    #[test]
    fn a_geometric_fall_is_straight_and_a_bent_one_is_not() {
        let falling: Vec<f64> = (1..60).map(|stage| 10.0 * 0.7_f64.powi(stage)).collect();
        // Five times smaller with each stage, and then hardly any.
        let fall = |stage: i32| 10.0 * 0.2_f64.powi(stage.min(6)) * 0.95_f64.powi((stage - 6).max(0));
        let bent: Vec<f64> = (1..120).map(fall).collect();
        assert!(Course::of(10.0, &stages(&falling)).straightness > 0.9999);
        assert!(Course::of(10.0, &stages(&bent)).straightness < 0.9);
    }

    #[test]
    fn moments_and_levels_by_hand() {
        let course = Course::of(10.0, &stages(&[5.0, 1.0, 0.5, 2.0, 0.1, 0.2]));
        assert_eq!((course.smallest, course.halfway), (0.1, 0.5));
        assert_eq!(course.to_a_tenth, Some(Moment { stages: 2, seconds: 2.0 }));
        assert_eq!(course.to_a_hundredth, Some(Moment { stages: 5, seconds: 5.0 }));
        assert_eq!(course.to_a_thousandth, None);
        // Above 0.5 once, above 0.1 once; within ten times 0.1 at the second stage.
        assert_eq!((course.rises, course.largest_rise, course.way_down), (2, 4.0, 2));
    }

    #[test]
    fn a_run_without_stages_is_where_it_began() {
        let course = Course::of(3.0, &[]);
        assert_eq!((course.smallest, course.halfway, course.straightness), (3.0, 3.0, 0.0));
        assert_eq!((course.to_a_tenth, course.way_down, course.rises), (None, 0, 0));
    }
}
