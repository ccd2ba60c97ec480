//! Counts in a default fit: the metric that makes their noise even before its start, and a finish of likelihood at its end.

use ndarray::Array2;

use super::engine::AutoEngine;
use super::state::unprojected;
use crate::and::{And, Checks};
use crate::constants::CountFinish;
use crate::counts::{CountEnd, CountNoise, finish_counts, recognised};
use crate::fit::{Fit, Run, StageInterrupt, Start, StopMonitor, StopReason};
use crate::objective::Objective;
use crate::samples::{CancellableSamples, Samples};
use crate::trust::{CountReport, Ending, Trust};
use crate::{FitError, Real};

/// The noise of the samples if they are counts, and the fit in their metric. Weights that were given go before.
pub(super) fn in_metric_of_counts<T: Real>(
    and: &And,
    samples: &dyn Samples<T>,
    start: &Start<T>,
    run: &Run<'_, T>,
) -> Result<Option<(And, CountNoise)>, FitError> {
    let params = and.params();
    if !and.objective().metric.is_plain() || params.signed {
        return Ok(None);
    }
    // A resumed run needs the metric that its checkpoint belongs to: this cannot be stopped.
    let monitor = match start {
        Start::Resume(_) => StopMonitor::new(&Run::<T>::new(), None, 0.0),
        _ => StopMonitor::new(run, params.time_limit, 0.0),
    };
    let stop = || monitor.reason().is_some();
    let watched = CancellableSamples { samples, stop: &stop };
    let found = run.workers()?.run(|| recognised(&watched, params.noise, params.rank, params.seed, &monitor));
    let noise = match found.map_err(|halt| stopped(halt, &monitor)) {
        Ok(Some(noise)) if noise.sums.totals.iter().any(|&total| total > 0.0) => noise,
        Ok(_) => return Ok(None),
        // A start that was given is the result of a run that is stopped before its first stage.
        Err(FitError::StoppedBeforeStart) if !matches!(start, Start::Auto) => return Ok(None),
        Err(error) => return Err(error),
    };
    let objective = Objective { metric: noise.metric()?, ..and.objective().clone() };
    // The metric has evened out what totals do to the noise, not how far samples differ.
    let mut constants = *and.constants();
    constants.projection.few_long = 0.0;
    Ok(Some((and.clone().with_constants(constants).with_objective(objective), noise)))
}

fn stopped(halt: StageInterrupt, monitor: &StopMonitor<'_>) -> FitError {
    let halt = match halt {
        StageInterrupt::Error(error) => monitor.interrupt(error),
        stop => stop,
    };
    match halt {
        StageInterrupt::Stop(_) => FitError::StoppedBeforeStart,
        StageInterrupt::Error(error) => error,
    }
}

/// The components that the stages found, in the units of the samples; `None` if there are none.
pub(super) fn found_components<T: Real>(engine: &AutoEngine<'_, T>) -> Option<Array2<f64>> {
    let best = engine.state.best(&engine.constants.search)?;
    let mut components = unprojected(&best.components, &engine.state.basis, engine.state.unit());
    engine.state.objective.metric.unscale(&mut components);
    Some(components.mapv(|v| v.as_f64()))
}

/// Finishes a fit to counts.
pub(super) fn finish<T: Real>(
    mut fit: Fit<T>,
    (samples, noise): (&dyn Samples<T>, &CountNoise),
    and: &And,
    found: Option<Array2<f64>>,
    run: &Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let whole = matches!(fit.stop, StopReason::Converged | StopReason::MaxStages);
    let Some(found) = found.filter(|_| whole && fit.report.is_some()) else { return Ok(fit) };
    let (params, constants) = (and.params(), &and.constants().counts);
    let judged = params.trust == Checks::Auto;
    let remaining = params.time_limit.map(|limit| (limit - fit.seconds).max(0.0));
    let monitor = StopMonitor::new(run, remaining, 0.0);
    let stop = || monitor.reason().is_some();
    let watched = CancellableSamples { samples, stop: &stop };
    let ended = run
        .workers()?
        .run(|| finish_counts(&watched, &found, noise, constants, (params.seed, judged, &monitor)));
    let ended = match ended {
        Ok(ended) => Some(ended),
        Err(halt) => match halt {
            StageInterrupt::Error(error) => match monitor.interrupt(error) {
                StageInterrupt::Stop(reason) => {
                    fit.stop = reason;
                    None
                }
                StageInterrupt::Error(error) => return Err(error),
            },
            StageInterrupt::Stop(reason) => {
                fit.stop = reason;
                None
            }
        },
    };
    fit.seconds += monitor.clock.seconds();
    let Some(report) = &mut fit.report else { return Ok(fit) };
    let Some(CountEnd { finish, components, held_out, shares, errors }) = ended else { return Ok(fit) };
    let (mean_shares, share_covariance) = moments(&shares);
    report.counts = Some(CountReport {
        dispersion: noise.dispersion,
        overdispersion: noise.overdispersion,
        held_out: held_out.into_iter().map(|(finish, score)| (name(finish).to_owned(), score)).collect(),
        mean_shares,
        share_covariance,
    });
    if let Some(components) = components {
        report.ending = match finish {
            CountFinish::Likelihood => Ending::Likelihood,
            CountFinish::Priors => Ending::Priors,
            _ => Ending::Profiles,
        };
        report.rerun = errors;
        let out_of_stages = fit.stop == StopReason::MaxStages;
        let trust = || Trust::of(report, params.rank, out_of_stages, &and.constants().trust);
        fit.trust = judged.then(trust);
        fit.components.slice_mut(ndarray::s![..components.nrows(), ..]).assign(&components.mapv(T::from_f64));
    }
    Ok(fit)
}

fn name(finish: CountFinish) -> &'static str {
    match finish {
        CountFinish::Auto => "auto",
        CountFinish::Stages => "stages",
        CountFinish::Likelihood => "likelihood",
        CountFinish::Priors => "priors",
        CountFinish::Profiles => "profiles",
    }
}

/// Mean and covariance of shares over the samples.
fn moments(shares: &Array2<f32>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (n, rank) = shares.dim();
    let n = n.max(1) as f64;
    let (mut mean, mut second) = (vec![0.0; rank], vec![vec![0.0; rank]; rank]);
    for row in shares.outer_iter() {
        let row: Vec<f64> = row.iter().map(|&v| f64::from(v)).collect();
        for k in 0..rank {
            mean[k] += row[k] / n;
            for l in 0..=k {
                second[k][l] += row[k] * row[l] / n;
            }
        }
    }
    for k in 0..rank {
        for l in 0..=k {
            second[k][l] -= mean[k] * mean[l];
            second[l][k] = second[k][l];
        }
    }
    (mean, second)
}
