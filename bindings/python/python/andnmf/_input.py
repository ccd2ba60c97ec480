"""What users hand over, as the compiled part reads it: without a copy wherever that can be."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from andnmf._distributed import DistributedSamples, is_dask

#: Other numbers become the first of these.
PRECISIONS = [np.float64, np.float32]
_VALUES_AT_ONCE = 30_000


def as_samples(X: Any) -> Any:
    """A checked array or CSR matrix as the compiled part takes it.

    Dense arrays go as they are, in any memory order: rows that are not contiguous are copied block by block as they
    are read. Of sparse matrices the three parts go as they are. Distributed samples go as they are.
    """
    if isinstance(X, DistributedSamples):
        return X
    if sparse.issparse(X):
        parts = (aligned(np.ascontiguousarray(part)) for part in (X.indptr, X.indices, X.data))
        return (X.shape[1], *parts)
    return aligned(X)


def aligned(array: np.ndarray) -> np.ndarray:
    """Values at addresses that the compiled part can read; what came over a network may lie anywhere."""
    # An array without values counts as aligned wherever it lies.
    return array if array.size and array.flags.aligned else array.copy()


def read_samples(X: Any) -> Any:
    """Samples that no estimator has looked at yet, as :func:`as_samples` takes them.

    Whether all values are finite is left to the compiled part, which names the place. Samples of dask stay where they
    are.
    """
    if isinstance(X, DistributedSamples):
        return X
    if is_dask(X):
        from andnmf.dask import DaskSamples

        return DaskSamples(X)
    return check_array(X, accept_sparse="csr", dtype=PRECISIONS, ensure_all_finite=False)


def read_matrix(values: Any, name: str, dtype: Any = np.float64) -> np.ndarray:
    """A dense matrix in row order."""
    return check_array(values, dtype=dtype, order="C", ensure_all_finite=False, input_name=name)


def read_components(given: Any, name: str = "components", dtype: Any = np.float64) -> np.ndarray:
    """The components of a fitted estimator, or what was given in their place."""
    if isinstance(given, BaseEstimator):
        check_is_fitted(given, "components_")
        given = given.components_
    return read_matrix(given, name, dtype)


def read_weights(given: Any, *, finite: bool = False) -> np.ndarray:
    """Weights, samples × components; sparse ones are made dense, since they are narrow."""
    if isinstance(given, BaseEstimator):
        name = type(given).__name__
        raise TypeError(f"weights are needed, not a model; {name}.transform(X) gives those of samples X")
    return check_array(
        given.toarray() if sparse.issparse(given) else given,
        dtype=np.float64,
        order="C",
        ensure_all_finite=finite,
        input_name="weights",
    )


def read_sample_weight(values: Any, X: Any) -> np.ndarray:
    """A number for each sample, zero or more, in the precision of the samples."""
    weight = check_array(values, dtype=X.dtype, ensure_2d=False, input_name="sample_weight")
    if weight.shape != (X.shape[0],):
        raise ValueError(f"sample_weight must have a number for each of the {X.shape[0]} samples, not {weight.shape}")
    if weight.min() < 0:
        raise ValueError("sample_weight must not be negative")
    if weight.max() == 0:
        raise ValueError("sample_weight is zero for every sample; at least one must count")
    return weight


def size_of(X: Any) -> float:
    """The Frobenius norm, also where squares would leave the range of the samples' own precision."""
    if isinstance(X, DistributedSamples):
        return float(np.linalg.norm(X.sizes()[1]))
    values = X.data if sparse.issparse(X) else X
    if not values.size:
        return 0.0
    squares = _sum_of_squares(values, None)
    # Far enough from either end, what squares have lost does not count.
    if np.finfo(values.dtype).smallest_normal * 1e8 < squares / values.size and squares < np.inf:
        return float(np.sqrt(squares))
    scale = float(max(values.max(), -values.min()))
    return scale * float(np.sqrt(_sum_of_squares(values, scale))) if scale > 0 else 0.0


def _sum_of_squares(values: np.ndarray, scale: float | None) -> float:
    """Block by block, so that nothing is copied as a whole; with a scale slower, in double precision and divided by it."""
    rows = max(1, len(values) * _VALUES_AT_ONCE // values.size)
    total = 0.0
    for first in range(0, len(values), rows):
        block = values[first : first + rows]
        if scale is not None:
            block = block.astype(np.float64) / scale
        with np.errstate(over="ignore", under="ignore"):
            total += float(np.vdot(block, block))
    return total


def has_negative(X: Any) -> bool:
    """Whether any sample has a value below zero."""
    if isinstance(X, DistributedSamples):
        return X.sizes()[3] < 0
    values = X.data if sparse.issparse(X) else X
    return bool(values.size and values.min() < 0)


def threads(n_jobs: Any) -> int | None:
    """``n_jobs`` as a number of threads: ``None`` and -1 are all cores, -2 all but one, and so on."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise TypeError(f"n_jobs is {n_jobs!r}, but it must be a whole number or None")
    if n_jobs == 0:
        raise ValueError("n_jobs is 0, but it must be at least 1, or negative to leave cores free")
    if n_jobs > 0:
        return int(n_jobs)
    from joblib import cpu_count

    return max(1, cpu_count() + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """A seed for the library: whole numbers as they are, so that they mean what they mean to the command."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}, but it must not be negative")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
