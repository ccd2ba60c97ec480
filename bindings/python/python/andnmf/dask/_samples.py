"""Distributed samples of a dask array: runs queries on its blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed, delayed

from andnmf._distributed import DistributedSamples
from andnmf.dask import _blocks

#: Disables dask's warning about large graphs: the size of queries is expected.
_NO_GRAPH_SIZE_WARNING = {"distributed.admin.large-graph-warning-threshold": "1TB"}


class DaskSamples(DistributedSamples):
    """The samples of a dask array or DataFrame, which stay on the workers.

    Parameters
    ----------
    X : dask array or DataFrame of shape (n_samples, n_features)
        Blocks are NumPy arrays or ``scipy.sparse`` matrices; their numbers of rows may be unknown.
    """

    def __init__(self, X: Any):
        # The current scheduler, also for later queries.
        self._scheduler = get_scheduler(collections=[X])
        self._blocks = blocks_of(X)
        blocks = self._compute([delayed(_blocks.inspect_block, pure=False)(parts) for parts in self._blocks])
        widths = {block.shape[1] for block in blocks}
        if len(widths) > 1:
            raise ValueError(f"X has blocks with different numbers of features: {sorted(widths)}")
        counts = [block.shape[0] for block in blocks]
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        for block, start in zip(blocks, self._starts, strict=False):
            _blocks.raise_if_non_finite(block.non_finite, int(start))
        self.shape = (int(self._starts[-1]), widths.pop() if widths else 0)
        if 0 in self.shape:
            raise ValueError(
                f"Found array with {self.shape[0]} sample(s) and {self.shape[1]} feature(s), but a minimum of 1 of "
                "each is required"
            )
        self.stored_values = sum(block.stored_values for block in blocks)
        self.is_sparse = any(block.is_sparse for block in blocks)
        single = all(block.is_single for block in blocks)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def execute(
        self, query: str, arguments: bytes, rows: bytes, row_bytes: int, returns_rows: bool
    ) -> tuple[bytes, bytes]:
        """Run a query on all blocks; merge sums along a tree, and concatenate rows."""
        # As a task of its own, it is sent once per worker and recomputed if a worker is lost.
        common = delayed((query, arguments), pure=False, traverse=False)
        task = delayed(_blocks.execute, pure=False, nout=2)
        parts = []
        for i, block in self._nonempty():
            start, end = int(self._starts[i]), int(self._starts[i + 1])
            own = rows[start * row_bytes : end * row_bytes]
            parts.append(task(block, self.dtype, (start, end), common, own))
        merge = delayed(_blocks.merge, pure=False)
        sums = tree_reduce(lambda left, right: merge(query, left, right), [part[0] for part in parts])
        results = self._compute([sums, *(part[1] for part in parts if returns_rows)])
        return results[0], b"".join(results[1:])

    def rows(self, start: int, end: int) -> np.ndarray:
        """The samples from ``start`` to ``end``, dense."""
        task = delayed(_blocks.rows, pure=False)
        tasks = []
        for i, parts in self._nonempty():
            first, last = int(self._starts[i]), int(self._starts[i + 1])
            if first < end and start < last:
                tasks.append(task(parts, self.dtype, max(start - first, 0), min(end, last) - first))
        return np.concatenate(self._compute(tasks))

    def _nonempty(self) -> list[tuple[int, Sequence[Delayed]]]:
        """The numbers and parts of the blocks that are not empty."""
        return [(i, parts) for i, parts in enumerate(self._blocks) if self._starts[i] < self._starts[i + 1]]

    def _compute(self, tasks: Sequence[Delayed]) -> Sequence[Any]:
        with dask.config.set(_NO_GRAPH_SIZE_WARNING):
            return dask.compute(*tasks, scheduler=self._scheduler)


def is_frame(X: Any) -> bool:
    """True for dask DataFrames. Looks at the type, since Delayed objects have every attribute."""
    return hasattr(type(X), "to_dask_array")


def as_array(X: Any) -> Any:
    """A dask array or DataFrame as an array."""
    if is_frame(X):
        X = X.to_dask_array()
    if not hasattr(type(X), "ndim"):
        raise TypeError(f"X is {type(X).__name__}, but it must be a dask array or DataFrame")
    return X


def blocks_of(X: Any) -> list[list[Delayed]]:
    """The blocks of samples, each as a list of its chunks along the features."""
    X = as_array(X)
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D, but the dask array has shape {X.shape}")
    return [list(parts) for parts in X.to_delayed()]


def tree_reduce(add: Callable[[Any, Any], Any], values: Sequence[Any]) -> Any:
    """Reduce values along a binary tree that depends on their number alone."""
    values = list(values)
    while len(values) > 1:
        pairs = [add(*values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) - len(values) % 2 :]
    return values[0]
