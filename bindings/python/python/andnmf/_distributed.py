"""Samples that are processed where they are stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from andnmf import _core


class DistributedSamples(ABC):
    """Samples on which the compiled part runs queries instead of reading them.

    ``precision`` is the library's name for ``dtype``. Whoever holds the samples passes each query to their parts, where
    ``andnmf._core.execute`` runs it, merges the sums with ``andnmf._core.merge``, and joins the rows: all of it bytes.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    stored_values: int
    is_sparse: bool

    @property
    def precision(self) -> str:
        """As the library calls it."""
        return "f32" if self.dtype == np.float32 else "f64"

    @abstractmethod
    def execute(
        self, query: str, arguments: bytes, rows: bytes, row_bytes: int, returns_rows: bool
    ) -> tuple[bytes, bytes]:
        """Run a query on all samples.

        Parameters
        ----------
        query : str
            Its name; also what ``_core.merge`` needs to know.
        arguments : bytes
            What every part of the samples receives.
        rows : bytes
            ``row_bytes`` for each sample; a part receives those of its own.
        row_bytes : int
        returns_rows : bool
            Whether parts return bytes for each sample beside their sums.

        Returns
        -------
        sums, rows : bytes
            The merged sums, and the rows of all parts in the order of the samples.
        """

    @abstractmethod
    def rows(self, start: int, end: int) -> np.ndarray:
        """Some samples, dense."""

    def unexplained(self, components: np.ndarray) -> tuple[float, float]:
        """The squared size of what components leave of the samples, and that of the samples."""
        components = np.ascontiguousarray(components, dtype=self.dtype)
        return _core.unexplained(self, components, 1)

    def sizes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """The sums and the lengths of samples, the sum of all samples, and the lowest value or zero."""
        return _core.sample_sizes(self, 1)

    def mean(self, dtype: Any = None) -> float:
        """The mean of all values, in double precision whatever is asked for."""
        return float(self.sizes()[2].sum()) / (self.shape[0] * self.shape[1])


def is_dask(X: Any) -> bool:
    """Whether these are samples of dask, which need not be installed."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")
