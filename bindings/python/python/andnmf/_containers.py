"""Objects that hold samples: recognized and unwrapped, or refused at once, before anything iterates over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from andnmf._distributed import DistributedSamples, is_dask


@dataclass(frozen=True)
class Samples:
    """A matrix that scikit-learn can check, and the names that its container had."""

    values: Any
    feature_names: list[str] | None = None
    sample_names: list[str] | None = None


def unwrap(X: Any, name: str = "X") -> Samples:
    """The matrix in an object, with the names of its rows and columns.

    Reads AnnData (``X.X``), xarray DataArrays, lazy frames of polars and arrays of other libraries (array API); refuses
    masked arrays and objects that are no matrices.
    """
    if isinstance(X, Samples):
        return X
    if hasattr(X, "sample_names") and hasattr(X, "feature_names") and hasattr(X, "values"):
        # What andnmf.read returns.
        return Samples(X.values, X.feature_names, X.sample_names)
    if isinstance(X, np.ma.MaskedArray):
        return Samples(_unmasked(X, name))
    if isinstance(X, np.ndarray) and X.ndim > 2:
        raise ValueError(
            f"{name} has the shape {X.shape}, but it must be a matrix; of a scene or a stack of images make a row per sample: "
            f"{name}.reshape(-1, {X.shape[-1]}) if the last axis has the features"
        )
    if isinstance(X, (np.ndarray, DistributedSamples)) or sparse.issparse(X) or is_dask(X):
        return Samples(X)
    module = type(X).__module__.partition(".")[0]
    if module == "anndata" and hasattr(X, "var_names"):
        return _of_anndata(X)
    if module == "xarray":
        return _of_xarray(X, name)
    if module == "polars" and hasattr(X, "collect"):
        X = X.collect()
    if hasattr(X, "iloc") or hasattr(X, "__dataframe__") or module == "polars":
        return Samples(X, sample_names=_index_names(X))
    if hasattr(X, "__array_namespace__") or module == "torch":
        return Samples(_to_numpy(X))
    if isinstance(X, Sequence) or hasattr(X, "__array__") or hasattr(X, "__array_interface__"):
        return Samples(X)
    raise TypeError(
        f"{name} is {type(X).__module__}.{type(X).__qualname__}, but it must be a matrix of samples × features: an array, a "
        "sparse matrix, a DataFrame, a DataArray or an AnnData"
    )


def _unmasked(X: np.ma.MaskedArray, name: str) -> np.ndarray:
    masked = int(np.ma.count_masked(X))
    if masked:
        raise ValueError(
            f"{name} is a masked array with {masked} of {X.size} values masked; fill them, for example with "
            f"{name}.filled(0), or leave out their samples or features"
        )
    return np.asarray(X.data)


def _of_anndata(X: Any) -> Samples:
    """AnnData: cells are samples, genes (variables) are features."""
    values = X.X
    if values is None:
        raise ValueError("X is AnnData without X; pass one of its layers, X.layers[name]")
    if hasattr(values, "to_memory"):
        # It is read from its file (backed).
        values = values.to_memory()
    if not (isinstance(values, np.ndarray) or sparse.issparse(values) or is_dask(values)):
        values = np.asarray(values)
    return Samples(values, [str(gene) for gene in X.var_names], [str(cell) for cell in X.obs_names])


def _of_xarray(X: Any, name: str) -> Samples:
    if not hasattr(X, "coords") or not hasattr(X, "dims") or not hasattr(X, "ndim"):
        raise TypeError(f"{name} is an xarray {type(X).__name__}; pass one of its variables, which are DataArrays")
    if X.ndim != 2:
        raise ValueError(
            f"{name} is a DataArray with the dimensions {', '.join(map(str, X.dims))}; it must have two, samples × features, "
            f"for example {name}.stack(sample=[...])"
        )

    def names(dimension: Any) -> list[str] | None:
        return [str(value) for value in X.coords[dimension].values] if dimension in X.coords else None

    rows, columns = X.dims
    return Samples(_to_numpy(X.data), names(columns), names(rows))


def _to_numpy(X: Any) -> Any:
    """An array of another library as NumPy array; on a GPU, it is copied to memory."""
    if isinstance(X, np.ndarray) or sparse.issparse(X) or is_dask(X):
        return X
    if hasattr(X, "detach"):
        X = X.detach().cpu()
    elif type(X).__module__.partition(".")[0] == "cupy":
        return X.get()
    try:
        return np.from_dlpack(X)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
        return np.asarray(X)


def _index_names(X: Any) -> list[str] | None:
    """The row names of a pandas DataFrame, if it has more than row numbers."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    return [str(name) for name in index]


def select_features(X: Any, names: Sequence[str], own: Sequence[str]) -> Any:
    """The columns ``own`` of a matrix whose columns have these names; the matrix itself if they are the same.

    Returns None if a column is missing or ambiguous.
    """
    if list(names) == list(own):
        return X
    where: dict[str, int] = {}
    for i, name in enumerate(names):
        where[name] = -1 if name in where else i
    picked = [where.get(name, -1) for name in own]
    if min(picked, default=0) < 0:
        return None
    if hasattr(X, "iloc"):
        return X.iloc[:, picked]
    return X[:, picked]
