//! Executes cells.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use andnmf::fit::{Fit, Run, Start, StopReason};
use andnmf::metrics::{coherence, correlation_error, reconstruction_error, top_features};
use andnmf::nnls;
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::Dataset;
use andnmf::theory::GeneralCorrelationConditions;
use andnmf::theory::bounds::CorrelationBounds;
use andnmf::{FitError, Method, MethodParams};
use andnmf_io::text::{Corpus, Frequency, TextOptions, VocabularyParams, read_texts};
use andnmf_program::{ExperimentError, StageRow, StartFrom};

use super::cell::{Cell, OutOfSpan, RealStart, RecoveryTask, ReleasedRun, Task, TextPart, TextValues, Truth};
use super::format::format_number;
use super::lemma::LemmaObserver;
use super::measure::{aborted, errors, mixing, recovered, stages_only};
use super::outcome::{CellOutcome, Conditions, Errors, ImageResult, RecoveryResult, TopicResult};
use super::{ReleasedMethod, Sources};
use crate::with_out_of_span_share;

/// Number of weights drawn to estimate the conditions of the theorems: more than in any experiment, so that the
/// estimate does not depend on the number of samples.
const CONDITION_SAMPLES: usize = 20_000;
/// Number of top words of a topic that are shown and scored.
const TOP_WORDS: usize = 10;
/// Values below this share of a component's largest value count as zero.
const ZERO_SHARE: f64 = 1e-6;

/// The context of runs; does not change results, except for times.
#[derive(Debug, Clone, Copy)]
pub struct RunContext<'a> {
    /// Data supplied by the caller.
    pub sources: &'a Sources,
    /// Number of threads; `None` for all.
    pub threads: Option<usize>,
    /// Set to true to cancel, even within a cell.
    pub stop: Option<&'a AtomicBool>,
    /// The commit that the program was built from, if known; stored with every result.
    pub commit: Option<&'a str>,
}

impl RunContext<'_> {
    /// Returns true if the runs are cancelled.
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

/// Executes cells, and caches the data of the last one, which adjacent cells of a plan share.
#[derive(Debug)]
pub(super) struct CellExecutor<'a> {
    context: RunContext<'a>,
    data: Option<(RecoveryTask, Arc<Dataset>)>,
    corpus: Option<(Option<TextPart>, Corpus<f64>)>,
}

/// The reason that a cell has no result.
enum CellError {
    /// The run was cancelled; nothing is stored.
    Cancelled,
    /// The run failed, with the reason.
    Failed(String),
}

impl<E: ToString> From<E> for CellError {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

impl<'a> CellExecutor<'a> {
    pub(super) fn new(context: RunContext<'a>) -> Self {
        Self { context, data: None, corpus: None }
    }

    /// The result of a cell; `None` if it was cancelled.
    pub(super) fn run(&mut self, cell: &Cell) -> Option<CellOutcome> {
        let outcome = match &cell.task {
            Task::Recovery(recovery) => self.recover(recovery),
            Task::StageLemma(recovery) => self.check_lemma(recovery),
            Task::Topics { method, from, values, part, .. } => {
                self.find_topics(method, *from, *values, *part)
            }
            Task::Images { method, from, .. } => self.find_images(method, *from),
        };
        match outcome {
            Ok(outcome) => Some(outcome),
            Err(CellError::Cancelled) => None,
            // An error during cancellation may be caused by it.
            Err(CellError::Failed(_)) if self.context.stopped() => None,
            Err(CellError::Failed(message)) => Some(CellOutcome::Failed(message)),
        }
    }

    fn data(&mut self, recovery: &RecoveryTask) -> Result<Arc<Dataset>, CellError> {
        if let Some((known, data)) = &self.data
            && known.experiment.dataset == recovery.experiment.dataset
            && (&known.truth, known.out_of_span) == (&recovery.truth, recovery.out_of_span)
        {
            return Ok(Arc::clone(data));
        }
        let spec = &recovery.experiment.dataset;
        let mut data = match (&recovery.truth, &self.context.sources.truth) {
            (Truth::BuiltIn, _) => spec.generate()?,
            (Truth::Given(fingerprint), Some(truth)) if Sources::fingerprint_of(truth) == *fingerprint => {
                spec.generate_with_truth(truth.clone())?
            }
            (Truth::Given(_), _) => {
                return Err("the truth that the samples are generated from is missing".into());
            }
        };
        if let Some(OutOfSpan { norm, share }) = recovery.out_of_span {
            data = with_out_of_span_share(data, norm, share)?;
        }
        let data = Arc::new(data);
        self.data = Some((recovery.clone(), Arc::clone(&data)));
        Ok(data)
    }

    fn recover(&mut self, recovery: &RecoveryTask) -> Result<CellOutcome, CellError> {
        let data = self.data(recovery)?;
        if let Some(released) = recovery.released {
            let limit = recovery.experiment.method.time_limit();
            return self.recover_as_released(released, limit, &data);
        }
        let RunContext { threads, stop, .. } = self.context;
        let mut rows = Vec::new();
        let outcome = recovery.experiment.run_cancellable(&data, threads, stop, &mut |row| {
            rows.push(*row);
            ControlFlow::Continue(())
        });
        let result = match outcome {
            Ok(outcome) if outcome.stop_reason == StopReason::Cancelled => return Err(CellError::Cancelled),
            Ok(outcome) => recovered(&outcome, &data, self.own_start(recovery, &data)?)?,
            Err(ExperimentError::Fit(FitError::StoppedBeforeStart)) => {
                return Err(
                    "the time limit was reached before the first result; use a larger --budget".into()
                );
            }
            // An overflow after many stages does not invalidate those stages.
            Err(ExperimentError::Fit(error)) => {
                let why = failure_text(&error, "a truth with more components has a shorter step");
                match rows.is_empty() {
                    true => return Err(CellError::Failed(why)),
                    false => aborted(&rows, &data, self.own_start(recovery, &data)?, why)?,
                }
            }
            Err(error) => return Err(error.into()),
        };
        let conditions = recovery.conditions.then(|| conditions(recovery)).transpose()?;
        let from_truth = recovery.experiment.from == StartFrom::MixedTruth;
        let and = recovery.experiment.method.method() == Method::And;
        // Maps do not show the mixing of the start.
        let with_mixing = and && from_truth && !recovery.conditions;
        let mixing = with_mixing.then(|| mixing(&data)).transpose()?;
        Ok(CellOutcome::Recovered(Box::new(RecoveryResult { conditions, mixing, ..result })))
    }

    fn recover_as_released(
        &self,
        ReleasedRun { method, stages }: ReleasedRun,
        time_limit: Option<f64>,
        data: &Dataset,
    ) -> Result<CellOutcome, CellError> {
        let rows = method.run(data, stages, time_limit, &|| self.context.stopped())?;
        if self.context.stopped() {
            return Err(CellError::Cancelled);
        }
        let start = match method {
            ReleasedMethod::Hals => data.init.mapv(|value| value.max(0.0)),
            ReleasedMethod::Mu => data.init.clone(),
        };
        let start = errors(&correlation_error(start.view(), data.truth.view())?);
        let cut = time_limit.is_some_and(|limit| rows.last().is_none_or(|row| row.record.seconds >= limit));
        let result = stages_only(&rows, data, Some(start))?;
        let stop_reason = if cut { StopReason::TimeLimit } else { StopReason::MaxStages };
        Ok(CellOutcome::Recovered(Box::new(RecoveryResult { stop_reason, ..result })))
    }

    /// Errors of the method's own start; `None` if it starts from the data alone.
    fn own_start(&self, recovery: &RecoveryTask, data: &Dataset) -> Result<Option<Errors>, CellError> {
        let experiment = &recovery.experiment;
        if experiment.from == StartFrom::Data || !experiment.method.method().info().takes_start {
            return Ok(None);
        }
        // A run that is cancelled before its first stage returns its start.
        let cancelled = AtomicBool::new(true);
        let stop_at_once = &mut |_: &StageRow| ControlFlow::Break(());
        match experiment.run_cancellable(data, self.context.threads, Some(&cancelled), stop_at_once) {
            Ok(initial) => Ok(Some(Errors {
                total: initial.recovery.total_correlation_error,
                relative: initial.recovery.relative_total_correlation_error,
            })),
            Err(ExperimentError::Fit(FitError::StoppedBeforeStart)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn check_lemma(&mut self, recovery: &RecoveryTask) -> Result<CellOutcome, CellError> {
        let data = self.data(recovery)?;
        let mut observer = LemmaObserver::new(&data)?;
        let samples = DenseSamples::new(data.samples.view())?;
        let mut run = self.context.run().observe(&mut observer);
        let solver = recovery.experiment.method.clone().check()?;
        let fit = solver.fit(&samples, Start::Given(data.init.clone()), &mut run);
        // The observer stops a run after a numeric overflow.
        match fit {
            Ok(_) if self.context.stopped() => return Err(CellError::Cancelled),
            Ok(_) | Err(FitError::Overflow { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(CellOutcome::StageLemma(observer.into_trace()))
    }

    fn find_topics(
        &mut self,
        method: &MethodParams,
        from: RealStart,
        values: TextValues,
        part: Option<TextPart>,
    ) -> Result<CellOutcome, CellError> {
        if self.corpus.as_ref().is_none_or(|(known, _)| *known != part) {
            let Some(path) = &self.context.sources.texts else {
                return Err("the texts are missing".into());
            };
            let vocabulary = vocabulary(part);
            let options = TextOptions { words: vocabulary.words, strip_posts: true };
            let corpus = read_texts(path, &options)?.corpus;
            let corpus = match part {
                Some(part) => evenly_spaced(&corpus, part.documents)?,
                None => corpus,
            };
            self.corpus = Some((part, corpus.with_vocabulary(&vocabulary)?));
        }
        let Some((_, corpus)) = &self.corpus else { return Err("the texts are missing".into()) };
        let samples = match values {
            TextValues::Counts => corpus.counts.clone(),
            TextValues::TfIdf => corpus.tf_idf()?,
        };
        let fit = self.fit(&samples, method, from)?;
        let tops: Vec<Vec<usize>> =
            fit.components.outer_iter().map(|topic| top_features(topic, TOP_WORDS)).collect();
        let scores = coherence(&tops, &corpus.counts)?;
        let words = |top: &Vec<usize>| top.iter().map(|&word| corpus.words[word].clone()).collect();
        Ok(CellOutcome::Topics(TopicResult {
            topics: tops.iter().map(words).collect(),
            coherence: scores.per_topic,
            mean_coherence: scores.mean,
            size: (samples.n_samples(), samples.n_features()),
            stages: fit.stages,
            stop_reason: fit.stop,
            solver_seconds: fit.seconds,
        }))
    }

    fn find_images(&mut self, method: &MethodParams, from: RealStart) -> Result<CellOutcome, CellError> {
        let Some(images) = &self.context.sources.images else {
            return Err("the images are missing".into());
        };
        let samples = DenseSamples::new(images.view())?;
        let fit = self.fit(&samples, method, from)?;
        let weights = nnls::weights(&samples, fit.components.view(), &self.context.run())?;
        let residual = reconstruction_error(&samples, weights.view(), fit.components.view())?;
        let zeros = fit.components.outer_iter().map(|component| {
            let largest = component.iter().fold(0.0, |top: f64, v| top.max(v.abs()));
            component.iter().filter(|v| v.abs() <= ZERO_SHARE * largest).count() as f64
                / component.len() as f64
        });
        Ok(CellOutcome::Images(ImageResult {
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
    ) -> Result<Fit<f64>, CellError> {
        let start = match from {
            RealStart::MethodDefault => Start::Auto,
            RealStart::RandomSamples => Start::RandomSamples,
        };
        fitted(method.clone().check()?.fit(samples, start, &mut self.context.run()))
    }
}

fn vocabulary(part: Option<TextPart>) -> VocabularyParams {
    match part {
        Some(part) => VocabularyParams {
            min_documents: Some(Frequency::Documents(2)),
            max_documents: Frequency::Share(0.95),
            max_words: Some(part.words),
            ..VocabularyParams::default()
        },
        None => VocabularyParams::default(),
    }
}

/// Evenly spaced documents; all of them if there are no more.
fn evenly_spaced(corpus: &Corpus<f64>, documents: usize) -> Result<Corpus<f64>, CellError> {
    let all = corpus.counts.n_samples();
    let selected: Vec<usize> = match documents < all {
        true => (0..documents).map(|i| i * all / documents).collect(),
        false => (0..all).collect(),
    };
    let (mut row_starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &row in &selected {
        corpus.counts.block(row..row + 1)?.for_each(|_, word, count| {
            indices.push(word);
            values.push(count);
        });
        row_starts.push(values.len());
    }
    Ok(Corpus {
        counts: CsrSamples::new::<usize, usize>(corpus.words.len(), &row_starts, indices, values)?,
        words: corpus.words.clone(),
        documents: None,
    })
}

/// Returns an error if the fit was cancelled or failed.
fn fitted(fit: Result<Fit<f64>, FitError>) -> Result<Fit<f64>, CellError> {
    match fit {
        Ok(fit) if fit.stop == StopReason::Cancelled => Err(CellError::Cancelled),
        Ok(fit) => Ok(fit),
        Err(error) => Err(CellError::Failed(failure_text(
            &error,
            "compare the run with the same thresholds and a safe step",
        ))),
    }
}

/// An error message for users who chose figures, not settings; `remedy` is the advice for a step that is too long.
fn failure_text(error: &FitError, remedy: &str) -> String {
    match error {
        FitError::UnstableStep { stage, step, largest_stable } => format!(
            "the paper's step {} is too large for these samples: steps of {} or more diverge (stage {stage}); {remedy}",
            format_number(*step),
            format_number(*largest_stable)
        ),
        FitError::Overflow { stage } => {
            format!("the run diverged: numeric overflow in stage {stage}")
        }
        other => other.to_string(),
    }
}

fn conditions(recovery: &RecoveryTask) -> Result<Conditions, CellError> {
    let spec = &recovery.experiment.dataset;
    let weights = spec.weights.draw(CONDITION_SAMPLES, spec.rank, spec.seed)?;
    let conditions = GeneralCorrelationConditions::of(weights.view())?;
    Ok(Conditions { m: conditions.m, bound: CorrelationBounds::of(&conditions).general })
}
