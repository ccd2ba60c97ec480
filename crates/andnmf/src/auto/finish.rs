//! The end of a run: from the projected space of the stages back to that of the samples.

use ndarray::{Array2, CowArray, s};

use super::background::background;
use super::background_component::without_background;
use super::candidate::Candidate;
use super::decoded::{Decoded, Evaluator};
use super::descent::{evidence, noise_floors};
use super::ending::{EndConditions, EndResult, Finisher};
use super::engine::AutoEngine;
use super::hals_runs::HalsRuns;
use super::projected::Signs;
use super::retry::retried;
use super::schedule::Rules;
use super::search::Phase;
use super::shares::{clipped, low_quantiles, nearest_sines, negative_shares, sines};
use super::stability::{Stability, noise_errors, stability};
use super::state::{AutoState, SearchSide, unprojected};
use super::volume_end::{VolumeEnd, VolumeEnded, Volumes};
use crate::and::{Checks, StageQuery, StageWeights, Step, StepsPerStage, advance};
use crate::fit::{Fit, Run, StageInterrupt, StopReason};
use crate::linalg::product::scale_rows;
use crate::query::{self, MaybeOwned};
use crate::samples::{CancellableSamples, Samples};
use crate::trust::{Ending, FitReport, Origin, Reason, Trust};
use crate::{FitError, Real};

/// Turns the final state of a run into a fit.
pub(super) fn finish<T: Real>(
    mut engine: AutoEngine<'_, T>,
    samples: &dyn Samples<T>,
    run: &Run<'_, T>,
    stop: StopReason,
) -> Result<Fit<T>, FitError> {
    let whole = matches!(stop, StopReason::Converged | StopReason::MaxStages);
    let best = engine.state.best(&engine.constants.search);
    let (result, stop) = match &best {
        Some(best) if whole => match end(&engine, samples, run, best.clone()) {
            Ok(result) => (Some(result), stop),
            // Stopped during the ending: the result of the stages is kept.
            Err(StageInterrupt::Stop(reason)) => (None, reason),
            Err(StageInterrupt::Error(error)) => return Err(error),
        },
        _ => (None, stop),
    };
    let (rank, effective, constants) = (engine.params.rank, engine.effective_rank(), engine.constants);
    let judged = engine.params.trust == Checks::Auto;
    let objective = engine.state.objective.clone();
    let padded = |components: &Array2<T>| {
        let mut all = Array2::zeros((rank, components.ncols()));
        all.slice_mut(s![..components.nrows(), ..]).assign(components);
        objective.metric.unscale(&mut all);
        all
    };
    let unfinished =
        best.filter(|_| result.is_none()).and_then(|best| best_of_unfinished(&engine.state, &best));
    engine.header.seconds = engine.monitor.clock.seconds();
    let compressed_to = Some(engine.state.basis.nrows());
    let mut ever_active = engine.state.progress.ever_active.clone();
    let search_stages = engine.header.stages.saturating_sub(engine.state.progress.search.final_stages());
    let mut fit = Fit { compressed_to, search_stages, ..Fit::new(engine.header, engine.state, stop) };
    ever_active.truncate(effective);
    if let Some(last) = result.as_ref().and_then(|whole| whole.last.as_ref()) {
        fit.thresholds.clone_from(&last.thresholds);
        fit.thresholds.resize(rank, 1.0);
        ever_active.clone_from(&last.ever_active);
    }
    fit.warn_never_active(&ever_active);
    fit.trust = judged.then(|| Trust::without_evidence(Reason::Stopped, rank));
    if let Some(components) = unfinished {
        fit.components = padded(&components);
    }
    if let Some(FinishedFit { components, report, passes, .. }) = result {
        fit.components = padded(&components);
        fit.passes += passes;
        fit.trust = judged.then(|| Trust::of(&report, rank, stop == StopReason::MaxStages, &constants.trust));
        fit.report = Some(report);
    }
    Ok(fit)
}

/// The components of a run that was stopped while it tried another start: the best of those before. (Those of a long
/// descent are on their way from the best to better ones.)
fn best_of_unfinished<T: Real>(state: &AutoState<T>, best: &Candidate<T>) -> Option<Array2<T>> {
    let progress = &state.progress;
    let descending = matches!(progress.search.phase, Phase::Long { .. } | Phase::LongAgain)
        && matches!(progress.side, SearchSide::Samples);
    (!descending).then(|| unprojected(&best.components, &state.basis, state.unit()))
}

/// Finished components and their evidence.
struct FinishedFit<T> {
    components: Array2<T>,
    report: FitReport,
    /// Passes over the full samples that the ending took.
    passes: usize,
    /// The last stage of the components, if they do not come from the run's own stages.
    last: Option<FinalStage>,
}

/// Values of the last stage that a fit reports.
struct FinalStage {
    thresholds: Vec<f64>,
    ever_active: Vec<bool>,
}

fn end<T: Real>(
    engine: &AutoEngine<'_, T>,
    samples: &dyn Samples<T>,
    run: &Run<'_, T>,
    best: Candidate<T>,
) -> Result<FinishedFit<T>, StageInterrupt> {
    let (constants, rules) = (engine.constants, Rules(&engine.constants.schedule));
    let (basis, spectrum) = (&engine.state.basis, &engine.state.progress.spectrum);
    let judged = engine.params.trust == Checks::Auto;
    let finisher = Finisher { runs: HalsRuns::new(engine, samples, run), judged };
    let best = match without_background(engine, &best)? {
        Some(best) => best,
        None => retried(&finisher.runs, best)?,
    };
    let mut evaluator = engine.evaluator();
    let decoded = evaluator.decode(&best.components)?;
    let low = low_quantiles(evaluator.values(), constants.end.low_quantile);
    let certain = best.certain(&constants.search);
    let negative_part = evaluator.workers.run(|| evaluator.negative_part(&best.components));
    let evidence = evidence(&decoded, evaluator.projected.noise);
    let floors: Vec<f64> =
        evidence.iter().zip(&decoded.scales).map(|(&e, scale)| rules.last(e) * scale).collect();
    let noise_floors = noise_floors(&decoded, evaluator.projected, &constants.schedule);
    let sums = evaluator.sums(&floors, noise_floors.clone())?;
    let n = evaluator.projected.n_samples() as f64;
    let on_shares: Vec<f64> = sums.decoded().active.iter().map(|&count| count as f64 / n).collect();
    let last = (best.origin == Origin::Hals).then(|| FinalStage {
        thresholds: evidence.iter().map(|&e| rules.last(e)).collect(),
        ever_active: sums.decoded().active.iter().map(|&count| count > 0).collect(),
    });
    let always_on = |k: &usize| on_shares[*k] > constants.end.mostly_on && low[*k] > 0.0;
    let always_on: Vec<usize> = (0..on_shares.len()).filter(always_on).collect();

    let mut components = unprojected(&scaled(&best.components, &decoded), basis, spectrum.unit);
    let (negative_share, negative_shares) = negative_shares(&components);
    let signs = if engine.params.signed { Signs::Any } else { engine.signs };
    let given = matches!(best.origin, Origin::Given | Origin::GivenRepaired);
    // Noise that makes samples negative makes components negative, too: their sign then says nothing.
    let foreign = signs == Signs::Positive
        && (best.inclusions > 0
            || negative_share > constants.end.foreign_share
            || (negative_part > constants.end.foreign_part && spectrum.gap() < constants.trust.no_gap));
    let replaceable = signs != Signs::Any && !given && !certain;
    let foreign = foreign && replaceable;
    let weights_on = replaceable && !always_on.is_empty();
    let noisy = replaceable && spectrum.noise > 0.0 && best.components.nrows() > 1;
    let volume = if noisy { VolumeEnd::new(engine, &best) } else { None };
    let evidence = volume.as_ref().map(VolumeEnd::evidence);
    let kept = evidence.is_some_and(|evidence| evidence.keeps_stages());
    // Zeros of the components have decided: weights that are always active are no evidence against them.
    let by_features = best.origin == Origin::Features;
    let kept = kept || by_features;
    let (foreign, weights_on) = (foreign && !kept, weights_on && !kept);
    // With zeros in the components HALS decides; without them, the least volume. Where no gap of the singular values sets
    // the components apart from noise, only shares that are as the likelihood says can.
    let above_noise = spectrum.gap() >= constants.trust.no_gap;
    let few_zeros = volume.as_ref().is_some_and(|volume| volume.few_zeros(&components));
    let spectra = above_noise && few_zeros;
    let trusted = if above_noise { Volumes::All } else { Volumes::Joint };
    let volume = match volume.filter(|_| !kept && few_zeros) {
        Some(volume) => volume.components(&best, judged, trusted)?,
        None => None,
    };
    // Neither zeros of the weights nor a volume hold the components: HALS, whose weights and components are not negative.
    let unsupported = !kept
        && spectra
        && volume.is_none()
        && evidence.is_some_and(|evidence| evidence.pile_up < constants.volume.piled_up_structured);
    let mut passes = 0;
    if spectrum.noise > 0.0 && !foreign && !weights_on && volume.is_none() && !by_features {
        evaluator.threshold(&floors, noise_floors.as_ref());
        let products = full_products(&evaluator, samples)?;
        // Weights are in the units of the decoded values; components were scaled to a largest weight of one.
        let unscaled = unprojected(&best.components, basis, spectrum.unit);
        let solved = evaluator.workers.run(|| {
            advance(&unscaled, products.view(), &sums.second_moments(), StepsPerStage::Exact, Step::Safe, 0)
        })?;
        components = scaled(&solved, &decoded);
        passes += 1;
    }
    let (moments, rank) = (sums.second_moments(), best.components.nrows());
    let noise_errors = match certain {
        true => vec![0.0; rank],
        false => noise_errors(&evaluator, &best.components, &moments, samples.n_features()),
    };
    let before = components.clone();
    let noise = spectrum.noise;
    let conditions = EndConditions {
        signs,
        foreign,
        always_on: weights_on,
        given: given || by_features,
        negative_share,
        noise_errors: (noise > 0.0).then_some(&noise_errors[..]),
    };
    let result = match volume {
        Some(VolumeEnded { components, rerun }) => {
            EndResult { rerun, ..EndResult::new(components, Ending::MinVolume, 0) }
        }
        None if unsupported => finisher.improved(clipped(&components), f64::INFINITY, true)?,
        None => finisher.end(components, &conditions)?,
    };
    let EndResult { components, ending, drift, rerun, passes: more } = result;
    passes += more;
    // The samples' side cannot vouch for what the zeros of the components have decided.
    let rerun = match by_features && !certain && rerun.is_empty() {
        true => noise_errors
            .iter()
            .map(|noise| noise.hypot(constants.stability.per_zero_level * best.zero_level()))
            .collect(),
        false => rerun,
    };
    let stability = if certain || !judged {
        Stability { resampled: vec![0.0; rank], mixed: vec![0.0; rank] }
    } else if !rerun.is_empty() {
        // The stability of the stages' components says nothing about those of HALS.
        Stability { resampled: Vec::new(), mixed: Vec::new() }
    } else {
        let decoded = evaluator.decode(&best.components)?;
        stability(&mut evaluator, &best.components, &decoded, &moments, engine.params.seed)?
    };
    let compared = judged && replaceable && rank > 1 && rank <= constants.errors.compared;
    let other_ends = match compared {
        true => other_ends(&finisher, &best, (&before, &components), ending)?,
        false => Vec::new(),
    };
    let value_size = engine.projected.size / (n * samples.n_features() as f64).sqrt();
    let expected = noise * (engine.effective_rank() as f64 * n / 2.0).sqrt() / engine.projected.size;
    let report = FitReport {
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
        pile_up: evidence.map(|evidence| evidence.pile_up),
        ending_margin: evidence.map(|evidence| (evidence.pile_up / evidence.limit).ln()),
        on_shares,
        always_on,
        drift,
        background: background(&components, constants.end.background_ignored),
        moved: sines(&before, &components),
        resampled: stability.resampled,
        noise_errors,
        mixed: stability.mixed,
        rerun,
        set_aside: engine.state.set_aside.clone(),
        n_samples: engine.header.n_samples,
        counts: None,
        other_ends,
        errors: None,
    };
    Ok(FinishedFit { components, report, passes, last })
}

/// The distance of each component from those of the endings that were not taken. `before` are the components that the
/// ending began with.
fn other_ends<T: Real>(
    finisher: &Finisher<'_, '_, '_, T>,
    best: &Candidate<T>,
    (before, components): (&Array2<T>, &Array2<T>),
    ending: Ending,
) -> Result<Vec<(String, Vec<f64>)>, StageInterrupt> {
    let mut found = Vec::new();
    let mut compare = |name: &str, other: Result<Option<Array2<T>>, StageInterrupt>| match other {
        Ok(Some(other)) => {
            found.push((name.to_owned(), nearest_sines(components, &other)));
            Ok(())
        }
        // The components are final; no time is left to compare them.
        Ok(None) | Err(StageInterrupt::Stop(_)) => Ok(()),
        Err(error) => Err(error),
    };
    let clipped = clipped(before);
    if !matches!(ending, Ending::Hals | Ending::Nmf) {
        compare("and+hals", finisher.runs.improved(&clipped).map(Some))?;
    }
    // The components of NMF are in doubt anyway.
    if !matches!(ending, Ending::MinVolume | Ending::Nmf) && finisher.runs.engine.projected_noise() > 0.0 {
        let volume = VolumeEnd::new(finisher.runs.engine, best);
        let other = volume.map_or(Ok(None), |volume| volume.components(best, false, Volumes::All));
        compare("min-volume", other.map(|ended| ended.map(|ended| ended.components)))?;
    }
    if matches!(ending, Ending::MinVolume | Ending::Nmf) {
        compare("and", Ok(Some(clipped)))?;
    }
    Ok(found)
}

/// Components multiplied by their largest decoded weights, which then are one.
fn scaled<T: Real>(components: &Array2<T>, decoded: &Decoded<T>) -> Array2<T> {
    let mut scaled = components.clone();
    scale_rows(&mut scaled, &decoded.scales);
    scaled
}

/// Σ y zᵀ over the full samples, with the thresholded weights of the projected ones, rank × features.
fn full_products<T: Real>(
    evaluator: &Evaluator<'_, T>,
    samples: &dyn Samples<T>,
) -> Result<Array2<T>, StageInterrupt> {
    let mut weights = CowArray::from(evaluator.values());
    if let Some(multipliers) = &evaluator.projected.multipliers {
        let mut scaled = weights.into_owned();
        scale_rows(&mut scaled, multipliers);
        weights = scaled.into();
    }
    let rank = weights.ncols();
    let stage = StageQuery {
        weights: StageWeights::Decoded(weights),
        thresholds: vec![T::from_f64(0.0); rank].into(),
        floors: None,
        workspace: MaybeOwned::default(),
    };
    let stop = || evaluator.monitor.reason().is_some();
    let samples = CancellableSamples { samples, stop: &stop };
    let sums = evaluator
        .workers
        .run(|| query::run(&samples, &stage))
        .map_err(|error| evaluator.monitor.interrupt(error))?;
    Ok(sums.products().as_standard_layout().into_owned())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::and::AndParams;
    use crate::auto::state::AutoProgress;
    use crate::fit::{MethodState, Solver, Start};
    use crate::samples::DenseSamples;
    use crate::synth::{DatasetKind, DatasetSpec, Weights};

    #[test]
    fn a_run_that_is_stopped_on_another_start_ends_with_the_best_before() {
        // Components in much company: no start is good, and all kinds are tried.
        let weights = Weights::Paired { sparsity: 3.0, co_occurrence: 0.8, decay_order: None };
        let base = DatasetSpec { noise: 0.01, weights, ..DatasetSpec::new(DatasetKind::Paired) };
        let data = DatasetSpec { rank: 10, n_features: 200, n_samples: 1000, ..base }.generate().unwrap();
        let samples = DenseSamples::new(data.samples).unwrap();
        let mut seen = 0;
        for last in (10..250).step_by(20) {
            let mut stages = 0;
            let mut observer = |_: &crate::fit::StageView<'_, f64>| {
                stages += 1;
                if stages < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let mut run = Run::new().observe(&mut observer);
            let fit = AndParams::new(10).check().unwrap().fit(&samples, Start::Auto, &mut run).unwrap();
            let (_, state) = fit.checkpoint().into_state::<AutoState<f64>>().unwrap();
            let AutoProgress { search, side, .. } = &state.progress;
            let (Phase::Search { .. }, SearchSide::Samples, Some(best)) = (search.phase, side, &search.best)
            else {
                continue;
            };
            let expected = unprojected(&best.components, &state.basis, state.unit());
            assert_eq!(fit.components, expected, "{last}");
            assert_ne!(fit.components, state.components());
            seen += 1;
        }
        assert!(seen > 1, "{seen}");
    }
}
