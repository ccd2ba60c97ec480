"""How many components there are, and the weights of samples under components that are known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, read_components, read_samples, seed_of, threads


@dataclass(frozen=True)
class RankSuggestion:
    """What samples say about the number of components.

    Attributes
    ----------
    rank : int or None
        The number to take; None where the samples have no clear answer.
    verdict : {"good", "doubtful", "poor"}
        How far to believe it.
    reasons : list of dict
        Why, and what to do: ``code``, ``text``, ``advice``, ``components`` of each reason.
    noise_rank : int or None
        The rank at which the singular values sink into noise.
    scores : dict of ndarray
        A value per rank: ``rank``, ``last_kept`` and ``first_left_out`` (singular values as shares of the largest),
        ``noise_edge``, ``held_out_error``, ``unstable_share``; NaN where there is none.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, noise=0.01, random_state=0)
    >>> found = andnmf.suggest_rank(data.samples, ranks=range(1, 6), stability=False, random_state=0)
    >>> isinstance(found, andnmf.RankSuggestion), found.verdict
    (True, 'good')
    """

    rank: int | None
    verdict: str
    reasons: list[dict[str, Any]]
    noise_rank: int | None
    scores: dict[str, np.ndarray] = field(repr=False)


def suggest_rank(
    X: Any,
    ranks: Iterable[int] = range(1, 21),
    *,
    stability: bool = True,
    folds: int = 4,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> RankSuggestion:
    """Score numbers of components by noise, held-out error and stability, and say which to take and why.

    The same as the command ``andnmf suggest-rank``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    ranks : iterable of int, default=range(1, 21)
        The numbers to score; those between the lowest and the highest are looked at as well.
    stability : bool, default=True
        Whether to fit the samples and two halves of them at up to nine ranks: by far the longest part.
    folds : int, default=4
        How often a random quarter of the values is held out and predicted; 0 for no held-out error.
    random_state : int, RandomState instance or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Threads; ``None`` and -1 are all cores.

    Returns
    -------
    RankSuggestion

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, noise=0.01, random_state=0)
    >>> found = andnmf.suggest_rank(data.samples, ranks=range(1, 6), stability=False, random_state=0)
    >>> found.rank, found.scores["rank"].tolist()
    (3, [1, 2, 3, 4, 5])
    """
    asked = sorted({_settings.at_least(1, "ranks", rank) for rank in ranks})
    if not asked:
        raise ValueError("ranks is empty, but it must hold at least one number")
    text = _core.suggest_rank(
        as_samples(read_samples(X)),
        asked[0],
        asked[-1],
        _settings.flag("stability", stability),
        _settings.integer("folds", folds),
        seed_of(random_state),
        threads(n_jobs),
    )
    found = json.loads(text)
    rows = [row for row in found["scores"] if row["rank"] in asked]
    names = ("rank", "last_kept", "first_left_out", "noise_edge", "held_out_error", "unstable_share")
    scores = {name: np.array([np.nan if row[name] is None else row[name] for row in rows]) for name in names}
    scores["rank"] = scores["rank"].astype(np.int64)
    return RankSuggestion(found["rank"], found["verdict"], found["reasons"], found["noise_rank"], scores)


def nnls(X: Any, components: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """The non-negative least-squares weights of samples under components that are known.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        float32 and float64 are read in place, CSR matrices too.
    components : array-like of shape (n_components, n_features), or fitted estimator
    n_jobs : int or None, default=None
        Threads; ``None`` and -1 are all cores.

    Returns
    -------
    ndarray of shape (n_samples, n_components)

    Examples
    --------
    >>> import andnmf
    >>> andnmf.nnls([[2.0, 3.0], [-1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    array([[2., 3.],
           [0., 1.]])
    """
    samples = read_samples(X)
    return _core.weights(as_samples(samples), read_components(components, dtype=samples.dtype), threads(n_jobs))
