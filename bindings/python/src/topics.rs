//! Topics of LDA: the likelihood of documents, and learning from portions of them.

use std::sync::atomic::Ordering;

use andnmf::baselines::{LdaTopics, OnlineLda};
use andnmf::fit::Run;
use andnmf::samples::CancellableSamples;
use andnmf::{MethodParams, Real};
use numpy::{Element, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::interruptible;
use crate::error::CallError;
use crate::samples::{PySamples, SamplesArg, with_precision};

/// Components of topics and the totals of their parameters.
type TopicParts<'py> = (Bound<'py, PyAny>, Vec<f64>);

/// A lower bound on the log-likelihood of documents: the terms of the documents and of the topics, and the number of words.
#[pyfunction]
pub(crate) fn lda_bound<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    settings: &str,
    topics: TopicParts<'py>,
    threads: Option<usize>,
) -> PyResult<(f64, f64, f64)> {
    let lda = solver(settings)?;
    with_precision!(&samples, py_samples => {
        let topics = topics_of(py_samples, &lda, &topics)?;
        let view = py_samples.view()?;
        let bound = interruptible(py, threads, |cancel| {
            let samples = view.check()?;
            let stop = || cancel.load(Ordering::Relaxed);
            Ok(topics.bound(&CancellableSamples { samples: samples.as_ref(), stop: &stop })?)
        })?;
        Ok((bound.documents, bound.topics, bound.words))
    })
}

/// Learns from a portion of the documents; `topics` is None before the first. Returns a dict with `components`,
/// `topic_totals` and `batches`, the number of batches of all portions.
#[pyfunction]
pub(crate) fn lda_learn<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    settings: &str,
    topics: Option<TopicParts<'py>>,
    of_all: f64,
    batches: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let lda = solver(settings)?;
    with_precision!(&samples, py_samples => learn_as(py, py_samples, &lda, topics.as_ref(), (of_all, batches), threads))
}

fn learn_as<'py, T: Real + Element>(
    py: Python<'py>,
    py_samples: &PySamples<'py, T>,
    lda: &OnlineLda,
    topics: Option<&TopicParts<'py>>,
    (of_all, before): (f64, usize),
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let so_far = topics.map(|topics| topics_of(py_samples, lda, topics)).transpose()?;
    let view = py_samples.view()?;
    let (topics, batches) = interruptible(py, threads, |cancel| {
        let samples = view.check()?;
        let mut topics = match so_far {
            Some(topics) => topics,
            None => LdaTopics::random(lda, samples.n_features())?,
        };
        let batches = topics.learn(samples.as_ref(), of_all, before, &Run::new().cancel_with(cancel))?;
        Ok((topics, before + batches))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("components", topics.components().to_pyarray(py))?;
    dict.set_item("topic_totals", topics.totals())?;
    dict.set_item("batches", batches)?;
    Ok(dict)
}

/// The checked settings (JSON) of LDA.
fn solver(settings: &str) -> PyResult<OnlineLda> {
    match serde_json::from_str(settings).map_err(CallError::from)? {
        MethodParams::OnlineLda(params) => Ok(params.check().map_err(CallError::from)?),
        _ => Err(CallError::Value("method must be lda".to_owned()).into()),
    }
}

fn topics_of<'py, T: Real + Element>(
    py_samples: &PySamples<'py, T>,
    lda: &OnlineLda,
    (components, totals): &TopicParts<'py>,
) -> PyResult<LdaTopics<T>> {
    let components = py_samples.matching_matrix(components)?;
    Ok(LdaTopics::from_components(lda, components.as_array(), totals).map_err(CallError::from)?)
}
