//! Does what a cell says.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use andnmf::fit::{Fit, Run, Start, StopReason};
use andnmf::metrics::{coherence, correlation_error, reconstruction_error, top_features};
use andnmf::nnls;
use andnmf::samples::{DenseSamples, Samples};
use andnmf::synth::Dataset;
use andnmf::text::{Corpus, TextOptions, VocabularyParams, read_texts};
use andnmf::theory::bounds::CorrelationBounds;
use andnmf::theory::{DecompositionObserver, GeneralCorrelationConditions, strongest_correlations};
use andnmf::{FitError, MethodParams};

use super::cell::{Cell, RealStart, Recovery, Task, TextValues, Truth};
use super::outcome::{CellOutcome, Conditions, Errors, FoundPictures, FoundTopics, Recovered};
use super::thinning::thinned;
use super::{Norms, Sources};
use crate::{ExperimentError, Outcome, StageRow, with_out_of_span_share};

/// Weights drawn to estimate the conditions of the theorems: more than any experiment has, so that the estimate does
/// not depend on how many those are.
const CONDITION_SAMPLES: usize = 20_000;
/// Words that are shown and scored of each topic.
const TOP_WORDS: usize = 10;
/// What is less than this share of the largest value of a component counts as zero.
const NOTHING: f64 = 1e-6;

/// Around the cells: none of this changes a result, times apart.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Data that the caller brought along.
    pub sources: &'a Sources,
    /// Threads to use; all without a number.
    pub threads: Option<usize>,
    /// Set to stop, in the middle of a cell if need be.
    pub stop: Option<&'a AtomicBool>,
}

impl Surroundings<'_> {
    /// Whether to stop.
    pub(super) fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn run(&self) -> Run<'_, f64> {
        let mut run = Run::new();
        if let Some(threads) = self.threads {
            run = run.threads(threads);
        }
        match self.stop {
            Some(stop) => run.cancel_with(stop),
            None => run,
        }
    }
}

/// Does cells, and remembers the data of the last one: neighbours in a plan share them.
#[derive(Debug)]
pub(super) struct Executor<'a> {
    around: Surroundings<'a>,
    data: Option<(Recovery, Arc<Dataset>)>,
    corpus: Option<Corpus<f64>>,
}

/// Why a cell has no result of its own.
enum Trouble {
    /// It was called off: there is nothing to keep.
    Stopped,
    /// It cannot be done, and this is why.
    Failed(String),
}

impl<E: ToString> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

impl<'a> Executor<'a> {
    pub(super) fn new(around: Surroundings<'a>) -> Self {
        Self { around, data: None, corpus: None }
    }

    /// The result of a cell; `None` where it was called off.
    pub(super) fn run(&mut self, cell: &Cell) -> Option<CellOutcome> {
        let outcome = match &cell.task {
            Task::Recovery(recovery) => self.recover(recovery),
            Task::StageLemma(recovery) => self.follow_lemma(recovery),
            Task::Topics { method, from, values, .. } => self.find_topics(method, *from, *values),
            Task::Pictures { method, from, .. } => self.find_pictures(method, *from),
        };
        match outcome {
            Ok(outcome) => Some(outcome),
            Err(Trouble::Stopped) => None,
            // Whatever went wrong while everything was being called off may have gone wrong for that reason.
            Err(Trouble::Failed(_)) if self.around.stopped() => None,
            Err(Trouble::Failed(message)) => Some(CellOutcome::Failed(message)),
        }
    }

    fn data(&mut self, recovery: &Recovery) -> Result<Arc<Dataset>, Trouble> {
        if let Some((known, data)) = &self.data
            && known.experiment.dataset == recovery.experiment.dataset
            && (&known.truth, known.out_of_span_share) == (&recovery.truth, recovery.out_of_span_share)
        {
            return Ok(Arc::clone(data));
        }
        let spec = &recovery.experiment.dataset;
        let mut data = match (&recovery.truth, &self.around.sources.truth) {
            (Truth::BuiltIn, _) => spec.generate()?,
            (Truth::Given(print), Some(truth)) if Sources::print_of(truth) == *print => {
                spec.generate_on(truth.clone())?
            }
            (Truth::Given(_), _) => return Err("the truth that the samples are made of is not there".into()),
        };
        if let Some(share) = recovery.out_of_span_share {
            data = with_out_of_span_share(data, share)?;
        }
        let data = Arc::new(data);
        self.data = Some((recovery.clone(), Arc::clone(&data)));
        Ok(data)
    }

    fn recover(&mut self, recovery: &Recovery) -> Result<CellOutcome, Trouble> {
        let data = self.data(recovery)?;
        let Surroundings { threads, stop, .. } = self.around;
        let mut rows = Vec::new();
        let outcome = recovery.experiment.run_stoppable(&data, threads, stop, &mut |row| {
            rows.push(*row);
            ControlFlow::Continue(())
        });
        let conditions = recovery.conditions.then(|| conditions(recovery)).transpose()?;
        let found = match outcome {
            Ok(outcome) if outcome.stop_reason == StopReason::Cancelled => return Err(Trouble::Stopped),
            Ok(outcome) => recovered(&outcome, &data)?,
            Err(ExperimentError::Fit(FitError::StoppedBeforeStart)) => {
                return Err("nothing was found in the time there was".into());
            }
            // Numbers that leave their range after many stages do not undo those stages.
            Err(error) => broken_off(&rows, &data, error.to_string())?,
        };
        Ok(CellOutcome::Recovered(Recovered { conditions, ..found }))
    }

    fn follow_lemma(&mut self, recovery: &Recovery) -> Result<CellOutcome, Trouble> {
        let data = self.data(recovery)?;
        let mut observer = DecompositionObserver::new(data.truth.clone(), &data.init)?;
        let samples = DenseSamples::new(data.samples.view())?;
        let mut run = self.around.run().observe(&mut observer);
        let solver = recovery.experiment.method.clone().check()?;
        fitted(solver.fit(&samples, Start::Given(data.init.clone()), &mut run))?;
        let norms = observer.norms.iter().map(|&norms| Norms::from(norms));
        let finite = |norms: &Norms| [norms.scale, norms.mixing, norms.outside].iter().all(|v| v.is_finite());
        Ok(CellOutcome::StageLemma(norms.take_while(finite).collect()))
    }

    fn find_topics(
        &mut self,
        method: &MethodParams,
        from: RealStart,
        values: TextValues,
    ) -> Result<CellOutcome, Trouble> {
        if self.corpus.is_none() {
            let Some(path) = &self.around.sources.texts else { return Err("the texts are not there".into()) };
            let vocabulary = VocabularyParams::default();
            let options = TextOptions { words: vocabulary.words, strip_posts: true };
            self.corpus = Some(read_texts(path, &options)?.corpus.with_vocabulary(&vocabulary)?);
        }
        let Some(corpus) = &self.corpus else { return Err("the texts are not there".into()) };
        let samples = match values {
            TextValues::Counts => corpus.counts.clone(),
            TextValues::TfIdf => corpus.tf_idf()?,
        };
        let fit = self.fit(&samples, method, from)?;
        let tops: Vec<Vec<usize>> =
            fit.components.outer_iter().map(|topic| top_features(topic, TOP_WORDS)).collect();
        let scores = coherence(&tops, &corpus.counts)?;
        let words = |top: &Vec<usize>| top.iter().map(|&word| corpus.words[word].clone()).collect();
        Ok(CellOutcome::Topics(FoundTopics {
            topics: tops.iter().map(words).collect(),
            coherence: scores.per_topic,
            mean_coherence: scores.mean,
            size: (samples.n_samples(), samples.n_features()),
            solver_seconds: fit.seconds,
        }))
    }

    fn find_pictures(&mut self, method: &MethodParams, from: RealStart) -> Result<CellOutcome, Trouble> {
        let Some(pictures) = &self.around.sources.pictures else {
            return Err("the pictures are not there".into());
        };
        let samples = DenseSamples::new(pictures.view())?;
        let fit = self.fit(&samples, method, from)?;
        let weights = nnls::weights(&samples, fit.components.view(), &self.around.run())?;
        let residual = reconstruction_error(&samples, weights.view(), fit.components.view())?;
        let zeros = fit.components.outer_iter().map(|component| {
            let largest = component.iter().fold(0.0, |top: f64, v| top.max(v.abs()));
            component.iter().filter(|v| v.abs() <= NOTHING * largest).count() as f64 / component.len() as f64
        });
        Ok(CellOutcome::Pictures(FoundPictures {
            zeros: zeros.sum::<f64>() / fit.components.nrows() as f64,
            components: fit.components.mapv(|value| value as f32),
            residual,
            solver_seconds: fit.seconds,
        }))
    }

    fn fit(
        &self,
        samples: &dyn Samples<f64>,
        method: &MethodParams,
        from: RealStart,
    ) -> Result<Fit<f64>, Trouble> {
        let start = match from {
            RealStart::Own => Start::Auto,
            RealStart::RandomSamples => Start::RandomSamples,
        };
        fitted(method.clone().check()?.fit(samples, start, &mut self.around.run()))
    }
}

/// A fit that came to its end.
fn fitted(fit: Result<Fit<f64>, FitError>) -> Result<Fit<f64>, Trouble> {
    match fit? {
        fit if fit.stop == StopReason::Cancelled => Err(Trouble::Stopped),
        fit => Ok(fit),
    }
}

fn conditions(recovery: &Recovery) -> Result<Conditions, Trouble> {
    let spec = &recovery.experiment.dataset;
    let weights = spec.weights.draw(CONDITION_SAMPLES, spec.rank, spec.seed)?;
    let conditions = GeneralCorrelationConditions::of(weights.view())?;
    Ok(Conditions { m: conditions.m, bound: CorrelationBounds::of(&conditions).general })
}

/// How often the error was by a twentieth above its smallest value so far.
fn rises(rows: &[StageRow]) -> usize {
    let mut smallest = f64::INFINITY;
    let mut rises = 0;
    for row in rows {
        rises += usize::from(row.relative_correlation_error > 1.05 * smallest);
        smallest = smallest.min(row.relative_correlation_error);
    }
    rises
}

fn recovered(outcome: &Outcome, data: &Dataset) -> Result<Recovered, Trouble> {
    let end = correlation_error(outcome.components.view(), data.truth.view())?;
    Ok(Recovered {
        start: Errors { total: outcome.start_correlation_error, relative: outcome.start_error },
        way: thinned(&outcome.stages),
        end: Errors { total: end.total(), relative: end.relative_total() },
        stages: outcome.stages.len(),
        solver_seconds: outcome.solver_seconds,
        stop_reason: outcome.stop_reason,
        in_order: end.nearest.iter().enumerate().all(|(i, nearest)| *nearest == Some(i)),
        rises: rises(&outcome.stages),
        largest_weight_correlation: outcome.largest_weight_correlation,
        conditions: None,
        broken_off: None,
    })
}

/// How far a run came that went wrong in the end.
fn broken_off(rows: &[StageRow], data: &Dataset, why: String) -> Result<Recovered, Trouble> {
    let way = thinned(rows);
    let Some(last) = way.last().copied() else { return Err(Trouble::Failed(why)) };
    let start = correlation_error(data.init.view(), data.truth.view())?;
    let strongest = strongest_correlations(data.weights.view(), 1)?;
    Ok(Recovered {
        start: Errors { total: start.total(), relative: start.relative_total() },
        end: last.errors,
        way,
        stages: rows.len(),
        solver_seconds: last.seconds,
        stop_reason: StopReason::MaxStages,
        in_order: false,
        rises: rises(rows),
        largest_weight_correlation: strongest.first().map_or(0.0, |&(_, _, correlation)| correlation),
        conditions: None,
        broken_off: Some(why),
    })
}
