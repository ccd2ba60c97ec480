//! Makes components non-negative by clipping, one sweep of HALS, or a new fit, depending on how negative they are.

use ndarray::Array2;

use super::hals_runs::HalsRuns;
use super::projected::Signs;
use super::shares::{clipped, median, nearest_sines, sines, zero_share};
use crate::Real;
use crate::constants::EndConstants;
use crate::fit::{Fit, StageInterrupt};
use crate::trust::Ending;

/// The conditions that decide between the endings.
pub(super) struct EndConditions<'a> {
    pub(super) signs: Signs,
    /// True if the components do not explain the samples, so that NMF may be better.
    pub(super) foreign: bool,
    /// True if weights are always active; with noise, NMF may then be better, by the zeros of the components.
    pub(super) always_on: bool,
    /// True if the start was given: its result must be kept.
    pub(super) given: bool,
    pub(super) negative_share: f64,
    /// The error of each component by noise; `None` without noise.
    pub(super) noise_errors: Option<&'a [f64]>,
}

/// The final components.
pub(super) struct EndResult<T> {
    pub(super) components: Array2<T>,
    pub(super) ending: Ending,
    /// The distance by which HALS would still move the components, in multiples of their noise errors.
    pub(super) drift: f64,
    /// The distance of other runs of HALS from each component; empty if the result does not come from such a run.
    pub(super) rerun: Vec<f64>,
    /// Passes over the full samples that the ending took.
    pub(super) passes: usize,
}

impl<T> EndResult<T> {
    pub(super) fn new(components: Array2<T>, ending: Ending, passes: usize) -> Self {
        Self { components, ending, drift: 0.0, rerun: Vec::new(), passes }
    }
}

/// Makes components non-negative.
pub(super) struct Finisher<'e, 'a, 'r, T: Real> {
    pub(super) runs: HalsRuns<'e, 'a, 'r, T>,
    /// True if the errors of the components are to be estimated.
    pub(super) judged: bool,
}

impl<T: Real> Finisher<'_, '_, '_, T> {
    pub(super) fn end(
        &self,
        components: Array2<T>,
        conditions: &EndConditions<'_>,
    ) -> Result<EndResult<T>, StageInterrupt> {
        if conditions.signs == Signs::Any {
            return Ok(EndResult::new(components, Ending::Signed, 0));
        }
        let constants = self.runs.end();
        let clipped = clipped(&components);
        let nmf = match conditions.foreign || (conditions.always_on && conditions.noise_errors.is_some()) {
            true => Some(self.runs.nmf(clipped.nrows(), constants.far_sweeps)?),
            false => None,
        };
        // Without zeros in the components (spectra, for example) the result of NMF is arbitrary.
        let held = |nmf: &Fit<T>| zero_share(&nmf.components) >= constants.enough_zeros;
        if let Some(nmf) = nmf.filter(|nmf| conditions.foreign || held(nmf)) {
            // Where weights never come near zero a tight cone fits well and is wrong: only a fit that leaves nothing of
            // the samples, where NMF does, speaks for it.
            let margin = if conditions.always_on { constants.far_better_fit } else { constants.better_fit };
            let found = self.runs.hals(clipped.clone(), None, 1, 1, true)?;
            if fits_better(&found, &nmf, margin) {
                let improved = self.runs.hals(clipped, None, constants.hals_stages, 1, true)?.components;
                return Ok(EndResult::new(improved, Ending::Hals, 0));
            }
            let result = self.in_full(nmf)?;
            return match self.runs.improved(&clipped) {
                Err(StageInterrupt::Error(error)) => Err(error.into()),
                improved => self.rerun(result, improved.ok()),
            };
        }
        let Some(noise_errors) = conditions.noise_errors else {
            return match conditions.negative_share {
                share if share <= constants.rounding_share => Ok(EndResult::new(clipped, Ending::Clipped, 0)),
                share => self.improved(clipped, share, true),
            };
        };
        // Where noise makes samples negative it is what makes components negative, too: one sweep will do.
        let share = if conditions.signs == Signs::PositiveButNoise { 0.0 } else { conditions.negative_share };
        // Noise is in all directions: the one sweep must see the samples as they are.
        let result = self.improved(clipped, share, false)?;
        self.follow_drift(result, noise_errors, conditions.given)
    }

    /// Components after one sweep, or as many as it takes.
    pub(super) fn improved(
        &self,
        clipped: Array2<T>,
        negative_share: f64,
        projected: bool,
    ) -> Result<EndResult<T>, StageInterrupt> {
        let constants = self.runs.end();
        if negative_share > constants.sweep_share {
            let improved = self.runs.hals(clipped, None, constants.hals_stages, 1, true)?.components;
            return Ok(EndResult::new(improved, Ending::Hals, 0));
        }
        let swept = self.runs.hals(clipped, None, 1, 1, projected)?.components;
        Ok(EndResult::new(swept, Ending::Swept, usize::from(!projected)))
    }

    /// Weights that are always active at a low level, hidden by noise, put a share of all components into each. The
    /// weights cannot show it, but zeros of the components can: HALS, whose components are non-negative, then moves them
    /// far beyond their noise errors.
    fn follow_drift(
        &self,
        result: EndResult<T>,
        noise_errors: &[f64],
        given: bool,
    ) -> Result<EndResult<T>, StageInterrupt> {
        let constants = self.runs.end();
        let sweeps = constants.far_sweeps;
        let on = |fit: Fit<T>, stages| self.runs.hals(fit.components, fit.weights, stages, sweeps, true);
        let moved = |from: &Fit<T>, to: &Fit<T>| {
            let sines = sines(&from.components, &to.components);
            median(sines.iter().zip(noise_errors).map(|(sine, noise)| sine / noise.max(f64::MIN_POSITIVE)))
        };
        let settled =
            self.runs.hals(result.components.clone(), None, constants.settling_stages, sweeps, true)?;
        let continued = on(settled.clone(), constants.watched_stages)?;
        if moved(&settled, &continued) <= constants.moving
            || zero_share(&continued.components) < constants.enough_zeros
        {
            return Ok(result);
        }
        let mut followed = on(continued, constants.followed_stages)?;
        let drift = moved(&settled, &followed);
        if drift <= constants.drifts {
            return Ok(result);
        }
        let mut rests = false;
        for _ in 0..constants.most_rounds {
            let next = on(followed.clone(), constants.round_stages)?;
            rests = moved(&followed, &next) <= constants.rests;
            followed = next;
            if rests {
                break;
            }
        }
        let passes = result.passes;
        if !rests && !given {
            // Far from rest: more than a low level is on, and NMF may come nearer from its own start.
            let nmf = self.runs.nmf(followed.components.nrows(), sweeps)?;
            if !fits_better(&followed, &nmf, constants.better_fit) {
                let result = EndResult { drift, ..EndResult::new(nmf.components, Ending::Nmf, passes) };
                return self.rerun(result, Some(followed.components));
            }
        }
        self.rerun(EndResult { drift, ..EndResult::new(followed.components, Ending::Hals, passes) }, None)
    }

    /// Estimates the errors if HALS has moved the components far, so that earlier evidence no longer applies: by the distance
    /// to other runs of HALS, `other` from another start, and one from the start of NMF on part of the samples.
    fn rerun(&self, result: EndResult<T>, other: Option<Array2<T>>) -> Result<EndResult<T>, StageInterrupt> {
        let rank = result.components.nrows();
        if !self.judged {
            return Ok(EndResult { rerun: vec![0.0; rank], ..result });
        }
        let EndConstants { other_stages, far_sweeps, two_runs, .. } = *self.runs.end();
        let anew = match self.runs.nmf_of_a_part(rank, other_stages, far_sweeps) {
            // The components are final; no time was left to check them.
            Err(StageInterrupt::Stop(_)) => return Ok(EndResult { rerun: vec![1.0; rank], ..result }),
            anew => anew?,
        };
        let mut rerun = nearest_sines(&result.components, &anew);
        if let Some(other) = other {
            let apart = nearest_sines(&result.components, &other);
            rerun.iter_mut().zip(apart).for_each(|(rerun, sine)| *rerun = two_runs * rerun.hypot(sine));
        }
        Ok(EndResult { rerun, ..result })
    }

    /// The components of NMF after some stages on the full samples.
    fn in_full(&self, nmf: Fit<T>) -> Result<EndResult<T>, StageInterrupt> {
        let stages = self.runs.end().full_stages;
        let full = self.runs.hals(nmf.components, nmf.weights, stages, 1, false)?;
        Ok(EndResult::new(full.components, Ending::Nmf, stages))
    }
}

/// Returns true if the residual of `found` is smaller than that of NMF by at least the margin.
fn fits_better<T: Real>(found: &Fit<T>, nmf: &Fit<T>, margin: f64) -> bool {
    loss(found) < (1.0 - margin).powi(2) * loss(nmf)
}

fn loss<T: Real>(fit: &Fit<T>) -> f64 {
    fit.trace.last().and_then(|record| record.loss).unwrap_or(f64::INFINITY)
}
