//! Does what a cell says.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use andnmf::fit::{Fit, Run, Start, StopReason};
use andnmf::metrics::{coherence, reconstruction_error, top_features};
use andnmf::nnls;
use andnmf::samples::{DenseSamples, Samples};
use andnmf::synth::Dataset;
use andnmf::theory::GeneralCorrelationConditions;
use andnmf::theory::bounds::CorrelationBounds;
use andnmf::{FitError, Method, MethodParams};
use andnmf_io::text::{Corpus, TextOptions, VocabularyParams, read_texts};
use andnmf_program::{ExperimentError, StageRow, StartFrom};

use super::Sources;
use super::cell::{Cell, RealStart, Recovery, Task, TextValues, Truth};
use super::lemma::LemmaObserver;
use super::measure::{broken_off, mixing, recovered};
use super::outcome::{CellOutcome, Conditions, Errors, FoundPictures, FoundTopics, Recovered};
use super::spoken::spoken;
use crate::with_out_of_span_share;

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
    /// The state of the source that the program was built from, where it is known: kept with every result.
    pub commit: Option<&'a str>,
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
                spec.generate_with_truth(truth.clone())?
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
        let outcome = recovery.experiment.run_cancellable(&data, threads, stop, &mut |row| {
            rows.push(*row);
            ControlFlow::Continue(())
        });
        let found = match outcome {
            Ok(outcome) if outcome.stop_reason == StopReason::Cancelled => return Err(Trouble::Stopped),
            Ok(outcome) => recovered(&outcome, &data, self.own_start(recovery, &data)?)?,
            Err(ExperimentError::Fit(FitError::StoppedBeforeStart)) => {
                return Err("nothing was found in the time there was; a larger --budget gives it more".into());
            }
            // Numbers that leave their range after many stages do not undo those stages.
            Err(ExperimentError::Fit(error)) => {
                let why = told(&error, "a truth of more components has a shorter one");
                match rows.is_empty() {
                    true => return Err(Trouble::Failed(why)),
                    false => broken_off(&rows, &data, self.own_start(recovery, &data)?, why)?,
                }
            }
            Err(error) => return Err(error.into()),
        };
        let conditions = recovery.conditions.then(|| conditions(recovery)).transpose()?;
        let from_truth = recovery.experiment.from == StartFrom::MixedTruth;
        let and = recovery.experiment.method.method() == Method::And;
        // Maps have hundreds of places and show nothing of this.
        let wanted = and && from_truth && !recovery.conditions;
        let mixing = wanted.then(|| mixing(&data)).transpose()?;
        Ok(CellOutcome::Recovered(Box::new(Recovered { conditions, mixing, ..found })))
    }

    /// Errors of the start as the method takes it; nothing where it begins with the data alone.
    fn own_start(&self, recovery: &Recovery, data: &Dataset) -> Result<Option<Errors>, Trouble> {
        let experiment = &recovery.experiment;
        if experiment.from == StartFrom::Data || !experiment.method.method().info().takes_start {
            return Ok(None);
        }
        // A run that is stopped before its first stage returns what it would have begun with.
        let at_once = AtomicBool::new(true);
        let watch = &mut |_: &StageRow| ControlFlow::Break(());
        match experiment.run_cancellable(data, self.around.threads, Some(&at_once), watch) {
            Ok(begun) => Ok(Some(Errors {
                total: begun.recovery.total_correlation_error,
                relative: begun.recovery.relative_total_correlation_error,
            })),
            Err(ExperimentError::Fit(FitError::StoppedBeforeStart)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn follow_lemma(&mut self, recovery: &Recovery) -> Result<CellOutcome, Trouble> {
        let data = self.data(recovery)?;
        let mut observer = LemmaObserver::new(&data)?;
        let samples = DenseSamples::new(data.samples.view())?;
        let mut run = self.around.run().observe(&mut observer);
        let solver = recovery.experiment.method.clone().check()?;
        let fit = solver.fit(&samples, Start::Given(data.init.clone()), &mut run);
        // The observer ends a run itself where its numbers have left their range.
        match fit {
            Ok(_) if self.around.stopped() => return Err(Trouble::Stopped),
            Ok(_) | Err(FitError::Overflow { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(CellOutcome::StageLemma(observer.followed()))
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
            stages: fit.stages,
            stop_reason: fit.stop,
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
            stages: fit.stages,
            stop_reason: fit.stop,
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
    match fit {
        Ok(fit) if fit.stop == StopReason::Cancelled => Err(Trouble::Stopped),
        Ok(fit) => Ok(fit),
        Err(error) => {
            Err(Trouble::Failed(told(&error, "the same thresholds with a safe step stand beside this")))
        }
    }
}

/// What went wrong, for somebody who chose figures and not settings; `remedy` is what helps against a step that is too
/// long.
fn told(error: &FitError, remedy: &str) -> String {
    match error {
        FitError::UnstableStep { stage, step, largest_stable } => format!(
            "the paper's step, here {}, is too long for these samples: from {} on steps diverge (stage {stage}); {remedy}",
            spoken(*step),
            spoken(*largest_stable)
        ),
        FitError::Overflow { stage } => {
            format!("it diverged: numbers left their range in stage {stage}")
        }
        other => other.to_string(),
    }
}

fn conditions(recovery: &Recovery) -> Result<Conditions, Trouble> {
    let spec = &recovery.experiment.dataset;
    let weights = spec.weights.draw(CONDITION_SAMPLES, spec.rank, spec.seed)?;
    let conditions = GeneralCorrelationConditions::of(weights.view())?;
    Ok(Conditions { m: conditions.m, bound: CorrelationBounds::of(&conditions).general })
}
