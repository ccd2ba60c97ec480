"""Tasks of the workers on a block of samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from scipy import sparse

from andnmf import _core
from andnmf._input import aligned, as_samples

#: Threads per task: a worker already runs one task per thread.
THREADS = 1


@dataclass(frozen=True)
class BlockInfo:
    """Shape and content of a block."""

    shape: tuple[int, int]
    stored_values: int
    is_sparse: bool
    is_single: bool
    #: Row, column and value of the first NaN or infinity.
    non_finite: tuple[int, int, float] | None


def inspect_block(parts: Sequence[Any]) -> BlockInfo:
    """Inspect a block, given as parts if the array is chunked along the features."""
    block = join_parts(parts)
    is_sparse = sparse.issparse(block)
    return BlockInfo(
        block.shape,
        block.nnz if is_sparse else block.size,
        is_sparse,
        block.dtype == np.float32,
        find_non_finite(block),
    )


def find_non_finite(block: Any) -> tuple[int, int, float] | None:
    """Row, column and value of the first NaN or infinity."""
    values = block.data if sparse.issparse(block) else block
    if np.isfinite(values).all():
        return None
    if sparse.issparse(block):
        block = block.tocoo()
        (indices,) = np.nonzero(~np.isfinite(block.data))
        index = indices[np.lexsort((block.col[indices], block.row[indices]))[0]]
        return int(block.row[index]), int(block.col[index]), float(block.data[index])
    row, column = np.argwhere(~np.isfinite(block))[0]
    return int(row), int(column), float(block[row, column])


def raise_if_non_finite(non_finite: tuple[int, int, float] | None, first: int) -> None:
    """Raise ValueError for a non-finite value in the block that starts at sample ``first``."""
    if non_finite is not None:
        row, column, value = non_finite
        name = "NaN" if np.isnan(value) else str(value)
        raise ValueError(
            f"sample {first + row}, feature {column} is {name} (both counted from 0); every value must be a finite number"
        )


def join_parts(parts: Sequence[Any]) -> Any:
    """Join the parts of a block to an array or CSR matrix of real numbers."""
    parts = [part if sparse.issparse(part) else _array(part) for part in parts]
    if any(sparse.issparse(part) for part in parts):
        block = (parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")).tocsr()
    else:
        block = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    if block.ndim != 2:
        raise ValueError(f"X must be 2-D, but a block has shape {block.shape}")
    if not (np.issubdtype(block.dtype, np.number) or block.dtype == bool) or np.iscomplexobj(block):
        raise ValueError(f"X must contain real numbers, but a block has dtype {block.dtype}")
    return block


def _array(part: Any) -> np.ndarray:
    if isinstance(part, np.ma.MaskedArray):
        raise ValueError("X must not be masked; fill masked values, for example with da.ma.filled")
    part = np.asarray(part)
    # DataFrames convert nullable columns to this dtype.
    return part.astype(np.float64) if part.dtype == object else part


def as_core_samples(block: Any, dtype: Any) -> Any:
    """A block in the form that the extension takes, in the precision of all samples."""
    return as_samples(block if block.dtype == dtype else block.astype(dtype))


def only_exceptions(work: Callable[..., Any]) -> Callable[..., Any]:
    """Convert every BaseException of a task to a RuntimeError; otherwise the cluster would wait forever."""

    @wraps(work)
    def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            return work(*arguments, **named)
        except Exception:
            raise
        except BaseException as error:
            raise RuntimeError(f"{type(error).__name__}: {error}") from error

    return guarded


@only_exceptions
def execute(
    parts: Sequence[Any], dtype: Any, samples: tuple[int, int], request: tuple[str, bytes], rows: bytes
) -> tuple[bytes, bytes]:
    """Run a query on the block of samples ``samples[0]`` to ``samples[1]``; ``rows`` belong to it."""
    first, count = samples[0], samples[1] - samples[0]
    query, arguments = request
    block = join_parts(parts)
    if (actual := block.shape[0]) != count:
        raise ValueError(f"X: a block of {count} samples now has {actual}; every computation must give the same blocks")
    return _with_sample_number(
        lambda: _core.execute(as_core_samples(block, dtype), first, query, arguments, rows, THREADS), block, first
    )


@only_exceptions
def merge(query: str, left: bytes, right: bytes) -> bytes:
    """Merge the sums of adjacent blocks, the earlier one first."""
    return _core.merge(query, left, right)


def _with_sample_number(work: Callable[[], Any], block: Any, first: int) -> Any:
    """Run ``work``; errors about non-finite values name the sample by its number among all samples."""
    try:
        return work()
    except ValueError:
        raise_if_non_finite(find_non_finite(block), first)
        raise


@only_exceptions
def weights(block: Any, components: np.ndarray, block_info: Any = None) -> np.ndarray:
    """The weights of a block; dask passes its position in ``block_info``."""
    if block.shape[0] == 0:
        return np.empty((0, len(components)), components.dtype)
    location = block_info[0]["array-location"][0][0] if block_info else 0
    first = 0 if np.isnan(location) else int(location)
    block = join_parts([block])

    def work() -> np.ndarray:
        return _core.weights(as_core_samples(block, components.dtype), aligned(components), THREADS)

    return _with_sample_number(work, block, first)


def rows(parts: Sequence[Any], dtype: Any, start: int, end: int) -> np.ndarray:
    """Rows of a block, dense."""
    selected = join_parts(parts)[start:end]
    selected = selected.toarray() if sparse.issparse(selected) else selected
    return np.ascontiguousarray(selected, dtype=dtype)
