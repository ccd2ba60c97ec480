//! One descent: stages with falling thresholds, from a start to convergence.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::decoded::{Decoded, Evaluator};
use super::projected::Projected;
use super::relaxation::Relaxation;
use super::schedule::{Rules, ThresholdEvidence};
use crate::and::{NoiseFloors, Step, StepsPerStage, advance};
use crate::constants::ScheduleConstants;
use crate::fit::{StageInterrupt, bits};
use crate::linalg::product::{frobenius, multiply, multiply_add, scale_rows};
use crate::trust::Origin;
use crate::{FitError, Real};

/// The limits that end a descent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Stages at most.
    pub(super) most_stages: usize,
    /// All thresholds below this: errors are as small as they need to be.
    pub(super) lowest_threshold: f64,
    /// A stage has converged if it adds less than this share of another component to any.
    pub(super) tolerance: f64,
}

/// A descent between two stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Descent<T: Real> {
    /// Stages done.
    pub(super) stage: usize,
    /// True if the start was given and may be good.
    given: bool,
    /// True if thresholds wait for components that still change.
    patient: bool,
    /// For each component the largest share of it that the last stage put into another or took from it, where that
    /// matters.
    #[serde(with = "bits::list")]
    moved: Vec<f64>,
    relaxation: Relaxation<T>,
    /// Converged stages in a row.
    quiet: usize,
    /// The stage with the least leak among those with all thresholds at their floors.
    #[serde(with = "bits::number")]
    least_leak: f64,
    #[serde(with = "bits::optional_matrix")]
    least_leaking: Option<Array2<T>>,
}

/// The result of a stage of a descent.
pub(super) struct StageDone<T> {
    pub(super) components: Array2<T>,
    pub(super) thresholds: Vec<f64>,
    pub(super) change: f64,
    pub(super) active: Vec<u64>,
    /// Components that are linearly independent.
    pub(super) numerical_rank: usize,
    /// The end of the descent: it converged, or reached its limit of stages.
    pub(super) end: Option<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Settled,
    OutOfStages,
}

impl<T: Real> Descent<T> {
    /// Every matrix of the state.
    pub(super) fn matrices(&self) -> impl Iterator<Item = &Array2<T>> {
        self.least_leaking.iter().chain(self.relaxation.last())
    }

    pub(super) fn new(given: bool) -> Self {
        Self {
            stage: 0,
            given,
            patient: false,
            moved: Vec::new(),
            relaxation: Relaxation::default(),
            quiet: 0,
            least_leak: f64::INFINITY,
            least_leaking: None,
        }
    }

    /// A descent from components that a search found.
    ///
    /// Heavy tails give components that decode without large negative values while they are still mixed up, so that
    /// the negative values alone would let thresholds fall too fast.
    pub(super) fn from_search(origin: Origin) -> Self {
        Self { patient: origin == Origin::Independent, ..Self::new(false) }
    }

    /// One stage. `last` are the thresholds of the stage before, relative to the components' scales.
    pub(super) fn stage(
        &mut self,
        evaluator: &mut Evaluator<'_, T>,
        components: &Array2<T>,
        last: &[f64],
        goal: &Goal,
    ) -> Result<StageDone<T>, StageInterrupt> {
        let decoded = evaluator.decode(components)?;
        let rules = Rules(&evaluator.constants.schedule);
        let evidence = evidence(&decoded, evaluator.projected.noise);
        let thresholds: Vec<f64> = if self.stage == 0 {
            evidence.iter().map(|&e| rules.first(e, self.given)).collect()
        } else {
            let moved = self.moved.iter().copied().chain(std::iter::repeat(0.0));
            let each = last.iter().zip(&evidence).zip(moved);
            each.map(|((&last, &e), moved)| rules.next(last, e, moved)).collect()
        };
        let at_floor = thresholds.iter().zip(&evidence).all(|(&t, &e)| rules.at_floor(t, e));
        if at_floor && decoded.leak < self.least_leak {
            (self.least_leak, self.least_leaking) = (decoded.leak, Some(components.clone()));
        }
        let absolute: Vec<f64> = thresholds.iter().zip(&decoded.scales).map(|(t, s)| t * s).collect();
        let floors = noise_floors(&decoded, evaluator.projected, &evaluator.constants.schedule);
        let sums = evaluator.sums(&absolute, floors)?;
        let moments = sums.second_moments();
        let mut after =
            advance(components, sums.products(), &moments, StepsPerStage::Exact, Step::Safe, self.stage)?;
        let active = sums.decoded().active.clone();
        evaluator.recycle(sums);
        let sideways = sideways(&decoded, &after);
        let largest = sideways.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
        let moved = if self.patient { moved(&sideways, &decoded.scales) } else { Vec::new() };
        let factor = self.relaxation.factor(self.stage, &sideways, &evaluator.constants.schedule);
        if factor > 1.0 {
            let further = T::from_f64(factor - 1.0);
            multiply_add(after.view_mut(), sideways.view(), components.view(), further);
        }
        scale_rows(&mut after, &decoded.scales);
        if !largest.is_finite() || after.iter().any(|v| !v.finite()) {
            return Err(FitError::Overflow { stage: self.stage }.into());
        }
        self.stage += 1;
        self.moved = moved;
        self.quiet = if at_floor && largest < goal.tolerance { self.quiet + 1 } else { 0 };
        let settled = self.quiet >= evaluator.constants.search.quiet_stages
            || thresholds.iter().all(|&t| t < goal.lowest_threshold);
        let end = if settled {
            Some(End::Settled)
        } else {
            (self.stage >= goal.most_stages).then_some(End::OutOfStages)
        };
        let change = factor * frobenius(sideways.view()) / (components.nrows() as f64).sqrt();
        let numerical_rank = decoded.decoder.numerical_rank();
        Ok(StageDone { components: after, thresholds, change, active, numerical_rank, end })
    }

    /// The best components of the descent, given those it ended with and their leak.
    pub(super) fn best(&self, ended: Array2<T>, leak: f64) -> Array2<T> {
        match &self.least_leaking {
            Some(components) if leak > self.least_leak => components.clone(),
            _ => ended,
        }
    }
}

/// The evidence from the decoded values of each component.
pub(super) fn evidence<T: Real>(decoded: &Decoded<T>, noise: f64) -> Vec<ThresholdEvidence> {
    let one = |k: usize| ThresholdEvidence {
        negative_rms: decoded.negative_rms[k],
        deepest: decoded.deepest[k],
        noise: noise * decoded.noise_gain[k],
    };
    (0..decoded.scales.len()).map(one).collect()
}

/// The floors for single samples, in the units of the decoded values; `None` where samples do not differ in noise.
pub(super) fn noise_floors<'p, T: Real>(
    decoded: &Decoded<T>,
    projected: &'p Projected<T>,
    constants: &ScheduleConstants,
) -> Option<NoiseFloors<'p>> {
    let noise = projected.sample_noise.as_deref()?;
    let gains = decoded.noise_gain.iter().zip(&decoded.scales);
    Some(NoiseFloors {
        per_noise: gains.map(|(gain, scale)| constants.noise_floor * gain * scale).collect(),
        highest: decoded.scales.iter().map(|scale| constants.highest_floor * scale).collect(),
        noise: noise.into(),
    })
}

/// The share of every other component that a stage has added to each, relative to its own remaining share.
fn sideways<T: Real>(decoded: &Decoded<T>, after: &Array2<T>) -> Array2<T> {
    let mut mixed = multiply(after.view(), decoded.decoder.matrix().t());
    for (k, mut row) in mixed.outer_iter_mut().enumerate() {
        let own = row[k].as_f64();
        let own = if own.abs() > 1e-12 { own } else { 1.0 };
        row.mapv_inplace(|v| T::from_f64(v.as_f64() / own));
        row[k] = T::from_f64(0.0);
    }
    mixed
}

/// For each component the largest share of it in what the others were changed by, on the scales of both.
fn moved<T: Real>(sideways: &Array2<T>, scales: &[f64]) -> Vec<f64> {
    let mut largest = vec![0.0_f64; scales.len()];
    for (row, own) in sideways.outer_iter().zip(scales) {
        for ((largest, share), scale) in largest.iter_mut().zip(row).zip(scales) {
            *largest = largest.max(share.as_f64().abs() * own / scale);
        }
    }
    largest
}
