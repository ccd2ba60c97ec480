//! From the space of the stages back to that of the samples, and to components that are not negative.

use ndarray::{Array2, Axis, concatenate, s};

use super::background::background;
use super::decoded::{Bench, Decoded};
use super::descent::{evidence, noise_floors};
use super::engine::Engine;
use super::report::{AutoReport, Ending};
use super::schedule;
use super::search::{Candidate, Origin};
use super::stability::{Stability, stability};
use super::state::unprojected;
use crate::and::{Inner, Step, advance};
use crate::baselines::{Factors, HalsParams, improve_by_hals};
use crate::compression::Space;
use crate::fit::{Fit, Halt, Run, StopReason};
use crate::init::{NndsvdFill, from_pairs};
use crate::linalg::product::{length, scale_rows};
use crate::linalg::weighted_sums::{SumBuffers, WeightedSums};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{DenseSamples, Samples};
use crate::trust::Trust;
use crate::{FitError, Real};

/// Components whose negative values are rounding need no sweep.
const ROUNDING_SHARE: f64 = 1e-6;
/// With a larger negative share than this, one sweep is not enough.
const SWEEP_SHARE: f64 = 0.05;
/// With a larger negative share than this, the components are not what the samples are made of…
const FOREIGN_SHARE: f64 = 0.09;
/// …and neither are they with so large a negative part…
const FOREIGN_PART: f64 = 0.15;
/// …where nothing sets this number of directions apart from the next.
const NO_GAP: f64 = 1.15;
/// NMF is taken unless the fit of the components found is better than its by this share.
const BETTER_FIT: f64 = 0.01;
/// A component that is on in more than this share of the samples may always be.
const MOSTLY_ON: f64 = 0.85;
/// Share of the smallest weights that must still be above zero for that.
const LOW_QUANTILE: f64 = 0.05;
/// Stages of HALS in the projected space, and in the full one after NMF.
const HALS_STAGES: usize = 200;
const FULL_STAGES: usize = 3;

/// The fit that a run ended with.
pub(super) fn finish<T: Real>(
    mut engine: Engine<'_, T>,
    samples: &dyn Samples<T>,
    run: &Run<'_, T>,
    stop: StopReason,
) -> Result<Fit<T>, FitError> {
    let whole = matches!(stop, StopReason::Converged | StopReason::MaxStages);
    let best = engine.state.auto.as_ref().and_then(|auto| auto.best());
    let (ended, stop) = match best {
        Some(best) if whole => match end(&mut engine, samples, run, best) {
            Ok(ended) => (Some(ended), stop),
            // Time ran out at the end: what the stages found is there all the same.
            Err(Halt::Stop(reason)) => (None, reason),
            Err(Halt::Error(error)) => return Err(error),
        },
        _ => (None, stop),
    };
    let (rank, effective) = (engine.params.rank, engine.effective_rank());
    engine.state.seconds = engine.watch.clock.seconds();
    let mut fit = Fit::new(engine.state, stop);
    fit.tell_of_idle(effective);
    if let Some(Ended { components, report, passes }) = ended {
        let mut all = Array2::zeros((rank, components.ncols()));
        all.slice_mut(s![..components.nrows(), ..]).assign(&components);
        fit.components = all;
        fit.passes += passes;
        fit.trust = Some(Trust::of(&report, rank, stop));
        fit.report = Some(report);
    }
    Ok(fit)
}

/// Finished components.
struct Ended<T> {
    components: Array2<T>,
    report: AutoReport,
    /// Passes over the full samples that the end took.
    passes: usize,
}

fn end<T: Real>(
    engine: &mut Engine<'_, T>,
    samples: &dyn Samples<T>,
    run: &Run<'_, T>,
    best: Candidate<T>,
) -> Result<Ended<T>, Halt> {
    let (Some(auto), Some(basis)) = (engine.state.auto.clone(), engine.state.basis.clone()) else {
        return Err(FitError::Checkpoint { reason: "it has no state of its own".into() }.into());
    };
    let spectrum = &auto.spectrum;
    let room = std::mem::take(&mut engine.room);
    let mut bench =
        Bench { projected: &engine.projected, workers: &engine.workers, watch: &engine.watch, room };
    let decoded = bench.decode(&best.components)?;
    let low = low_quantiles(bench.values());
    let certain = best.certain();
    let negative_part = bench.workers.run(|| bench.negative_part(&best.components));
    let evidence = evidence(&decoded, bench.projected.noise);
    let floors: Vec<f64> =
        evidence.iter().zip(&decoded.scales).map(|(&e, scale)| schedule::last(e) * scale).collect();
    let sums = bench.sums(&floors, &noise_floors(&decoded))?;
    let n = bench.projected.n_samples() as f64;
    let on_shares: Vec<f64> = sums.active.iter().map(|&count| count as f64 / n).collect();
    let always_on = |k: &usize| on_shares[*k] > MOSTLY_ON && low[*k] > 0.0;
    let always_on: Vec<usize> = (0..on_shares.len()).filter(always_on).collect();

    let mut components = unprojected(&scaled(&best.components, &decoded), &basis, spectrum.unit);
    let (negative_share, negative_shares) = negative_shares(&components);
    let non_negative = engine.non_negative && !engine.params.signed;
    let given = matches!(best.origin, Origin::Given | Origin::GivenRepaired);
    let foreign = best.inclusions > 0
        || negative_share > FOREIGN_SHARE
        || (negative_part > FOREIGN_PART && spectrum.gap() < NO_GAP)
        || (spectrum.noise > 0.0 && !always_on.is_empty());
    let fall_back = non_negative && foreign && !given && !certain;
    let mut passes = 0;
    if spectrum.noise > 0.0 && !fall_back {
        let products = full_products(&bench, samples)?;
        // Weights are in the units of the decoded values; components were scaled to a largest weight of one.
        let unscaled = unprojected(&best.components, &basis, spectrum.unit);
        let solved = bench
            .workers
            .run(|| advance(&unscaled, products.view(), &sums.sums.gram(), Inner::Exact, Step::Safe, 0))?;
        components = scaled(&solved.components, &decoded);
        passes += 1;
    }
    let stability = if certain {
        let nothing = vec![0.0; best.components.nrows()];
        Stability { resampled: nothing.clone(), noise: nothing.clone(), mixed: nothing }
    } else {
        let decoded = bench.decode(&best.components)?;
        let moments = sums.sums.gram();
        let (features, seed) = (samples.n_features(), engine.params.seed);
        stability(&mut bench, &best.components, &decoded, &moments, features, seed)?
    };
    engine.room = bench.room;
    let before = components.clone();
    let noise = spectrum.noise;
    let ending = Finisher { engine, basis: &basis, samples, run }.non_negative_end(
        &mut components,
        &mut passes,
        Wanted {
            non_negative,
            fall_back,
            negative_share,
            noisy: noise > 0.0,
            always_on: !always_on.is_empty(),
        },
    )?;
    let value_size = engine.projected.size / (n * samples.n_features() as f64).sqrt();
    let expected = noise * (engine.effective_rank() as f64 * n / 2.0).sqrt() / engine.projected.size;
    let report = AutoReport {
        origin: if ending == Ending::Nmf { Origin::Nmf } else { best.origin },
        ending,
        certain,
        inclusions: best.inclusions,
        negative_part,
        expected_negative_part: expected,
        negative_share,
        negative_shares,
        noise: if value_size > 0.0 { noise / value_size } else { 0.0 },
        singular_gap: spectrum.gap(),
        on_shares,
        always_on,
        background: background(&components),
        moved: sines(&before, &components),
        resampled: stability.resampled,
        noise_errors: stability.noise,
        mixed: stability.mixed,
    };
    Ok(Ended { components, report, passes })
}

/// Components multiplied by their largest decoded weights, which then are one.
fn scaled<T: Real>(components: &Array2<T>, decoded: &Decoded<T>) -> Array2<T> {
    let mut scaled = components.clone();
    scale_rows(&mut scaled, &decoded.scales);
    scaled
}

/// The value below which the smallest weights of each component lie.
fn low_quantiles<T: Real>(values: &Array2<T>) -> Vec<f64> {
    let place = (values.nrows() as f64 * LOW_QUANTILE) as usize;
    let quantile = |column: ndarray::ArrayView1<'_, T>| {
        let mut sorted: Vec<f64> = column.iter().map(|v| v.as_f64()).collect();
        *sorted.select_nth_unstable_by(place, f64::total_cmp).1
    };
    values.columns().into_iter().map(quantile).collect()
}

/// Norm of the negative values relative to all: of the whole matrix, and of each row.
fn negative_shares<T: Real>(components: &Array2<T>) -> (f64, Vec<f64>) {
    let squares = |row: ndarray::ArrayView1<'_, T>| {
        row.iter().fold((0.0, 0.0), |(negative, all): (f64, f64), v| {
            let v = v.as_f64();
            (negative + v.min(0.0).powi(2), all + v * v)
        })
    };
    let rows: Vec<(f64, f64)> = components.outer_iter().map(squares).collect();
    let share = |(negative, all): (f64, f64)| if all > 0.0 { (negative / all).sqrt() } else { 0.0 };
    let total = rows.iter().fold((0.0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    (share(total), rows.into_iter().map(share).collect())
}

/// Sines between the rows of two matrices.
pub(super) fn sines<T: Real>(a: &Array2<T>, b: &Array2<T>) -> Vec<f64> {
    let sine = |(a, b): (ndarray::ArrayView1<'_, T>, ndarray::ArrayView1<'_, T>)| {
        let (one, other) = (length(a), length(b));
        if one == 0.0 || other == 0.0 {
            return 1.0;
        }
        let cosine: f64 = a.iter().zip(b).map(|(x, y)| x.as_f64() / one * (y.as_f64() / other)).sum();
        // From the difference, since a cosine near one has lost the digits of its sine.
        let rest = a.iter().zip(b).map(|(x, y)| x.as_f64() / one - cosine * y.as_f64() / other);
        rest.map(|v| v * v).sum::<f64>().sqrt()
    };
    a.outer_iter().zip(b.outer_iter()).map(sine).collect()
}

/// Σ y zᵀ over the full samples, with the thresholded weights of the projected ones, rank × features.
fn full_products<T: Real>(bench: &Bench<'_, T>, samples: &dyn Samples<T>) -> Result<Array2<T>, Halt> {
    let values = bench.values();
    let (rank, features, sparse) = (values.ncols(), samples.n_features(), samples.is_sparse());
    let zero = T::from_f64(0.0);
    let sums = bench.workers.run(|| {
        fold(
            samples,
            &FoldPlan::new(samples, rank * features),
            &|| WeightedSums::new(rank, features, sparse),
            &|sums: &mut WeightedSums<T>, first, block| {
                bench.watch.check()?;
                let mut weights = values.slice(s![first..first + block.n_samples(), ..]).to_owned();
                if let Some(multipliers) = &bench.projected.multipliers {
                    scale_rows(&mut weights, &multipliers[first..]);
                }
                let active = weights.iter().filter(|&&v| v != zero).count() as u64;
                sums.add(&block, weights.view(), active, &mut SumBuffers::default());
                Ok::<(), Halt>(())
            },
            &|left, right| left.merge(right),
        )
    })?;
    Ok(sums.products().as_standard_layout().into_owned())
}

/// What the end is to be.
struct Wanted {
    non_negative: bool,
    fall_back: bool,
    negative_share: f64,
    noisy: bool,
    always_on: bool,
}

/// Makes components non-negative.
struct Finisher<'e, 'a, 'r, T: Real> {
    engine: &'e Engine<'a, T>,
    basis: &'e Array2<T>,
    samples: &'e dyn Samples<T>,
    run: &'e Run<'r, T>,
}

impl<T: Real> Finisher<'_, '_, '_, T> {
    fn non_negative_end(
        &self,
        components: &mut Array2<T>,
        passes: &mut usize,
        wanted: Wanted,
    ) -> Result<Ending, Halt> {
        if !wanted.non_negative {
            return Ok(Ending::Signed);
        }
        let clipped = components.mapv(|v| if v > T::from_f64(0.0) { v } else { T::from_f64(0.0) });
        if wanted.fall_back {
            let nmf = self.nmf(clipped.nrows())?;
            // Where weights never come near zero a tight cone fits well and is wrong: the fit cannot decide.
            let found =
                if wanted.always_on { None } else { Some(self.hals(clipped.clone(), None, 1, true)?) };
            if found.is_some_and(|found| loss(&found) < (1.0 - BETTER_FIT).powi(2) * loss(&nmf)) {
                *components = self.hals(clipped, None, HALS_STAGES, true)?.components;
                return Ok(Ending::Hals);
            }
            let full = self.hals(nmf.components, nmf.weights, FULL_STAGES, false)?;
            *passes += FULL_STAGES;
            *components = full.components;
            return Ok(Ending::Nmf);
        }
        if wanted.negative_share <= ROUNDING_SHARE && !wanted.noisy {
            *components = clipped;
            return Ok(Ending::Clipped);
        }
        if wanted.negative_share > SWEEP_SHARE {
            *components = self.hals(clipped, None, HALS_STAGES, true)?.components;
            return Ok(Ending::Hals);
        }
        // Noise is in all directions: the one sweep must see the samples as they are.
        *components = self.hals(clipped, None, 1, !wanted.noisy)?.components;
        *passes += usize::from(wanted.noisy);
        Ok(Ending::Swept)
    }

    /// Some stages of HALS, in the space of the leading directions or in that of the samples.
    fn hals(
        &self,
        components: Array2<T>,
        weights: Option<Array2<T>>,
        stages: usize,
        projected: bool,
    ) -> Result<Fit<T>, Halt> {
        let seconds = self.engine.watch.clock.seconds();
        let params = HalsParams {
            sweeps: 1,
            max_stages: stages,
            tolerance: 1e-5,
            time_limit: self.engine.params.time_limit.map(|limit| (limit - seconds).max(0.0)),
            seed: self.engine.params.seed,
            ..HalsParams::new(components.nrows())
        };
        let space = if projected { self.space()? } else { Space::Original };
        let factors = Factors { components, weights };
        let fit = improve_by_hals(&params, self.samples, factors, space, &mut self.run.unobserved())?;
        match fit.stop {
            StopReason::Cancelled | StopReason::TimeLimit => Err(Halt::Stop(fit.stop)),
            _ => Ok(fit),
        }
    }

    /// NMF in the space of the leading directions, from their non-negative parts.
    fn nmf(&self, rank: usize) -> Result<Fit<T>, Halt> {
        let Space::Compressed { basis, samples } = self.space()? else {
            return Err(FitError::Overflow { stage: 0 }.into());
        };
        let coordinates = samples.view();
        // The sum of all values, as far as the directions go.
        let along = coordinates.sum_axis(Axis(0));
        let sums: f64 =
            basis.sum_axis(Axis(1)).iter().zip(&along).map(|(b, c)| b.as_f64() * c.as_f64()).sum();
        let mean = sums / (coordinates.nrows() as f64 * basis.ncols() as f64);
        let (components, weights) = from_pairs(
            coordinates,
            basis.view(),
            mean.max(0.0),
            rank,
            NndsvdFill::Mean,
            self.engine.params.seed,
        );
        self.hals(components, Some(weights), HALS_STAGES, true)
    }

    /// The space of the leading directions, the spare ones included, with the samples as they are.
    fn space(&self) -> Result<Space<T>, Halt> {
        let engine = self.engine;
        let Some(auto) = &engine.state.auto else { return Ok(Space::Original) };
        let mut rows = engine.projected.samples.view().mapv(|v| T::from_f64(v.as_f64() * auto.unit()));
        if let Some(multipliers) = &engine.projected.multipliers {
            let back: Vec<f64> = multipliers.iter().map(|&f| if f > 0.0 { 1.0 / f } else { 0.0 }).collect();
            scale_rows(&mut rows, &back);
        }
        let rows = concatenate(Axis(1), &[rows.view(), engine.spare.view()]).expect("one row per sample");
        let basis = concatenate(Axis(0), &[self.basis.view(), auto.spare.view()]).expect("equally wide");
        let rows = rows.as_standard_layout().into_owned();
        let samples = DenseSamples::new(rows).map_err(|_| FitError::Overflow { stage: 0 })?;
        Ok(Space::Compressed { basis, samples })
    }
}

fn loss<T: Real>(fit: &Fit<T>) -> f64 {
    fit.trace.last().and_then(|record| record.loss).unwrap_or(f64::INFINITY)
}
