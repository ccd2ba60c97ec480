"""Recovery of a known truth, up to order, scale and sign of the components; coherence of topics."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, read_components, read_samples, threads

__all__ = ["coherence", "correlation_error", "correlation_errors", "recovery"]


def correlation_error(components: Any, truth: Any) -> float:
    """Return the relative total correlation error: the sum of the errors of all true components.

    The error of a true component is the sine of its angle to the nearest component.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components to evaluate.
    truth : array-like of shape (n_true_components, n_features)
        The true components; none may be all zero.

    Returns
    -------
    float
        The error; 0 if every true component was recovered.

    Examples
    --------
    >>> from andnmf.metrics import correlation_error
    >>> correlation_error([[0, 2], [3, 0]], [[1, 0], [0, 1]])
    0.0
    """
    return recovery(components, truth)["relative_total_correlation_error"]


def correlation_errors(components: Any, truth: Any) -> np.ndarray:
    """Return the error of each true component; :func:`correlation_error` is their sum.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components to evaluate.
    truth : array-like of shape (n_true_components, n_features)
        The true components; none may be all zero.

    Returns
    -------
    ndarray of shape (n_true_components,)
        The sine of the angle between each true component and the nearest component.

    Examples
    --------
    >>> from andnmf.metrics import correlation_errors
    >>> correlation_errors([[1, 0], [3, 4]], [[1, 0], [0, 1]]).round(3)
    array([0. , 0.6])
    """
    return _core.recovery(*_matrices(components, truth))[1]


def recovery(components: Any, truth: Any) -> dict[str, Any]:
    """Return all metrics of recovery, as ``andnmf evaluate --json`` prints them.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components to evaluate.
    truth : array-like of shape (n_true_components, n_features)
        The true components; none may be all zero.

    Returns
    -------
    dict
        total_correlation_error (the paper's), relative_total_correlation_error,
        squared_relative_total_correlation_error, matched_cosines and mean_matched_cosine.

    Examples
    --------
    >>> from andnmf.metrics import recovery
    >>> recovery([[0, 2], [3, 0]], [[1, 0], [0, 1]])["mean_matched_cosine"]
    1.0
    """
    return json.loads(_core.recovery(*_matrices(components, truth))[0])


def coherence(topics: Any, counts: Any, *, n_words: int = 10, n_jobs: int | None = None) -> np.ndarray:
    """Return the coherence of each topic: the normalized pointwise mutual information (NPMI) of its top words.

    Parameters
    ----------
    topics : fitted estimator, or array-like of shape (n_topics, n_words_in_all)
        The topics: components over words.
    counts : array-like or sparse matrix of shape (n_documents, n_words_in_all)
        The documents; a word occurs in a document if its value is not zero.
    n_words : int, default=10
        Number of top words per topic, at least 2.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    ndarray of shape (n_topics,)
        The coherence, from -1 to 1; NaN for topics with fewer than two words above zero.

    Examples
    --------
    >>> from andnmf.metrics import coherence
    >>> counts = [[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 1, 2], [0, 0, 1, 1]]
    >>> coherence([[5, 4, 0, 0], [0, 5, 4, 0]], counts, n_words=2)
    array([ 1., -1.])
    """
    topics = _finite(read_components(topics, "topics"), "topics")
    size = _settings.at_least(2, "n_words", n_words)
    counts = read_samples(counts)
    if topics.shape[1] != counts.shape[1]:
        raise ValueError(
            f"topics has {topics.shape[1]} words, but counts has {counts.shape[1]}; both must have the same columns"
        )
    top_words = [[int(j) for j in np.argsort(-topic, kind="stable")[:size] if topic[j] > 0] for topic in topics]
    scores = _core.coherence(as_samples(counts), top_words, threads(n_jobs))
    return np.array([np.nan if score is None else score for score in scores])


def _matrices(components: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    components = _finite(read_components(components), "components")
    truth = _finite(read_components(truth, "truth"), "truth")
    empty = np.flatnonzero(~truth.any(axis=1))
    if len(empty):
        raise ValueError(f"truth: component {empty[0]} is all zero; remove it, since it has no direction")
    return components, truth


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    non_finite = np.argwhere(~np.isfinite(values))
    if len(non_finite):
        row, column = non_finite[0]
        raise ValueError(f"{name}: component {row}, feature {column} is {values[row, column]}; values must be finite")
    return values
