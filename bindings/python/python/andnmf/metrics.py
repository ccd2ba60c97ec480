"""How well components recover a known truth, whatever their order, scale and sign; and how coherent topics are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, read_matrix, read_samples, threads

__all__ = ["coherence", "correlation_error", "correlation_errors", "recovery"]


def correlation_error(components: Any, truth: Any) -> float:
    """The relative total correlation error: over the true components, the sum of the sines to the nearest found one.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features)
    truth : array-like of shape (n_true_components, n_features)

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
    topics : array-like of shape (n_topics, n_words_in_all)
        Components over words.
    counts : array-like or sparse matrix of shape (n_documents, n_words_in_all)
        Documents; a word is in one where its value is not zero.
    n_words : int, default=10
        How many words of each topic to look at.

    Returns
    -------
    ndarray of shape (n_topics,)
        From -1 to 1; NaN for topics of fewer than two words.

    Examples
    --------
    >>> from andnmf.metrics import coherence
    >>> counts = [[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 1, 2], [0, 0, 1, 1]]
    >>> coherence([[5, 4, 0, 0], [0, 5, 4, 0]], counts, n_words=2)
    array([ 1., -1.])
    """
    topics = read_matrix(topics, "topics")
    size = _settings.integer("n_words", n_words)
    tops = [[int(j) for j in np.argsort(-topic, kind="stable")[:size] if topic[j] > 0] for topic in topics]
    found = _core.coherence(as_samples(read_samples(counts)), tops, threads(n_jobs))
    return np.array([np.nan if score is None else score for score in found])


def _matrices(components: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    return read_matrix(components, "components"), read_matrix(truth, "truth")
