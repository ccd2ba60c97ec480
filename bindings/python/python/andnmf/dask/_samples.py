"""The blocks of a dask array as samples on which queries run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed, delayed

from andnmf._distributed import DistributedSamples
from andnmf.dask import _blocks

#: Queries are as large as they are: there is nothing to be warned of.
_QUIET = {"distributed.admin.large-graph-warning-threshold": "1TB"}


class DaskSamples(DistributedSamples):
    """The samples of a dask array (or DataFrame), which stay where they are.

    Parameters
    ----------
    X : dask array or DataFrame of shape (n_samples, n_features)
        Blocks are numpy arrays or ``scipy.sparse`` matrices. Numbers of rows need not be known beforehand.
    """

    def __init__(self, X: Any):
        # The one that is current now, whatever is when queries come.
        self._get = get_scheduler(collections=[X])
        self._blocks = blocks_of(X)
        surveyed = self._compute([delayed(_blocks.survey, pure=False)(parts) for parts in self._blocks])
        widths = {block.shape[1] for block in surveyed}
        if len(widths) > 1:
            raise ValueError(f"blocks have different numbers of features: {sorted(widths)}")
        counts = [block.shape[0] for block in surveyed]
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        for block, start in zip(surveyed, self._starts, strict=False):
            _blocks.refuse_wrong(block.wrong, int(start))
        self.shape = (int(self._starts[-1]), widths.pop() if widths else 0)
        if 0 in self.shape:
            raise ValueError(
                f"Found array with {self.shape[0]} sample(s) and {self.shape[1]} feature(s), but a minimum of 1 of "
                "each is required"
            )
        self.stored_values = sum(block.stored_values for block in surveyed)
        self.is_sparse = any(block.is_sparse for block in surveyed)
        single = all(block.is_single for block in surveyed)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def execute(
        self, query: str, arguments: bytes, rows: bytes, row_bytes: int, returns_rows: bool
    ) -> tuple[bytes, bytes]:
        """Run a query on all blocks; sums are merged along a tree, rows come here block by block."""
        # As one task it goes to each worker once, not to each block, and is there again if a worker is lost.
        common = delayed((query, arguments), pure=False, traverse=False)
        task = delayed(_blocks.execute, pure=False, nout=2)
        parts = []
        for i, block in self._filled():
            start, end = int(self._starts[i]), int(self._starts[i + 1])
            own = rows[start * row_bytes : end * row_bytes]
            parts.append(task(block, self.dtype, (start, end), common, own))
        merge = delayed(_blocks.merge, pure=False)
        sums = tree(lambda left, right: merge(query, left, right), [part[0] for part in parts])
        found = self._compute([sums, *(part[1] for part in parts if returns_rows)])
        return found[0], b"".join(found[1:])

    def rows(self, start: int, end: int) -> np.ndarray:
        """Some samples, dense."""
        task = delayed(_blocks.rows, pure=False)
        wanted = []
        for i, parts in self._filled():
            first, last = int(self._starts[i]), int(self._starts[i + 1])
            if first < end and start < last:
                wanted.append(task(parts, self.dtype, max(start - first, 0), min(end, last) - first))
        return np.concatenate(self._compute(wanted))

    def _filled(self) -> list[tuple[int, Sequence[Delayed]]]:
        """The blocks that have samples."""
        return [(i, parts) for i, parts in enumerate(self._blocks) if self._starts[i] < self._starts[i + 1]]

    def _compute(self, tasks: Sequence[Delayed]) -> Sequence[Any]:
        with dask.config.set(_QUIET):
            return dask.compute(*tasks, scheduler=self._get)


def is_frame(X: Any) -> bool:
    """Whether it has columns with names. (Delayed objects have whatever they are asked for, but their type does not.)"""
    return hasattr(type(X), "to_dask_array")


def as_array(X: Any) -> Any:
    """A dask array or DataFrame as an array."""
    if is_frame(X):
        X = X.to_dask_array()
    if not hasattr(type(X), "ndim"):
        raise TypeError(f"samples must be a dask array or DataFrame, not {type(X).__name__}")
    return X


def blocks_of(X: Any) -> list[list[Delayed]]:
    """The blocks of whole samples, each as the parts that its features are cut into."""
    X = as_array(X)
    if X.ndim != 2:
        raise ValueError(f"samples must have rows and columns, but the dask array has shape {X.shape}")
    return [list(parts) for parts in X.to_delayed()]


def tree(add: Callable[[Any, Any], Any], values: Sequence[Any]) -> Any:
    """All values added up in pairs of neighbours, pairs of those, and so on: by their places alone."""
    values = list(values)
    while len(values) > 1:
        pairs = [add(*values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) - len(values) % 2 :]
    return values[0]
