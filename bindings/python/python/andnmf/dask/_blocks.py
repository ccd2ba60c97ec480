"""What workers do with a block of samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from scipy import sparse

from andnmf import _core
from andnmf._input import aligned, as_samples

#: Workers run as many tasks at once as they have threads: each has one.
THREADS = 1


@dataclass(frozen=True)
class Surveyed:
    """What is known of a block."""

    shape: tuple[int, int]
    stored_values: int
    is_sparse: bool
    is_single: bool
    #: Row, column and value of the first value that is no finite number.
    wrong: tuple[int, int, float] | None


def survey(parts: Sequence[Any]) -> Surveyed:
    """Looks through a block, which comes in parts where features are cut up, too."""
    block = joined(parts)
    is_sparse = sparse.issparse(block)
    return Surveyed(
        block.shape,
        block.nnz if is_sparse else block.size,
        is_sparse,
        block.dtype == np.float32,
        first_wrong(block),
    )


def first_wrong(block: Any) -> tuple[int, int, float] | None:
    """Row, column and value of the first value that is no finite number."""
    values = block.data if sparse.issparse(block) else block
    if np.isfinite(values).all():
        return None
    if sparse.issparse(block):
        block = block.tocoo()
        (places,) = np.nonzero(~np.isfinite(block.data))
        place = places[np.lexsort((block.col[places], block.row[places]))[0]]
        return int(block.row[place]), int(block.col[place]), float(block.data[place])
    row, column = np.argwhere(~np.isfinite(block))[0]
    return int(row), int(column), float(block[row, column])


def refuse_wrong(wrong: tuple[int, int, float] | None, first: int) -> None:
    """Refuses a value that is no finite number by its place among all samples: the block has those from ``first`` on."""
    if wrong is not None:
        row, column, value = wrong
        name = "NaN" if np.isnan(value) else str(value)
        raise ValueError(
            f"sample {first + row}, feature {column} is {name} (both counted from 0); every value must be a finite number"
        )


def joined(parts: Sequence[Any]) -> Any:
    """One block of whole samples: an array, or a CSR matrix, of real numbers."""
    parts = [part if sparse.issparse(part) else _array(part) for part in parts]
    if any(sparse.issparse(part) for part in parts):
        block = (parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")).tocsr()
    else:
        block = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    if block.ndim != 2:
        raise ValueError(f"samples must have rows and columns, but a block is of shape {block.shape}")
    if not (np.issubdtype(block.dtype, np.number) or block.dtype == bool) or np.iscomplexobj(block):
        raise ValueError(f"samples must be real numbers, but a block is of dtype {block.dtype}")
    return block


def _array(part: Any) -> np.ndarray:
    if isinstance(part, np.ma.MaskedArray):
        raise ValueError("samples must not be masked; fill masked values, with da.ma.filled for instance")
    part = np.asarray(part)
    # As numbers that may be missing come out of frames.
    return part.astype(np.float64) if part.dtype == object else part


def readable(block: Any, dtype: Any) -> Any:
    """A block as the compiled part takes it, in the precision of all samples."""
    return as_samples(block if block.dtype == dtype else block.astype(dtype))


def ordinary(work: Callable[..., Any]) -> Callable[..., Any]:
    """Makes an Exception of whatever a task ends in: for anything else a cluster would wait for ever."""

    @wraps(work)
    def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            return work(*arguments, **named)
        except Exception:
            raise
        except BaseException as error:
            raise RuntimeError(f"{type(error).__name__}: {error}") from error

    return guarded


@ordinary
def execute(
    parts: Sequence[Any], dtype: Any, samples: tuple[int, int], request: tuple[str, bytes], rows: bytes
) -> tuple[bytes, bytes]:
    """Runs a query on the block of these samples; ``rows`` are its own."""
    first, count = samples[0], samples[1] - samples[0]
    query, arguments = request
    block = joined(parts)
    if (found := block.shape[0]) != count:
        raise ValueError(f"a block of {count} samples has {found} by now; blocks must be the same whenever they are computed")
    return _with_places(
        lambda: _core.execute(readable(block, dtype), first, query, arguments, rows, THREADS), block, first
    )


@ordinary
def merge(query: str, left: bytes, right: bytes) -> bytes:
    """Merges the sums of neighbouring samples, those of the earlier ones first."""
    return _core.merge(query, left, right)


def _with_places(work: Callable[[], Any], block: Any, first: int) -> Any:
    """Work on a block; what is wrong with a value is said with its place among all samples."""
    try:
        return work()
    except ValueError:
        refuse_wrong(first_wrong(block), first)
        raise


@ordinary
def weights(block: Any, components: np.ndarray, block_info: Any = None) -> np.ndarray:
    """The weights of a block of whole samples, about the place of which dask tells."""
    if block.shape[0] == 0:
        return np.empty((0, len(components)), components.dtype)
    place = block_info[0]["array-location"][0][0] if block_info else 0
    first = 0 if np.isnan(place) else int(place)
    block = joined([block])

    def work() -> np.ndarray:
        return _core.weights(readable(block, components.dtype), aligned(components), THREADS)

    return _with_places(work, block, first)


def rows(parts: Sequence[Any], dtype: Any, start: int, end: int) -> np.ndarray:
    """Some rows of a block, dense."""
    picked = joined(parts)[start:end]
    picked = picked.toarray() if sparse.issparse(picked) else picked
    return np.ascontiguousarray(picked, dtype=dtype)
