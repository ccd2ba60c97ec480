//! Components that are not negative: clipped, swept, or fitted anew, by how far they are from it.

use ndarray::Array2;

use super::hals_runs::{FAR_SWEEPS, HALS_STAGES, HalsRuns};
use super::projected::Signs;
use super::shares::{clipped, median, nearest_sines, sines, zero_share};
use crate::Real;
use crate::fit::{Fit, Halt};
use crate::trust::Ending;

/// Components whose negative values are rounding need no sweep.
const ROUNDING_SHARE: f64 = 1e-6;
/// With a larger negative share than this, one sweep is not enough.
const SWEEP_SHARE: f64 = 0.05;
/// NMF is taken unless the fit of the components found is better than its by this share.
const BETTER_FIT: f64 = 0.01;
/// The same where weights are always on.
const FAR_BETTER_FIT: f64 = 0.8;
/// Stages of HALS on the full samples after NMF.
const FULL_STAGES: usize = 3;
/// Stages of a run that is for another opinion only.
const OTHER_STAGES: usize = 100;
/// Two runs together overstate the error of a component: what counts of the root of the sum of their squared sines.
const TWO_RUNS: f64 = 0.85;
/// Stages of HALS from the components found: those in which noise makes itself felt, those that show whether the
/// components move at all, and those that show how far they would go.
const SETTLING: usize = 10;
const WATCHED: usize = 20;
const FOLLOWED: usize = 70;
/// Where they drift they are followed until they rest, in so many rounds of stages at most.
const ROUND: usize = 100;
const ROUNDS: usize = 4;
/// Components that still move by more than this, in multiples of what noise does to them, may drift…
const MOVING: f64 = 0.3;
/// …those that come further than this while they are watched do…
const DRIFTS: f64 = 0.8;
/// …and those that move by less than this in a round have come to rest.
const RESTS: f64 = 0.3;
/// Zeros can hold components where the median one has at least this share of them.
const ENOUGH_ZEROS: f64 = 0.04;

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
    fn new(components: Array2<T>, ending: Ending, passes: usize) -> Self {
        Self { components, ending, drift: 0.0, rerun: Vec::new(), passes }
    }
}

/// Makes components non-negative.
pub(super) struct Finisher<'e, 'a, 'r, T: Real> {
    pub(super) runs: HalsRuns<'e, 'a, 'r, T>,
}

impl<T: Real> Finisher<'_, '_, '_, T> {
    pub(super) fn end(&self, components: Array2<T>, wanted: &Wanted<'_>) -> Result<Ended<T>, Halt> {
        if wanted.signs == Signs::Any {
            return Ok(Ended::new(components, Ending::Signed, 0));
        }
        let clipped = clipped(&components);
        let nmf = match wanted.foreign || (wanted.always_on && wanted.noise_errors.is_some()) {
            true => Some(self.runs.nmf(clipped.nrows(), FAR_SWEEPS)?),
            false => None,
        };
        // Spectra, say, have no zeros that could hold them: NMF then ends anywhere.
        if let Some(nmf) = nmf.filter(|nmf| wanted.foreign || zero_share(&nmf.components) >= ENOUGH_ZEROS) {
            // Where weights never come near zero a tight cone fits well and is wrong: only a fit that leaves nothing of
            // the samples, where NMF does, speaks for it.
            let margin = if wanted.always_on { FAR_BETTER_FIT } else { BETTER_FIT };
            let found = self.runs.hals(clipped.clone(), None, 1, 1, true)?;
            if fits_better(&found, &nmf, margin) {
                let improved = self.runs.hals(clipped, None, HALS_STAGES, 1, true)?.components;
                return Ok(Ended::new(improved, Ending::Hals, 0));
            }
            let ended = self.in_full(nmf)?;
            return match self.runs.improved(&clipped) {
                Err(Halt::Error(error)) => Err(error.into()),
                improved => self.rerun(ended, improved.ok()),
            };
        }
        let Some(noise_errors) = wanted.noise_errors else {
            return match wanted.negative_share {
                share if share <= ROUNDING_SHARE => Ok(Ended::new(clipped, Ending::Clipped, 0)),
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
    fn improved(&self, clipped: Array2<T>, negative_share: f64, projected: bool) -> Result<Ended<T>, Halt> {
        if negative_share > SWEEP_SHARE {
            let improved = self.runs.hals(clipped, None, HALS_STAGES, 1, true)?.components;
            return Ok(Ended::new(improved, Ending::Hals, 0));
        }
        let swept = self.runs.hals(clipped, None, 1, 1, projected)?.components;
        Ok(Ended::new(swept, Ending::Swept, usize::from(!projected)))
    }

    /// Weights that are always on at a low level, below what noise lets one see, put a share of all components into
    /// each. The weights cannot show it. Zeros of the components can: HALS, which knows that nothing is negative, then
    /// carries the components far beyond what noise does to them.
    fn follow_drift(&self, ended: Ended<T>, noise_errors: &[f64], given: bool) -> Result<Ended<T>, Halt> {
        let on = |fit: Fit<T>, stages| self.runs.hals(fit.components, fit.weights, stages, FAR_SWEEPS, true);
        let moved = |from: &Fit<T>, to: &Fit<T>| {
            let sines = sines(&from.components, &to.components);
            median(sines.iter().zip(noise_errors).map(|(sine, noise)| sine / noise.max(f64::MIN_POSITIVE)))
        };
        let settled = self.runs.hals(ended.components.clone(), None, SETTLING, FAR_SWEEPS, true)?;
        let watched = on(settled.clone(), WATCHED)?;
        if moved(&settled, &watched) <= MOVING || zero_share(&watched.components) < ENOUGH_ZEROS {
            return Ok(ended);
        }
        let mut followed = on(watched, FOLLOWED)?;
        let drift = moved(&settled, &followed);
        if drift <= DRIFTS {
            return Ok(ended);
        }
        let mut rests = false;
        for _ in 0..ROUNDS {
            let next = on(followed.clone(), ROUND)?;
            rests = moved(&followed, &next) <= RESTS;
            followed = next;
            if rests {
                break;
            }
        }
        let passes = ended.passes;
        if !rests && !given {
            // Far from rest: more than a low level is on, and NMF may come nearer from its own start.
            let nmf = self.runs.nmf(followed.components.nrows(), FAR_SWEEPS)?;
            if !fits_better(&followed, &nmf, BETTER_FIT) {
                let ended = Ended { drift, ..Ended::new(nmf.components, Ending::Nmf, passes) };
                return self.rerun(ended, Some(followed.components));
            }
        }
        self.rerun(Ended { drift, ..Ended::new(followed.components, Ending::Hals, passes) }, None)
    }

    /// Where HALS has gone far, what is known of the components found says little about those at the end. Other runs of
    /// HALS do: `other`, which began elsewhere, and one from the start of NMF to a part of the samples.
    fn rerun(&self, ended: Ended<T>, other: Option<Array2<T>>) -> Result<Ended<T>, Halt> {
        let rank = ended.components.nrows();
        let anew = match self.runs.nmf_of_a_part(rank, OTHER_STAGES, FAR_SWEEPS) {
            // The components are there; there was no time to vouch for them.
            Err(Halt::Stop(_)) => return Ok(Ended { rerun: vec![1.0; rank], ..ended }),
            anew => anew?,
        };
        let mut rerun = nearest_sines(&ended.components, &anew);
        if let Some(other) = other {
            let apart = nearest_sines(&ended.components, &other);
            rerun.iter_mut().zip(apart).for_each(|(rerun, sine)| *rerun = TWO_RUNS * rerun.hypot(sine));
        }
        Ok(Ended { rerun, ..ended })
    }

    /// The components of NMF after some stages on the full samples.
    fn in_full(&self, nmf: Fit<T>) -> Result<Ended<T>, Halt> {
        let full = self.runs.hals(nmf.components, nmf.weights, FULL_STAGES, 1, false)?;
        Ok(Ended::new(full.components, Ending::Nmf, FULL_STAGES))
    }
}

/// Whether what was found leaves less of the samples than NMF by a share of that, so that it is not thrown away.
fn fits_better<T: Real>(found: &Fit<T>, nmf: &Fit<T>, margin: f64) -> bool {
    loss(found) < (1.0 - margin).powi(2) * loss(nmf)
}

fn loss<T: Real>(fit: &Fit<T>) -> f64 {
    fit.trace.last().and_then(|record| record.loss).unwrap_or(f64::INFINITY)
}
