"""Validation of arguments, and conversion to what the extension reads; copies only where needed."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from andnmf._containers import unwrap
from andnmf._distributed import DistributedSamples, is_dask

#: Supported precisions; other types of numbers are converted to the first.
PRECISIONS = [np.float64, np.float32]
_BLOCK_VALUES = 30_000


def as_samples(X: Any) -> Any:
    """Convert validated samples to the form that the extension takes, without copying.

    Dense arrays may have any memory order: the extension copies non-contiguous rows block by block.
    """
    if isinstance(X, DistributedSamples):
        return X
    if sparse.issparse(X):
        parts = (aligned(np.ascontiguousarray(part)) for part in (X.indptr, X.indices, X.data))
        return (X.shape[1], *parts)
    return aligned(X)


def aligned(array: np.ndarray) -> np.ndarray:
    """Copy an array that is not aligned in memory, as some received over a network are."""
    # NumPy reports empty arrays as aligned at any address.
    return array if array.size and array.flags.aligned else array.copy()


def read_samples(X: Any) -> Any:
    """Validate samples for :func:`as_samples`; dask collections are not computed.

    The extension checks for NaN and infinity itself, and names sample and feature.
    """
    if isinstance(X, DistributedSamples):
        return X
    if is_dask(X):
        from andnmf.dask import DaskSamples

        return DaskSamples(X)
    return check_array(unwrap(X).values, accept_sparse="csr", dtype=PRECISIONS, ensure_all_finite=False)


def read_matrix(values: Any, name: str, dtype: Any = np.float64) -> np.ndarray:
    """Validate a dense matrix and convert it to C order."""
    matrix = unwrap(values, name).values
    return check_array(matrix, dtype=dtype, order="C", ensure_all_finite=False, input_name=name)


def read_components(given: Any, name: str = "components", dtype: Any = np.float64) -> np.ndarray:
    """The components of a fitted estimator, or a matrix of components."""
    if isinstance(given, BaseEstimator):
        check_is_fitted(given, "components_")
        given = given.components_
    return read_matrix(given, name, dtype)


def read_weights(given: Any, *, finite: bool = False) -> np.ndarray:
    """Weights, samples × components, as a dense matrix."""
    if isinstance(given, BaseEstimator):
        name = type(given).__name__
        raise TypeError(f"weights must be an array, not the estimator {name}; pass {name}.transform(X)")
    given = unwrap(given, "weights").values
    return check_array(
        given.toarray() if sparse.issparse(given) else given,
        dtype=np.float64,
        order="C",
        ensure_all_finite=finite,
        input_name="weights",
    )


def read_sample_weight(values: Any, X: Any) -> np.ndarray:
    """Validate non-negative sample weights, in the precision of the samples."""
    weight = check_array(values, dtype=X.dtype, ensure_2d=False, input_name="sample_weight")
    if weight.shape != (X.shape[0],):
        raise ValueError(f"sample_weight has shape {weight.shape}, but it must be ({X.shape[0]},), one number per sample")
    if weight.min() < 0:
        raise ValueError("sample_weight must not be negative")
    if weight.max() == 0:
        raise ValueError("sample_weight is zero for every sample, but at least one must be positive")
    return weight


def frobenius_norm(X: Any) -> float:
    """The Frobenius norm, without overflow or underflow."""
    if isinstance(X, DistributedSamples):
        return float(np.linalg.norm(X.sizes()[1]))
    values = X.data if sparse.issparse(X) else X
    if not values.size:
        return 0.0
    squares = _sum_of_squares(values, None)
    # Neither overflow nor a relevant underflow.
    if np.finfo(values.dtype).smallest_normal * 1e8 < squares / values.size and squares < np.inf:
        return float(np.sqrt(squares))
    scale = float(max(values.max(), -values.min()))
    return scale * float(np.sqrt(_sum_of_squares(values, scale))) if scale > 0 else 0.0


def _sum_of_squares(values: np.ndarray, scale: float | None) -> float:
    """Sum of squares, block by block; with ``scale``, of the values divided by it, in double precision (slower)."""
    rows = max(1, len(values) * _BLOCK_VALUES // values.size)
    total = 0.0
    for first in range(0, len(values), rows):
        block = values[first : first + rows]
        if scale is not None:
            block = block.astype(np.float64) / scale
        with np.errstate(over="ignore", under="ignore"):
            total += float(np.vdot(block, block))
    return total


def has_negative(X: Any) -> bool:
    """True if any value is negative."""
    if isinstance(X, DistributedSamples):
        return X.sizes()[3] < 0
    values = X.data if sparse.issparse(X) else X
    return bool(values.size and values.min() < 0)


def threads(n_jobs: Any) -> int | None:
    """The number of threads for ``n_jobs``; ``None`` (also for -1) is all cores, -2 all but one, and so on."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise TypeError(f"n_jobs is {n_jobs!r}, but it must be an integer or None")
    if n_jobs == 0:
        raise ValueError("n_jobs is 0, but it must be positive, or negative to leave cores free (-1 uses all)")
    if n_jobs > 0:
        return int(n_jobs)
    from joblib import cpu_count

    return max(1, cpu_count() + 1 + int(n_jobs))


def resolve_seed(random_state: Any) -> int:
    """The seed for ``random_state``; integers are used as they are, as ``--seed`` of the command."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}, but it must not be negative")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
