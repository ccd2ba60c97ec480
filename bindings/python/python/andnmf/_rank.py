"""Suggestion of the number of components; weights of samples by non-negative least squares."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from andnmf import _core, _settings
from andnmf._display import reason_text
from andnmf._input import as_samples, read_components, read_samples, resolve_seed, threads

if TYPE_CHECKING:
    import pandas as pd

    from andnmf._types import Reason, Verdict


@dataclass(frozen=True, repr=False)
class RankSuggestion:
    """The result of :func:`suggest_rank`.

    Attributes
    ----------
    rank : int or None
        The suggested number of components; None if the samples give no clear answer.
    verdict : {"good", "doubtful", "poor"}
        How far to trust it.
    reasons : list of dict
        The reasons for the verdict: ``code``, ``text``, ``advice``, ``components``.
    noise_rank : int or None
        The number of singular values above the noise.
    counts : dict or None
        How counts were scaled: ``overdispersion`` (0 is Poisson noise), ``n_samples`` and ``n_features``, the numbers of
        samples and features with enough counts, which were used. None if the samples were not taken for counts.
    scores : dict of ndarray
        One value per rank: ``rank``; ``last_kept`` and ``first_left_out``, the singular values at this rank and at the
        next one, relative to the largest; ``noise_edge``, ``held_out_error``, ``unstable_share``. NaN if not computed.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, noise=0.01, random_state=0)
    >>> result = andnmf.suggest_rank(data.samples, ranks=range(1, 6), stability=False, random_state=0)
    >>> isinstance(result, andnmf.RankSuggestion), result.verdict
    (True, 'good')
    """

    rank: int | None
    verdict: Verdict
    reasons: list[Reason]
    noise_rank: int | None
    counts: dict[str, Any] | None
    scores: dict[str, np.ndarray]

    def __repr__(self) -> str:
        found = "no clear answer" if self.rank is None else f"rank {self.rank}"
        return "\n".join([f"{found} ({self.verdict})", *(f"  - {reason_text(reason)}" for reason in self.reasons)])

    def to_frame(self) -> pd.DataFrame:
        """The scores as a pandas DataFrame, one row per rank."""
        import pandas as pd

        return pd.DataFrame(self.scores).set_index("rank")

    def plot(self, *, ax: Any = None) -> Any:
        """Plot the scores over the ranks, see :func:`andnmf.plot.rank_curve`."""
        from andnmf import plot

        return plot.rank_curve(self, ax=ax)


def suggest_rank(
    X: Any,
    ranks: Iterable[int] = range(1, 21),
    *,
    stability: bool = True,
    folds: int = 4,
    noise: str = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> RankSuggestion:
    """Suggest a number of components by noise level, cross-validation and stability.

    Equals the command ``andnmf suggest-rank``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples.
    ranks : iterable of int, default=range(1, 21)
        The numbers of components to score; those in between are evaluated as well.
    stability : bool, default=True
        Fit the samples and two halves of them at up to nine ranks; takes most of the time.
    folds : int, default=4
        Number of cross-validation folds; each holds out a random quarter of the values, or a random half of the counts.
        0 skips cross-validation.
    noise : {"auto", "gaussian", "poisson"}, default="auto"
        ``"poisson"``: the samples are counts, which are scaled so that their noise is white. ``"auto"`` recognizes counts;
        ``"gaussian"`` expects noise of equal variance.
    random_state : int, RandomState instance or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    RankSuggestion
        The suggested rank, its verdict and the scores.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, noise=0.01, random_state=0)
    >>> result = andnmf.suggest_rank(data.samples, ranks=range(1, 6), stability=False, random_state=0)
    >>> result.rank, result.scores["rank"].tolist()
    (3, [1, 2, 3, 4, 5])

    Counts:

    >>> import numpy as np
    >>> topics = np.random.default_rng(0).dirichlet(np.full(80, 0.1), size=4)
    >>> shares = np.random.default_rng(1).dirichlet(np.full(4, 0.3), size=500)
    >>> words = np.random.default_rng(2).poisson(60 * shares @ topics)
    >>> result = andnmf.suggest_rank(words, ranks=range(1, 11), stability=False, random_state=0)
    >>> result.rank, result.counts["overdispersion"] < 0.02
    (4, True)
    """
    requested = sorted({_settings.at_least(1, "ranks", rank) for rank in ranks})
    if not requested:
        raise ValueError("ranks is empty, but it must contain at least one number")
    text = _core.suggest_rank(
        as_samples(read_samples(X)),
        requested[0],
        requested[-1],
        _settings.flag("stability", stability),
        _settings.integer("folds", folds),
        resolve_seed(random_state),
        _settings.choice("noise", noise, _settings.NOISES),
        threads(n_jobs),
    )
    result = json.loads(text)
    rows = [row for row in result["scores"] if row["rank"] in requested]
    names = ("rank", "last_kept", "first_left_out", "noise_edge", "held_out_error", "unstable_share")
    scores = {name: np.array([np.nan if row[name] is None else row[name] for row in rows]) for name in names}
    scores["rank"] = scores["rank"].astype(np.int64)
    return RankSuggestion(
        result["rank"], result["verdict"], result["reasons"], result["noise_rank"], result["counts"], scores
    )


def nnls(X: Any, components: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """Compute the weights of samples under known components by non-negative least squares.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples. Arrays and CSR matrices of float32 and float64 are read in place.
    components : array-like of shape (n_components, n_features), or fitted estimator
        The components.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        The weights.

    Examples
    --------
    >>> import andnmf
    >>> andnmf.nnls([[2.0, 3.0], [-1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    array([[2., 3.],
           [0., 1.]])
    """
    samples = read_samples(X)
    return _core.weights(as_samples(samples), read_components(components, dtype=samples.dtype), threads(n_jobs))
