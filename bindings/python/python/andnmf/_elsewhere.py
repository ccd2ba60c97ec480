"""Samples that are not here, but answer for themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class Elsewhere(ABC):
    """What the compiled part asks for everything that it wants to know of samples.

    ``precision`` is the library's name for ``dtype``. A question is ``(kind, numbers, matrix, weights, thresholds)``, of
    which ``weights`` has a row for each sample and everything else goes to all of them; an answer is what
    ``andnmf._core.answer`` gives for the samples, put together.
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
    def ask(self, question: tuple) -> tuple:
        """The answer of all samples together."""

    @abstractmethod
    def rows(self, start: int, end: int) -> np.ndarray:
        """Some samples, dense."""

    @abstractmethod
    def residual_and_size(self, components: np.ndarray) -> tuple[float, float]:
        """The squared size of what components leave of the samples, and that of the samples."""

    def sizes(self) -> tuple[np.ndarray, np.ndarray, float]:
        """The sums and lengths of samples (n × 2), the sum of all samples, and the lowest value or zero."""
        _, sizes, _, _, total, lowest, _ = self.ask(("sizes", [], None, None, np.empty(0, self.dtype)))
        return sizes, total, float(lowest[0])

    def mean(self, dtype: Any = None) -> float:
        """The mean of all values, in double precision whatever is asked for."""
        return float(self.sizes()[1].sum()) / (self.shape[0] * self.shape[1])


def is_dask(X: Any) -> bool:
    """Whether these are samples of dask, which need not be installed."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")
