"""Synthetic datasets with known components and weights: those of the paper, and harder ones.

Every function returns a :class:`Dataset`, a :class:`sklearn.utils.Bunch` with ``samples`` (n_samples × n_features), ``truth``
(n_components × n_features), ``weights`` (n_samples × n_components), ``init`` (a start near the truth) and ``recipe``
(all settings). ``samples`` is ``weights @ truth``, plus noise if requested. Equal settings give bit-identical datasets,
here and with ``andnmf generate``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

import numpy as np

from andnmf import _core, _settings
from andnmf._input import read_matrix, resolve_seed

__all__ = [
    "make_binary",
    "make_ctm",
    "make_ctm_blocks",
    "make_ctm_fitted",
    "make_ctm_released",
    "make_decay",
    "make_dir",
    "make_neg",
    "make_paired",
]

if TYPE_CHECKING:
    from typing_extensions import Unpack

    # For type checkers a Bunch has any attribute, and misspelled ones would pass.
    Bunch = dict[str, Any]
else:
    from sklearn.utils import Bunch


class Dataset(Bunch):
    """A dataset: a dict whose keys are attributes."""

    samples: np.ndarray
    truth: np.ndarray
    weights: np.ndarray
    init: np.ndarray
    recipe: dict[str, Any]


class Common(TypedDict, total=False):
    """The parameters of every dataset."""

    n_samples: int | None
    n_features: int | None
    n_components: int | None
    noise: float | None
    noise_kind: str | None
    truth: Any
    in_span: float | None
    out_of_span: float | None
    random_state: Any


#: The distributions of noise.
_NOISE_KINDS = ("gaussian", "directional", "bounded", "heavy-tailed", "counts")

#: Documentation of the common parameters and the result.
_COMMON = """n_samples, n_features, n_components : int, default=5000, 2940, 100
        Sizes of the dataset. ``truth`` determines the last two if given.
    noise : float, default=0
        Approximate norm of the noise added to each sample.
    noise_kind : {"gaussian", "directional", "bounded", "heavy-tailed", "counts"}, default="gaussian"
        Distribution of the noise: directional noise has one direction for all samples, bounded noise exactly the norm
        ``noise``, and counts are those of a Poisson distribution.
    truth : array-like of shape (n_components, n_features), optional
        True components to use instead of the built-in ones.
    in_span, out_of_span : float, default=1, 0
        Perturbation of ``init``: how much it mixes the true components, and how far it leaves their span.
    random_state : int, RandomState instance or None, default=0
        Random seed. The same number gives the same dataset.

    Returns
    -------
    Bunch
        ``samples``, ``truth``, ``weights``, ``init`` and ``recipe``."""


def _make(
    kind: str,
    weights: dict[str, Any],
    logits: tuple[np.ndarray, np.ndarray] | None = None,
    *,
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    noise: float | None = None,
    noise_kind: str | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Dataset:
    """Generate a dataset; ``None`` stands for the default of the kind."""
    if truth is not None:
        truth = read_matrix(truth, "truth")
        for name, requested, axis in [("n_components", n_components, 0), ("n_features", n_features, 1)]:
            if requested is not None and requested != truth.shape[axis]:
                raise ValueError(f"{name} is {requested}, but truth has {truth.shape[axis]}; omit {name}")
        n_components, n_features = truth.shape
    recipe = _given(
        _settings.integer, {"n_samples": n_samples, "n_features": n_features, "n_components": n_components}
    )
    recipe |= _given(_settings.number, {"noise": noise, "in_span": in_span, "out_of_span": out_of_span})
    if noise_kind is not None:
        if noise_kind not in _NOISE_KINDS:
            raise ValueError(f"noise_kind is {noise_kind!r}, but it must be one of {', '.join(_NOISE_KINDS)}")
        recipe["noise_kind"] = noise_kind
    if "n_components" in recipe:
        recipe["rank"] = recipe.pop("n_components")
    read = _settings.integer if kind == "binary" else _settings.number
    recipe |= {"seed": resolve_seed(random_state), "weights": _given(read, weights)}
    dataset = _core.dataset(kind, json.dumps(recipe), truth, logits)
    return Dataset(**(dataset | {"recipe": json.loads(dataset["recipe"])}))


def _given(read: Callable[[str, Any], Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values that are not None, with their types checked."""
    return {name: read(name, value) for name, value in values.items() if value is not None}


_Made = TypeVar("_Made", bound=Callable[..., Dataset])


def _dataset(make: _Made) -> _Made:
    """Add the common parameters to a function's signature and docstring."""
    own = [p for p in inspect.signature(make).parameters.values() if p.kind is p.KEYWORD_ONLY]
    common = [p for p in inspect.signature(_make).parameters.values() if p.kind is p.KEYWORD_ONLY]

    @wraps(make)
    def checked(**given: Any) -> Dataset:
        for name in given:
            if name not in names:
                known = ", ".join(sorted(names))
                raise TypeError(f"{make.__name__}() got an unexpected keyword argument {name!r}; use one of {known}")
        return make(**given)

    names = {p.name for p in own + common}
    shown = inspect.Signature(own + common, return_annotation=Dataset)
    cast(Any, checked).__signature__ = shown
    checked.__doc__ = (make.__doc__ or "").replace("**common", _COMMON)
    return cast(_Made, checked)


@_dataset
def make_dir(*, concentration: float | None = None, **common: Unpack[Common]) -> Dataset:
    """Generate topics with Dirichlet weights: the paper's DIR.

    Parameters
    ----------
    concentration : float, default=5
        Sum of the Dirichlet parameters; smaller values give sparser weights.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("dir", {"concentration": concentration}, **common)


@_dataset
def make_ctm(
    *,
    scale: float | None = None,
    correlation: float | None = None,
    mean: Any = None,
    covariance: Any = None,
    **common: Unpack[Common],
) -> Dataset:
    """Generate topics with correlated logistic-normal weights: the paper's CTM.

    Parameters
    ----------
    scale : float, default=3
        Standard deviation of the logits; larger values give sparser weights.
    correlation : float, default=0.5
        Fraction of each logit's variance that comes from shared factors, 0 to 1.
    mean : array-like of shape (n_components,), default=zeros
        Mean of the logits, with ``covariance``.
    covariance : array-like of shape (n_components, n_components), optional
        Covariance of the logits, in place of ``scale`` and ``correlation``.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_ctm
    >>> data = make_ctm(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    logits = None
    if covariance is not None:
        if scale is not None or correlation is not None:
            raise ValueError("covariance replaces scale and correlation; omit them")
        covariance = read_matrix(covariance, "covariance")
        n_components = common.get("n_components")
        if n_components not in (None, len(covariance)):
            raise ValueError(f"n_components is {n_components}, but covariance has {len(covariance)} rows; omit n_components")
        given = np.zeros((1, len(covariance))) if mean is None else read_matrix(np.reshape(mean, (1, -1)), "mean")
        logits = (given[0], covariance)
    elif mean is not None:
        raise ValueError("mean is given without covariance; give the covariance, too")
    return _make("ctm", {"scale": scale, "correlation": correlation}, logits, **common)


@_dataset
def make_ctm_fitted(*, mean_share: float | None = None, **common: Unpack[Common]) -> Dataset:
    """Generate topics whose logistic-normal weights are correlated as the topics of the NIPS papers are.

    Parameters
    ----------
    mean_share : float, default=1
        Factor of the mean of the logits; with 0, no topic is rarer than others.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_ctm_fitted
    >>> data = make_ctm_fitted(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("ctm-fitted", {"mean_share": mean_share}, **common)


@_dataset
def make_ctm_blocks(
    *, scale: float | None = None, correlation: float | None = None, **common: Unpack[Common]
) -> Dataset:
    """Generate topics with logistic-normal weights whose logits come in strongly correlated pairs.

    Parameters
    ----------
    scale : float, default=3
        Standard deviation of the logits; larger values give sparser weights.
    correlation : float, default=0.9
        Correlation of the two logits of a pair.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_ctm_blocks
    >>> data = make_ctm_blocks(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("ctm-blocks", {"scale": scale, "correlation": correlation}, **common)


@_dataset
def make_ctm_released(**common: Unpack[Common]) -> Dataset:
    """Generate the CTM dataset of the paper's released code: nearly one component per sample.

    Parameters
    ----------
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_ctm_released
    >>> data = make_ctm_released(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("ctm-released", {}, **common)


@_dataset
def make_neg(**common: Unpack[Common]) -> Dataset:
    """Generate components with negative entries: the paper's NEG.

    Parameters
    ----------
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_neg
    >>> data = make_neg(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("neg", {}, **common)


@_dataset
def make_binary(*, sparsity: int | None = None, **common: Unpack[Common]) -> Dataset:
    """Generate topics with binary weights, a fixed number of them 1 in every sample.

    Parameters
    ----------
    sparsity : int, default=5
        Number of weights that are 1 in a sample; by default at most half of the components.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_binary
    >>> data = make_binary(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("binary", {"sparsity": sparsity}, **common)


@_dataset
def make_decay(
    *,
    sparsity: float | None = None,
    decay_order: float | None = None,
    **common: Unpack[Common],
) -> Dataset:
    """Generate topics with sparse weights, few of them small.

    Parameters
    ----------
    sparsity : float, default=5
        Average number of active weights in a sample; by default at most half of the components.
    decay_order : float, default=2
        Decay order q of the weights' distribution near zero; 1 is uniform, larger values give fewer small weights.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_decay
    >>> data = make_decay(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("decay", {"sparsity": sparsity, "order": decay_order}, **common)


@_dataset
def make_paired(
    *,
    sparsity: float | None = None,
    co_occurrence: float | None = None,
    decay_order: float | None = None,
    **common: Unpack[Common],
) -> Dataset:
    """Generate topics that occur in pairs, the most strongly correlated weights.

    Parameters
    ----------
    sparsity : float, default=5
        Average number of active weights in a sample; by default at most half of the components.
    co_occurrence : float, default=0.8
        Probability that both components of a pair are active, given that at least one is.
    decay_order : float, optional
        Decay order as in :func:`make_decay`; None gives weights of 0 and 1.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_paired
    >>> data = make_paired(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("paired", {"sparsity": sparsity, "co_occurrence": co_occurrence, "decay_order": decay_order}, **common)
