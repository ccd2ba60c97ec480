"""How well components recover a known truth, whatever their order, scale and sign; and how coherent topics are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, read_components, read_samples, threads

__all__ = ["coherence", "correlation_error", "correlation_errors", "recovery"]


def correlation_error(components: Any, truth: Any) -> float:
    """The relative total correlation error: over the true components, the sum of the sines to the nearest found one.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
    truth : array-like of shape (n_true_components, n_features)
        None of them may be all zero.

    Examples
    --------
    >>> from andnmf.metrics import correlation_error
    >>> correlation_error([[0, 2], [3, 0]], [[1, 0], [0, 1]])
    0.0
    """
    return recovery(components, truth)["relative_total_correlation_error"]


def correlation_errors(components: Any, truth: Any) -> np.ndarray:
    """The relative error of each true component: :func:`correlation_error` is their sum.

    Examples
    --------
    >>> from andnmf.metrics import correlation_errors
    >>> correlation_errors([[1, 0], [3, 4]], [[1, 0], [0, 1]]).round(3)
    array([0. , 0.6])
    """
    return _core.recovery(*_matrices(components, truth))[1]


def recovery(components: Any, truth: Any) -> dict[str, Any]:
    """All figures that ``andnmf evaluate --json`` prints.

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
    """How often the top words of each topic occur in the same documents: normalised pointwise mutual information.

    Parameters
    ----------
    topics : fitted estimator, or array-like of shape (n_topics, n_words_in_all)
        Components over words.
    counts : array-like or sparse matrix of shape (n_documents, n_words_in_all)
        Documents; a word is in one where its value is not zero.
    n_words : int, default=10
        How many words of each topic to look at, at least 2.

    Returns
    -------
    ndarray of shape (n_topics,)
        From -1 to 1; NaN for topics with fewer than two words above zero.

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
            f"topics are over {topics.shape[1]} words, but the documents have {counts.shape[1]}; both must have the same"
        )
    tops = [[int(j) for j in np.argsort(-topic, kind="stable")[:size] if topic[j] > 0] for topic in topics]
    found = _core.coherence(as_samples(counts), tops, threads(n_jobs))
    return np.array([np.nan if score is None else score for score in found])


def _matrices(components: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    components = _finite(read_components(components), "components")
    truth = _finite(read_components(truth, "truth"), "truth")
    empty = np.flatnonzero(~truth.any(axis=1))
    if len(empty):
        raise ValueError(f"component {empty[0]} of the truth is all zero: it has no direction that could be found")
    return components, truth


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(f"{name}: component {row}, feature {column} is {values[row, column]}; values must be finite")
    return values
