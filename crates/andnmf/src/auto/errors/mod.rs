//! Checks of a finished fit that show the error of each component.
//!
//! * **A refit** (`simulate`): samples are drawn from the answer, with noise as strong as its residual, and fitted from there
//!   as the samples were, ending included. The distance of those components from the ones they were drawn from is the
//!   error that the same fit makes where the answer is the truth; negative weights that the refit has not speak against it.
//! * **Other answers** (`feasible`): how far components can move towards each other, or apart, while the samples stay
//!   explained by non-negative weights and components; and how far they must move because weights are negative.
//! * **Misfit**: what the answer leaves of the samples beyond their noise.
//!
//! All read a random part of the samples where there are many. [`crate::trust`] makes intervals and a verdict of them.
//!
//! **Reference.** Parametric bootstrap: Efron & Tibshirani, 1993.

mod feasible;
mod simulate;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ndarray::{Array2, s};

use self::feasible::Feasible;
use self::simulate::{Mixture, draw_counts};
use super::shares::nearest_sines;
use super::stability::part_of_samples;
use crate::and::{And, AndParams, Checks};
use crate::constants::CountFinish;
use crate::counts::{CountNoise, Noise};
use crate::fit::{Fit, Run, StageRecord, StageView, Start, StopMonitor, StopReason};
use crate::linalg::product::multiply;
use crate::linalg::symmetric::gram_inverse;
use crate::nnls::{self, NnlsError};
use crate::objective::ScaledSamples;
use crate::random::{Stream, numbered_generator};
use crate::samples::{Block, DenseSamples, SampleSubset, Samples, gather};
use crate::trust::{Ending, ErrorEvidence, FitReport, Trade, Trust};
use crate::{FitError, Real, counts};

/// The number of the random part of the samples that is checked; other numbers serve other purposes.
const CHECKED_PART: usize = 64;

/// What receives the stages of a refit.
type Listener<'l> = dyn FnMut(&StageRecord) -> ControlFlow<()> + 'l;

/// A finished fit to be checked.
struct Checked<'c, 'r, T: Real> {
    samples: &'c dyn Samples<T>,
    and: &'c And,
    noise: Option<&'c CountNoise>,
    report: &'c FitReport,
    components: Array2<T>,
    run: &'c Run<'r, T>,
    monitor: &'c StopMonitor<'c>,
    /// Seconds that are left to the checks; `None` without a limit.
    limit: Option<f64>,
}

/// The answer on the samples that are checked.
enum Answer {
    Mixture(Mixture),
    Counts { components: Array2<f64>, weights: Array2<f64> },
}

/// Adds what checks show about the components to a finished fit, and judges it by that.
pub(super) fn checked<T: Real>(
    mut fit: Fit<T>,
    samples: &dyn Samples<T>,
    (and, noise): (&And, Option<&CountNoise>),
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let params = and.params();
    let whole = matches!(fit.stop, StopReason::Converged | StopReason::MaxStages);
    let Some(mut report) = fit.report.take_if(|_| whole && params.trust == Checks::Auto) else {
        return Ok(fit);
    };
    let limit = params.time_limit.map(|limit| (limit - fit.seconds).max(0.0));
    let monitor = StopMonitor::new(run, limit, 0.0);
    let found = report.on_shares.len();
    let components = fit.components.slice(s![..found, ..]).to_owned();
    // Distributed samples cannot be drawn from, and exact components need no check.
    if !report.is_certain() && found > 0 && samples.executor().is_none() {
        let quiet = run.without_observer::<T>();
        let checked = Checked {
            samples,
            and,
            noise,
            report: &report,
            components,
            run: &quiet,
            monitor: &monitor,
            limit,
        };
        let evidence = checked.evidence(&mut |record| run.notify_refit(record))?;
        fit.passes += usize::from(evidence.is_some());
        report.errors = evidence;
    }
    fit.seconds += monitor.clock.seconds();
    let out_of_stages = fit.stop == StopReason::MaxStages;
    fit.trust = Some(Trust::of(&report, params.rank, out_of_stages, &and.constants().trust));
    fit.report = Some(report);
    Ok(fit)
}

impl<T: Real> Checked<'_, '_, T> {
    /// `None` if there was no time. The listener receives the stages of the refit, and may end it.
    fn evidence(&self, listener: &mut Listener<'_>) -> Result<Option<ErrorEvidence>, FitError> {
        let constants = &self.and.constants().errors;
        let numbers = self.numbers();
        let simulated = numbers.len();
        let (answer, feasible) = match self.answer(numbers) {
            Ok(Some(found)) => found,
            Err(FitError::Samples(error)) if self.monitor.reason().is_none() => return Err(error.into()),
            // Without weights there is nothing to draw samples from.
            _ => return Ok(None),
        };
        let Some((sines, negative_part)) = self.refit(&answer, listener)? else { return Ok(None) };
        // The error by chance falls as the root of the number of samples.
        let more = (simulated as f64 / self.kept().max(1) as f64).sqrt();
        Ok(Some(ErrorEvidence {
            refit: sines.iter().map(|sine| more * sine).collect(),
            negative_part,
            simulated,
            towards: Feasible::total(&feasible.towards),
            away: Feasible::total(&feasible.away),
            forced: Feasible::total(&feasible.forced),
            misfit: match &answer {
                Answer::Mixture(mixture) => mixture.misfit(self.report.noise, constants.misfit_amplified),
                Answer::Counts { .. } => 0.0,
            },
            trades: trades(&feasible, constants.named_trade),
        }))
    }

    fn kept(&self) -> usize {
        self.samples.n_samples() - self.report.set_aside.len()
    }

    /// The samples that are checked, in order.
    fn numbers(&self) -> Vec<usize> {
        let constants = &self.and.constants().errors;
        let aside: BTreeSet<usize> = self.report.set_aside.iter().copied().collect();
        let all: Vec<usize> = (0..self.samples.n_samples()).filter(|i| !aside.contains(i)).collect();
        let (n, width) = (all.len(), self.samples.n_features().max(1));
        let per_sample = match self.noise {
            Some(_) => (self.samples.stored_values() / self.samples.n_samples().max(1)).max(1),
            None => width,
        };
        let share = (constants.all_values as f64 / (n * per_sample).max(1) as f64).sqrt().min(1.0);
        let least = constants.samples_per_component * self.components.nrows();
        let most = if self.noise.is_some() { n } else { (constants.most_values / width).max(2) };
        let wanted = ((n as f64 * share) as usize).max(least).min(n).min(most);
        if wanted == n {
            return all;
        }
        let mut rng = numbered_generator(self.and.params().seed, Stream::Subsets, CHECKED_PART);
        let part = part_of_samples(n, (wanted as f64 + 0.5) / n as f64, &mut rng);
        part.into_iter().map(|i| all[i]).collect()
    }

    /// The answer on these samples, and how far it could move; `None` if its components depend on each other.
    fn answer(&self, numbers: Vec<usize>) -> Result<Option<(Answer, Feasible)>, FitError> {
        let constants = &self.and.constants().errors;
        let run = self.run.without_observer();
        if self.noise.is_some() {
            let subset = SampleSubset { samples: self.samples, numbers };
            let weights = counts::weights(&subset, self.components.view(), &run).map_err(as_fit_error)?;
            let weights = weights.mapv(|v| v.as_f64());
            let components = self.components.mapv(|v| v.as_f64().max(0.0));
            let feasible =
                Feasible::new(&shares(&weights), &vec![0.0; components.nrows()], &components, constants);
            return Ok(Some((Answer::Counts { components, weights }, feasible)));
        }
        let metric = &self.and.objective().metric;
        let scaled = ScaledSamples::new(self.samples, metric);
        let mut components = self.components.clone();
        metric.scale(&mut components);
        // Read once: the samples may be in a file.
        let rows: Array2<T> = match gather(&scaled, &numbers)? {
            Block::Dense(rows) => rows.into_owned(),
            sparse => {
                let mut rows = Array2::zeros((sparse.n_samples(), sparse.n_features()));
                sparse.for_each(|i, j, v| rows[[i, j]] += v);
                rows
            }
        };
        let part = DenseSamples::new(rows.view())?;
        let weights = nnls::weights(&part, components.view(), &run).map_err(as_fit_error)?;
        let rows = rows.mapv_into_any(|v| v.as_f64());
        let components = components.mapv(|v| v.as_f64());
        let Some(inverse) = gram_inverse(multiply(components.view(), components.t()).view()) else {
            return Ok(None);
        };
        let decoded = multiply(multiply(rows.view(), components.t()).view(), inverse.view());
        let mixture = Mixture::new(components, weights.mapv(|v| v.as_f64()), &rows);
        let noise = mixture.mean_noise();
        let deviations: Vec<f64> = inverse.diag().iter().map(|v| noise * v.max(0.0).sqrt()).collect();
        let feasible = Feasible::new(&decoded, &deviations, &mixture.components, constants);
        Ok(Some((Answer::Mixture(mixture), feasible)))
    }

    /// The sines between the components and those of a fit to samples drawn from the answer, and its negative part; `None`
    /// without time.
    fn refit(
        &self,
        answer: &Answer,
        listener: &mut Listener<'_>,
    ) -> Result<Option<(Vec<f64>, f64)>, FitError> {
        let own = self.and.params();
        let noise = if self.noise.is_some() { Noise::Poisson } else { Noise::Gaussian };
        let remaining = self.limit.map(|limit| (limit - self.monitor.clock.seconds()).max(0.0));
        let params = AndParams {
            rank: self.components.nrows(),
            noise,
            trust: Checks::Off,
            time_limit: remaining,
            ..own.clone()
        };
        let mut constants = *self.and.constants();
        // What the search and the comparison of finishes chose is taken as known: they take much longer than the rest.
        constants.counts.most_moves = 0;
        constants.counts.finish = match self.report.ending {
            Ending::Likelihood => CountFinish::Likelihood,
            Ending::Priors => CountFinish::Priors,
            Ending::Profiles => CountFinish::Profiles,
            _ => constants.counts.finish,
        };
        let inner = params.check()?.with_constants(constants);
        let mut rng = numbered_generator(own.seed, Stream::Noise, CHECKED_PART);
        let metric = &self.and.objective().metric;
        // A search from the data would fail where the first may have, or not: by chance, at components that are right.
        let start = |components: &Array2<f64>| Start::Given(components.mapv(T::from_f64));
        let mut ended = false;
        let mut observer = |view: &StageView<'_, T>| {
            let flow = listener(view.record);
            ended |= flow.is_break();
            flow
        };
        let mut run = self.run.without_observer().observe(&mut observer);
        let fit = match answer {
            Answer::Mixture(mixture) => {
                let rows = DenseSamples::new(mixture.draw::<T>(&mut rng))?;
                super::fit(&inner, &rows, start(&mixture.components), &mut run)
            }
            Answer::Counts { components, weights } => {
                let phi = self.noise.map_or(0.0, |noise| noise.overdispersion);
                let rows = draw_counts::<T>(components, weights, phi, &mut rng)?;
                super::fit(&inner, &rows, start(components), &mut run)
            }
        };
        if ended || self.monitor.reason().is_some() {
            return Ok(None);
        }
        // A refit that fails counts against all components.
        let Ok(mut fit) = fit else { return Ok(Some((vec![1.0; self.components.nrows()], 1.0))) };
        if self.noise.is_none() {
            metric.unscale(&mut fit.components);
        }
        let negative = fit.report.as_ref().map_or(0.0, |report| report.negative_part);
        Ok(Some((nearest_sines(&self.components, &fit.components), negative)))
    }
}

/// The pairs of components that can trade the most, each once, by the largest move.
fn trades(feasible: &Feasible, least: f64) -> Vec<Trade> {
    let rank = feasible.towards.nrows();
    let mut found = Vec::new();
    for i in 0..rank {
        for j in 0..i {
            let sine = [(i, j), (j, i)]
                .into_iter()
                .flat_map(|at| [feasible.towards[at], feasible.away[at]])
                .fold(0.0, f64::max);
            if sine > least {
                found.push(Trade { components: [j, i], sine });
            }
        }
    }
    found.sort_by(|a, b| b.sine.total_cmp(&a.sine));
    found
}

/// The share of each component in the sum of a sample's weights.
fn shares(weights: &Array2<f64>) -> Array2<f64> {
    let mut shares = weights.clone();
    for mut row in shares.outer_iter_mut() {
        let sum = row.sum();
        row.mapv_inplace(|v| if sum > 0.0 { v / sum } else { 0.0 });
    }
    shares
}

fn as_fit_error(error: NnlsError) -> FitError {
    match error {
        NnlsError::Samples(error) => error.into(),
        NnlsError::Shape(error) => error.into(),
        NnlsError::Threads { threads, reason } => FitError::Threads { threads, reason },
        _ => FitError::Overflow { stage: 0 },
    }
}
