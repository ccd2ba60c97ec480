"""Components to begin with, found in samples: what the ``init`` of estimators does by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, read_samples, seed_of, threads

__all__ = ["nndsvd", "random", "random_samples", "spa"]


def spa(X: Any, n_components: int, *, n_jobs: int | None = None) -> np.ndarray:
    """Samples that stick out furthest, by successive projection.

    Returns
    -------
    ndarray of shape (n_components, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import spa
    >>> spa(np.array([[4.0, 0.0], [1.0, 1.0], [0.0, 3.0]]), 2).shape
    (2, 2)
    """
    return _find(X, "spa", n_components, 0, n_jobs)


def random_samples(
    X: Any, n_components: int, *, random_state: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Samples drawn at random, each at most once.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import random_samples
    >>> random_samples(np.eye(4), 2, random_state=0).sum(axis=1)
    array([1., 1.])
    """
    return _find(X, "random-samples", n_components, seed_of(random_state), n_jobs)


def random(X: Any, n_components: int, *, random_state: Any = None) -> np.ndarray:
    """Random numbers, not negative, of a size that lets them make up the samples: what ``NMF`` calls ``"random"``.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import random
    >>> random(np.eye(4), 2, random_state=0).shape
    (2, 4)
    """
    X = read_samples(X)
    rank = _settings.at_least(1, "n_components", n_components)
    # Of weights and components of this size, products add up to the mean of the samples.
    size = np.sqrt(abs(float(X.mean(dtype=np.float64))) / rank) or 1.0
    drawn = np.random.default_rng(seed_of(random_state)).standard_normal((rank, X.shape[1]))
    return (size * np.abs(drawn)).astype(X.dtype)


def nndsvd(
    X: Any, n_components: int, *, fill: str = "zeros", random_state: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Non-negative parts of the leading singular vectors; samples must not be negative.

    Parameters
    ----------
    fill : {"zeros", "mean", "random"}, default="zeros"
        Whether zeros stay, or become the mean of the samples (``NMF`` calls that ``"nndsvda"``) or random numbers up to
        a hundredth of it (``"nndsvdar"``), for methods that cannot leave a zero.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import nndsvd
    >>> bool((nndsvd(np.array([[4.0, 0.5], [1.0, 1.0], [0.5, 3.0]]), 2, fill="mean", random_state=0) > 0).all())
    True
    """
    names = {"zeros": "nndsvd", "mean": "nndsvda", "random": "nndsvdar"}
    name = names[_settings.word("fill", fill, tuple(names))]
    return _find(X, name, n_components, seed_of(random_state), n_jobs)


def _find(X: Any, name: str, n_components: int, seed: int, n_jobs: int | None) -> np.ndarray:
    samples = as_samples(read_samples(X))
    rank = _settings.at_least(1, "n_components", n_components)
    return _core.start(samples, name, rank, seed, threads(n_jobs))
