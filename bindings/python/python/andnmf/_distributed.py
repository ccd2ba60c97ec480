"""Distributed samples, which are processed where they are stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from andnmf import _core


class DistributedSamples(ABC):
    """Samples on which the extension runs queries instead of reading them.

    An implementation sends each query to the blocks of samples, runs it there with ``andnmf._core.execute``, merges the
    sums with ``andnmf._core.merge`` and concatenates the rows. Arguments and results are bytes.

    Attributes
    ----------
    shape : tuple of int
        Numbers of samples and features.
    dtype : numpy.dtype
        float32 or float64.
    stored_values : int
        All values of dense blocks, the stored ones of sparse blocks.
    is_sparse : bool
        True if any block is sparse.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    stored_values: int
    is_sparse: bool

    @property
    def precision(self) -> str:
        """The library's name of ``dtype``."""
        return "f32" if self.dtype == np.float32 else "f64"

    @abstractmethod
    def execute(
        self, query: str, arguments: bytes, rows: bytes, row_bytes: int, returns_rows: bool
    ) -> tuple[bytes, bytes]:
        """Run a query on all samples.

        Parameters
        ----------
        query : str
            Name of the query, for ``_core.execute`` and ``_core.merge``.
        arguments : bytes
            Arguments for every block.
        rows : bytes
            ``row_bytes`` bytes per sample; each block receives those of its own samples.
        row_bytes : int
            Number of bytes per sample in ``rows``.
        returns_rows : bool
            True if blocks return bytes per sample in addition to sums.

        Returns
        -------
        sums, rows : bytes
            The merged sums, and the rows of all blocks in the order of the samples.
        """

    @abstractmethod
    def rows(self, start: int, end: int) -> np.ndarray:
        """The samples from ``start`` to ``end``, dense."""

    def squared_residual(self, components: np.ndarray) -> tuple[float, float]:
        """The squared Frobenius norms of the residual and of the samples."""
        components = np.ascontiguousarray(components, dtype=self.dtype)
        return _core.squared_residual(self, components, 1)

    def sizes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Sum and norm of each sample, the sum of all samples, and the lowest value or zero."""
        return _core.sample_sizes(self, 1)

    def mean(self, dtype: Any = None) -> float:
        """The mean of all values, always in double precision (``dtype`` is ignored)."""
        return float(self.sizes()[2].sum()) / (self.shape[0] * self.shape[1])


def is_dask(X: Any) -> bool:
    """True for dask collections; dask need not be installed."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")
