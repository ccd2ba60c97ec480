//! Components that are not negative: clipped, swept, or fitted anew, by how far they are from it.

use ndarray::Array2;

use super::hals_runs::HalsRuns;
use super::projected::Signs;
use super::shares::{clipped, median, nearest_sines, sines, zero_share};
use crate::Real;
use crate::constants::EndConstants;
use crate::fit::{Fit, StageInterrupt};
use crate::trust::Ending;

/// What the end is to be.
pub(super) struct Wanted<'a> {
    pub(super) signs: Signs,
    /// Whether the components are not what the samples are made of, so that NMF may be better.
    pub(super) foreign: bool,
    /// Whether weights are always on, and NMF may be better where there is noise: zeros of the components may decide.
    pub(super) always_on: bool,
    /// Whether the start was given: what came of it is not to be thrown away.
    pub(super) given: bool,
    pub(super) negative_share: f64,
    /// What noise does to each component, where there is noise.
    pub(super) noise_errors: Option<&'a [f64]>,
}

/// Components at their end.
pub(super) struct Ended<T> {
    pub(super) components: Array2<T>,
    pub(super) ending: Ending,
    /// How far HALS would still carry the components, in multiples of what noise does to them.
    pub(super) drift: f64,
    /// How far other runs of HALS end from each component, where the end is that of such a run; else empty.
    pub(super) rerun: Vec<f64>,
    /// Passes over the full samples that this took.
    pub(super) passes: usize,
}

impl<T> Ended<T> {
    pub(super) fn new(components: Array2<T>, ending: Ending, passes: usize) -> Self {
        Self { components, ending, drift: 0.0, rerun: Vec::new(), passes }
    }
}

/// Makes components non-negative.
pub(super) struct Finisher<'e, 'a, 'r, T: Real> {
    pub(super) runs: HalsRuns<'e, 'a, 'r, T>,
}

impl<T: Real> Finisher<'_, '_, '_, T> {
    pub(super) fn end(&self, components: Array2<T>, wanted: &Wanted<'_>) -> Result<Ended<T>, StageInterrupt> {
        if wanted.signs == Signs::Any {
            return Ok(Ended::new(components, Ending::Signed, 0));
        }
        let constants = self.runs.end();
        let clipped = clipped(&components);
        let nmf = match wanted.foreign || (wanted.always_on && wanted.noise_errors.is_some()) {
            true => Some(self.runs.nmf(clipped.nrows(), constants.far_sweeps)?),
            false => None,
        };
        // Spectra, say, have no zeros that could hold them: NMF then ends anywhere.
        let held = |nmf: &Fit<T>| zero_share(&nmf.components) >= constants.enough_zeros;
        if let Some(nmf) = nmf.filter(|nmf| wanted.foreign || held(nmf)) {
            // Where weights never come near zero a tight cone fits well and is wrong: only a fit that leaves nothing of
            // the samples, where NMF does, speaks for it.
            let margin = if wanted.always_on { constants.far_better_fit } else { constants.better_fit };
            let found = self.runs.hals(clipped.clone(), None, 1, 1, true)?;
            if fits_better(&found, &nmf, margin) {
                let improved = self.runs.hals(clipped, None, constants.hals_stages, 1, true)?.components;
                return Ok(Ended::new(improved, Ending::Hals, 0));
            }
            let ended = self.in_full(nmf)?;
            return match self.runs.improved(&clipped) {
                Err(StageInterrupt::Error(error)) => Err(error.into()),
                improved => self.rerun(ended, improved.ok()),
            };
        }
        let Some(noise_errors) = wanted.noise_errors else {
            return match wanted.negative_share {
                share if share <= constants.rounding_share => Ok(Ended::new(clipped, Ending::Clipped, 0)),
                share => self.improved(clipped, share, true),
            };
        };
        // Where noise makes samples negative it is what makes components negative, too: one sweep will do.
        let share = if wanted.signs == Signs::PositiveButNoise { 0.0 } else { wanted.negative_share };
        // Noise is in all directions: the one sweep must see the samples as they are.
        let ended = self.improved(clipped, share, false)?;
        self.follow_drift(ended, noise_errors, wanted.given)
    }

    /// Components after one sweep, or as many as it takes.
    fn improved(
        &self,
        clipped: Array2<T>,
        negative_share: f64,
        projected: bool,
    ) -> Result<Ended<T>, StageInterrupt> {
        let constants = self.runs.end();
        if negative_share > constants.sweep_share {
            let improved = self.runs.hals(clipped, None, constants.hals_stages, 1, true)?.components;
            return Ok(Ended::new(improved, Ending::Hals, 0));
        }
        let swept = self.runs.hals(clipped, None, 1, 1, projected)?.components;
        Ok(Ended::new(swept, Ending::Swept, usize::from(!projected)))
    }

    /// Weights that are always on at a low level, below what noise lets one see, put a share of all components into
    /// each. The weights cannot show it. Zeros of the components can: HALS, which knows that nothing is negative, then
    /// carries the components far beyond what noise does to them.
    fn follow_drift(
        &self,
        ended: Ended<T>,
        noise_errors: &[f64],
        given: bool,
    ) -> Result<Ended<T>, StageInterrupt> {
        let constants = self.runs.end();
        let sweeps = constants.far_sweeps;
        let on = |fit: Fit<T>, stages| self.runs.hals(fit.components, fit.weights, stages, sweeps, true);
        let moved = |from: &Fit<T>, to: &Fit<T>| {
            let sines = sines(&from.components, &to.components);
            median(sines.iter().zip(noise_errors).map(|(sine, noise)| sine / noise.max(f64::MIN_POSITIVE)))
        };
        let settled =
            self.runs.hals(ended.components.clone(), None, constants.settling_stages, sweeps, true)?;
        let watched = on(settled.clone(), constants.watched_stages)?;
        if moved(&settled, &watched) <= constants.moving
            || zero_share(&watched.components) < constants.enough_zeros
        {
            return Ok(ended);
        }
        let mut followed = on(watched, constants.followed_stages)?;
        let drift = moved(&settled, &followed);
        if drift <= constants.drifts {
            return Ok(ended);
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
        let passes = ended.passes;
        if !rests && !given {
            // Far from rest: more than a low level is on, and NMF may come nearer from its own start.
            let nmf = self.runs.nmf(followed.components.nrows(), sweeps)?;
            if !fits_better(&followed, &nmf, constants.better_fit) {
                let ended = Ended { drift, ..Ended::new(nmf.components, Ending::Nmf, passes) };
                return self.rerun(ended, Some(followed.components));
            }
        }
        self.rerun(Ended { drift, ..Ended::new(followed.components, Ending::Hals, passes) }, None)
    }

    /// Where HALS has gone far, what is known of the components found says little about those at the end. Other runs of
    /// HALS do: `other`, which began elsewhere, and one from the start of NMF to a part of the samples.
    fn rerun(&self, ended: Ended<T>, other: Option<Array2<T>>) -> Result<Ended<T>, StageInterrupt> {
        let rank = ended.components.nrows();
        let EndConstants { other_stages, far_sweeps, two_runs, .. } = *self.runs.end();
        let anew = match self.runs.nmf_of_a_part(rank, other_stages, far_sweeps) {
            // The components are there; there was no time to vouch for them.
            Err(StageInterrupt::Stop(_)) => return Ok(Ended { rerun: vec![1.0; rank], ..ended }),
            anew => anew?,
        };
        let mut rerun = nearest_sines(&ended.components, &anew);
        if let Some(other) = other {
            let apart = nearest_sines(&ended.components, &other);
            rerun.iter_mut().zip(apart).for_each(|(rerun, sine)| *rerun = two_runs * rerun.hypot(sine));
        }
        Ok(Ended { rerun, ..ended })
    }

    /// The components of NMF after some stages on the full samples.
    fn in_full(&self, nmf: Fit<T>) -> Result<Ended<T>, StageInterrupt> {
        let stages = self.runs.end().full_stages;
        let full = self.runs.hals(nmf.components, nmf.weights, stages, 1, false)?;
        Ok(Ended::new(full.components, Ending::Nmf, stages))
    }
}

/// Whether what was found leaves less of the samples than NMF by a share of that, so that it is not thrown away.
fn fits_better<T: Real>(found: &Fit<T>, nmf: &Fit<T>, margin: f64) -> bool {
    loss(found) < (1.0 - margin).powi(2) * loss(nmf)
}

fn loss<T: Real>(fit: &Fit<T>) -> f64 {
    fit.trace.last().and_then(|record| record.loss).unwrap_or(f64::INFINITY)
}
