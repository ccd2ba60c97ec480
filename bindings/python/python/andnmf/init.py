"""Initializations: functions that compute the start that the parameter ``init`` of estimators names."""

from __future__ import annotations

from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, read_samples, resolve_seed, threads

__all__ = ["nndsvd", "random", "random_samples", "spa"]


def spa(X: Any, n_components: int, *, n_jobs: int | None = None) -> np.ndarray:
    """Select the most extreme samples by the successive projection algorithm (SPA).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_components : int
        Number of components.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The initial components.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import spa
    >>> spa(np.array([[4.0, 0.0], [1.0, 1.0], [0.0, 3.0]]), 2).shape
    (2, 2)
    """
    return _start(X, "spa", n_components, 0, n_jobs)


def random_samples(
    X: Any, n_components: int, *, random_state: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Select samples at random, without replacement.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_components : int
        Number of components.
    random_state : int, RandomState instance or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The initial components.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import random_samples
    >>> random_samples(np.eye(4), 2, random_state=0).sum(axis=1)
    array([1., 1.])
    """
    return _start(X, "random-samples", n_components, resolve_seed(random_state), n_jobs)


def random(X: Any, n_components: int, *, random_state: Any = None) -> np.ndarray:
    """Draw non-negative random components on the scale of the samples, as ``NMF(init="random")`` does.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_components : int
        Number of components.
    random_state : int, RandomState instance or None, default=None
        Random seed.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The initial components.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import random
    >>> random(np.eye(4), 2, random_state=0).shape
    (2, 4)
    """
    X = read_samples(X)
    rank = _settings.at_least(1, "n_components", n_components)
    # Weights and components of this scale reproduce the mean of the samples.
    size = np.sqrt(abs(float(X.mean(dtype=np.float64))) / rank) or 1.0
    drawn = np.random.default_rng(resolve_seed(random_state)).standard_normal((rank, X.shape[1]))
    return (size * np.abs(drawn)).astype(X.dtype)


def nndsvd(
    X: Any, n_components: int, *, fill: str = "zeros", random_state: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Compute the non-negative double SVD (NNDSVD) of non-negative samples.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_components : int
        Number of components.
    fill : {"zeros", "mean", "random"}, default="zeros"
        Replace zeros by the mean of the samples (``"mean"``, NNDSVDa) or by random numbers up to a hundredth of it
        (``"random"``, NNDSVDar), for methods that cannot leave zero, such as multiplicative updates.
    random_state : int, RandomState instance or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The initial components.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf.init import nndsvd
    >>> bool((nndsvd(np.array([[4.0, 0.5], [1.0, 1.0], [0.5, 3.0]]), 2, fill="mean", random_state=0) > 0).all())
    True
    """
    names = {"zeros": "nndsvd", "mean": "nndsvda", "random": "nndsvdar"}
    name = names[_settings.choice("fill", fill, tuple(names))]
    return _start(X, name, n_components, resolve_seed(random_state), n_jobs)


def _start(X: Any, name: str, n_components: int, seed: int, n_jobs: int | None) -> np.ndarray:
    samples = as_samples(read_samples(X))
    rank = _settings.at_least(1, "n_components", n_components)
    return _core.start(samples, name, rank, seed, threads(n_jobs))
