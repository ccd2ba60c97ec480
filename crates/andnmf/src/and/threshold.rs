//! Threshold schedules: the threshold α of each stage.
//!
//! The paper starts with a high threshold and divides it by a constant after each stage, so that the most certain
//! weights are decoded first. Two additions make that usable on real data. True weights are non-negative, so negative
//! decoded values are all error: their root mean square times κ is a lower bound for the threshold of their component
//! (the *data floor*). And `fastest_fall` bounds how fast a threshold may fall.

use serde::{Deserialize, Serialize};

use crate::{Real, SettingError};

/// The source of the thresholds: the data, or a schedule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// From the data: thresholds on the scale of each component that fall as fast as the data allow. There is nothing
    /// to tune; see [`crate::auto`].
    #[default]
    Auto,
    /// By a schedule: Algorithm 1 as printed.
    Scheduled(ThresholdParams),
}

impl From<ThresholdParams> for Threshold {
    fn from(params: ThresholdParams) -> Self {
        Self::Scheduled(params)
    }
}

impl From<Schedule> for Threshold {
    fn from(schedule: Schedule) -> Self {
        Self::Scheduled(schedule.into())
    }
}

/// A schedule and its lower bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdParams {
    /// The threshold of each stage.
    pub schedule: Schedule,
    /// κ: lower bound of a component's threshold, in units of the root mean square of its negative decoded values in
    /// the previous stage.
    #[serde(default)]
    pub data_floor: Option<f64>,
    /// A threshold is at least the previous one divided by this. The default is 2 for [`Schedule::Theory`], and no
    /// bound for the other schedules.
    #[serde(default)]
    pub fastest_fall: Option<f64>,
}

/// The threshold of each stage, the same for all components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// The same threshold in all stages: enough for binary weights (1/4 in the paper's theorem).
    Constant(f64),
    /// `start / ratioʲ` in stage j = 0, 1, …, but never below the floor.
    Geometric {
        /// Threshold of stage 0.
        start: f64,
        /// Divisor after each stage.
        ratio: f64,
        /// Lowest threshold.
        floor: Option<f64>,
    },
    /// One value per stage; the last one holds for all further stages.
    List(Vec<f64>),
    /// The paper's analysis: α = (λ‖E‖/r)^(2/(q+1)), with the mixing error ‖E‖ estimated from the change in the last
    /// stage (1 before the first stage). Never rises.
    Theory {
        /// λ of the general correlation conditions.
        lambda: f64,
        /// r of the general correlation conditions: the largest sum of a sample's weights.
        sparsity: f64,
        /// q of the decay condition.
        decay_order: f64,
    },
}

impl From<Schedule> for ThresholdParams {
    fn from(schedule: Schedule) -> Self {
        Self { schedule, data_floor: None, fastest_fall: None }
    }
}

impl Default for ThresholdParams {
    fn default() -> Self {
        Schedule::Geometric { start: 0.1, ratio: 1.1, floor: None }.into()
    }
}

fn check_number(name: &'static str, value: f64, valid: bool, expected: &str) -> Result<(), SettingError> {
    if value.is_finite() && valid { Ok(()) } else { Err(SettingError::new(name, value, expected)) }
}

impl ThresholdParams {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let not_negative =
            |name, v: f64| check_number(name, v, v >= 0.0, "it must be zero or a positive number");
        let positive = |name, v: f64| check_number(name, v, v > 0.0, "it must be a positive number");
        match &self.schedule {
            Schedule::Constant(value) => not_negative("threshold", *value)?,
            Schedule::Geometric { start, ratio, floor } => {
                positive("threshold start", *start)?;
                check_number("threshold ratio", *ratio, *ratio >= 1.0, "it must be at least 1")?;
                if let Some(floor) = floor {
                    not_negative("threshold floor", *floor)?;
                }
            }
            Schedule::List(values) => {
                if values.is_empty() {
                    return Err(SettingError::new(
                        "threshold list",
                        "empty",
                        "it must have at least one value",
                    ));
                }
                for &value in values {
                    not_negative("threshold list", value)?;
                }
            }
            Schedule::Theory { lambda, sparsity, decay_order } => {
                positive("threshold lambda", *lambda)?;
                positive("threshold sparsity", *sparsity)?;
                check_number(
                    "threshold decay order",
                    *decay_order,
                    *decay_order >= 1.0,
                    "it must be at least 1",
                )?;
                let first = theory_threshold(*lambda, 1.0, *sparsity, *decay_order);
                check_number(
                    "first threshold",
                    first,
                    true,
                    "it must be finite; use a smaller LAMBDA or a larger R",
                )?;
            }
        }
        if let Some(kappa) = self.data_floor {
            positive("data floor", kappa)?;
        }
        if let Some(fall) = self.fastest_fall {
            check_number("fastest fall", fall, fall >= 1.0, "it must be a ratio of at least 1")?;
        }
        Ok(())
    }

    /// Returns true if the schedule needs the mixing error of the previous stage.
    pub(super) fn needs_mixing_error(&self) -> bool {
        matches!(self.schedule, Schedule::Theory { .. })
    }

    /// Computes the thresholds of `stage` from the values of the previous stage.
    pub(super) fn next_into(
        &self,
        next: &mut StageThresholds,
        stage: usize,
        rank: usize,
        last: &PreviousStage<'_>,
    ) {
        let (scheduled, at_end) = match &self.schedule {
            Schedule::Constant(value) => (*value, true),
            Schedule::Geometric { start, ratio, floor } => {
                let value = start / ratio.powf(stage as f64);
                match floor {
                    Some(floor) if value <= *floor => (*floor, true),
                    _ => (value, *ratio == 1.0),
                }
            }
            Schedule::List(values) => {
                let end = values.len() - 1;
                (values[stage.min(end)], stage >= end)
            }
            Schedule::Theory { lambda, sparsity, decay_order } => {
                let error = last.mixing_error.unwrap_or(1.0).min(1.0);
                (theory_threshold(*lambda, error, *sparsity, *decay_order), false)
            }
        };
        let theory = self.needs_mixing_error();
        let fall = self.fastest_fall.or(theory.then_some(2.0));
        let StageThresholds { values, at_floor } = next;
        values.clear();
        *at_floor = true;
        for k in 0..rank {
            let mut value = scheduled;
            let mut is_final = at_end;
            if let Some(&before) = last.thresholds.get(k) {
                if theory {
                    value = value.min(before);
                }
                if let Some(fall) = fall
                    && value < before / fall
                {
                    value = before / fall;
                    is_final = false;
                }
            }
            if let (Some(kappa), Some(rms)) = (self.data_floor, last.negative_rms.get(k)) {
                let floor = kappa * rms;
                if floor >= value && floor > 0.0 {
                    value = floor;
                    is_final = true;
                }
            }
            *at_floor &= is_final;
            values.push(value);
        }
    }
}

/// The values of the previous stage that determine the next thresholds.
#[derive(Debug, Default)]
pub(super) struct PreviousStage<'a> {
    pub(super) thresholds: &'a [f64],
    pub(super) negative_rms: &'a [f64],
    pub(super) mixing_error: Option<f64>,
}

/// The thresholds of one stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StageThresholds {
    /// One per component.
    pub(super) values: Vec<f64>,
    /// True if no threshold would fall further after a stage with the same statistics.
    pub(super) at_floor: bool,
}

impl StageThresholds {
    pub(super) fn cast_into<T: Real>(&self, cast: &mut Vec<T>) {
        cast.clear();
        cast.extend(self.values.iter().map(|&v| T::from_f64(v)));
    }
}

/// α = (λ‖E‖/r)^(2/(q+1)): the threshold that balances, in the proof of the paper's main theorem, the weights lost
/// below it against the mixing error above it.
///
/// ```
/// // sqrt(0.5 · 1 / 2)
/// assert_eq!(andnmf::and::theory_threshold(0.5, 1.0, 2.0, 3.0), 0.5);
/// ```
pub fn theory_threshold(lambda: f64, mixing_error: f64, sparsity: f64, decay_order: f64) -> f64 {
    (lambda * mixing_error / sparsity).powf(2.0 / (decay_order + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ThresholdParams {
        fn next(&self, stage: usize, rank: usize, last: &PreviousStage<'_>) -> StageThresholds {
            let mut next = StageThresholds::default();
            self.next_into(&mut next, stage, rank, last);
            next
        }
    }

    fn values(params: &ThresholdParams, stages: usize) -> Vec<f64> {
        (0..stages).map(|stage| params.next(stage, 1, &PreviousStage::default()).values[0]).collect()
    }

    fn refused(schedule: Schedule) -> &'static str {
        ThresholdParams::from(schedule).check().unwrap_err().name
    }

    #[test]
    fn geometric_starts_at_its_start_and_stops_at_its_floor() {
        let free = Schedule::Geometric { start: 0.8, ratio: 2.0, floor: None }.into();
        assert_eq!(values(&free, 4), [0.8, 0.4, 0.2, 0.1]);
        let floored: ThresholdParams =
            Schedule::Geometric { start: 0.8, ratio: 2.0, floor: Some(0.3) }.into();
        assert_eq!(values(&floored, 4), [0.8, 0.4, 0.3, 0.3]);
        assert!(!floored.next(1, 1, &PreviousStage::default()).at_floor);
        assert!(floored.next(2, 1, &PreviousStage::default()).at_floor);
    }

    #[test]
    fn constant_is_always_at_its_floor() {
        let constant: ThresholdParams = Schedule::Constant(0.25).into();
        assert_eq!(values(&constant, 2), [0.25, 0.25]);
        assert!(constant.next(0, 1, &PreviousStage::default()).at_floor);
    }

    #[test]
    fn the_last_value_of_a_list_holds() {
        let list: ThresholdParams = Schedule::List(vec![0.5, 0.1]).into();
        assert_eq!(values(&list, 4), [0.5, 0.1, 0.1, 0.1]);
    }

    #[test]
    fn theory_follows_the_formula_but_falls_no_faster_than_by_half() {
        let theory: ThresholdParams =
            Schedule::Theory { lambda: 0.5, sparsity: 2.0, decay_order: 3.0 }.into();
        let first = theory.next(0, 1, &PreviousStage::default()).values[0];
        assert!((first - 0.5).abs() < 1e-15, "sqrt(0.5 / 2) before any stage");
        let after = |mixing_error| {
            let last =
                PreviousStage { thresholds: &[first], negative_rms: &[], mixing_error: Some(mixing_error) };
            theory.next(1, 1, &last).values[0]
        };
        assert!((after(0.64) - 0.4).abs() < 1e-15);
        assert_eq!(after(1e-6), first / 2.0);
        assert_eq!(after(50.0), first, "never rises");
    }

    #[test]
    fn the_data_floor_lifts_each_component_by_its_own_negative_values() {
        let mut params: ThresholdParams = Schedule::Constant(0.1).into();
        params.data_floor = Some(2.0);
        let last =
            PreviousStage { thresholds: &[0.1; 3], negative_rms: &[0.01, 0.2, 0.0], mixing_error: None };
        assert_eq!(params.next(1, 3, &last).values, [0.1, 0.4, 0.1]);
    }

    #[test]
    fn the_fastest_fall_bounds_any_schedule() {
        let mut params: ThresholdParams = Schedule::List(vec![1.0, 0.01]).into();
        params.fastest_fall = Some(1.5);
        let last = PreviousStage { thresholds: &[1.0], negative_rms: &[], mixing_error: None };
        let next = params.next(1, 1, &last);
        assert!((next.values[0] - 1.0 / 1.5).abs() < 1e-15 && !next.at_floor);
    }

    #[test]
    fn thresholds_cannot_be_negative_or_nan() {
        assert_eq!(refused(Schedule::Constant(-0.1)), "threshold");
        assert_eq!(refused(Schedule::Constant(f64::NAN)), "threshold");
        assert_eq!(refused(Schedule::List(vec![0.1, -1.0])), "threshold list");
    }

    #[test]
    fn a_list_cannot_be_empty() {
        assert_eq!(refused(Schedule::List(vec![])), "threshold list");
    }

    #[test]
    fn a_geometric_threshold_cannot_start_at_zero_rise_or_have_a_negative_floor() {
        let geometric = |start, ratio, floor| refused(Schedule::Geometric { start, ratio, floor });
        assert_eq!(geometric(0.0, 1.1, None), "threshold start");
        assert_eq!(geometric(0.1, 0.9, None), "threshold ratio");
        assert_eq!(geometric(0.1, 1.1, Some(-1.0)), "threshold floor");
    }

    #[test]
    fn theory_needs_positive_conditions_and_a_decay_order_of_one_or_more() {
        let theory =
            |lambda, sparsity, decay_order| refused(Schedule::Theory { lambda, sparsity, decay_order });
        assert_eq!(theory(0.0, 1.0, 1.0), "threshold lambda");
        assert_eq!(theory(1.0, 0.0, 1.0), "threshold sparsity");
        assert_eq!(theory(1.0, 1.0, 0.5), "threshold decay order");
        assert_eq!(theory(1e308, 1e-308, 1.0), "first threshold");
    }

    #[test]
    fn the_data_floor_must_be_positive_and_the_fastest_fall_at_least_one() {
        let with = |data_floor, fastest_fall| {
            let params = ThresholdParams { data_floor, fastest_fall, ..ThresholdParams::default() };
            params.check().unwrap_err().name
        };
        assert_eq!(with(Some(0.0), None), "data floor");
        assert_eq!(with(None, Some(0.9)), "fastest fall");
    }
}
