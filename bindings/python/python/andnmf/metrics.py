"""How well components recover a known truth. Order, scale and sign of components carry no meaning."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from andnmf import _core
from andnmf._input import read_matrix

__all__ = ["correlation_error", "correlation_errors", "recovery"]


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


def _matrices(components: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    return read_matrix(components, "components"), read_matrix(truth, "truth")
