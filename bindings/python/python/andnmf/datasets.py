"""Samples whose true components and weights are known: the datasets of the paper, and harder ones.

Every function returns a :class:`sklearn.utils.Bunch` with ``samples`` (n_samples × n_features), ``truth``
(n_components × n_features), ``weights`` (n_samples × n_components), ``init`` (a start near the truth) and ``recipe``
(all settings). ``samples = weights @ truth``, plus noise where asked for. The same settings give the same bits, here
and with ``andnmf generate``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from sklearn.utils import Bunch

from andnmf import _core, _settings
from andnmf._input import read_matrix, seed_of

__all__ = ["make_binary", "make_ctm", "make_ctm_released", "make_decay", "make_dir", "make_neg", "make_paired"]

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Common(TypedDict, total=False):
    """The parameters of every dataset."""

    n_samples: int | None
    n_features: int | None
    n_components: int | None
    noise: float | None
    truth: Any
    in_span: float | None
    out_of_span: float | None
    random_state: Any


#: What every dataset says of the common parameters.
_COMMON = """n_samples, n_features, n_components : int, default=5000, 2940, 100
        Sizes. A given ``truth`` brings its own.
    noise : float, default=0
        About the norm of what is added to one sample.
    truth : array-like of shape (n_components, n_features), optional
        Components to build on instead of the built-in ones.
    in_span, out_of_span : float, default=1, 0
        How much ``init`` mixes the true components, and how far it leaves their span.
    random_state : int, RandomState instance or None, default=0
        Where all chance comes from. The same number gives the same dataset."""


def _make(
    kind: str,
    weights: dict[str, Any],
    *,
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """A dataset; what is ``None`` is as usual for the kind."""
    if truth is not None:
        truth = read_matrix(truth, "truth")
        for name, asked, given in [("n_components", n_components, 0), ("n_features", n_features, 1)]:
            if asked is not None and asked != truth.shape[given]:
                raise ValueError(f"{name} is {asked}, but the truth has {truth.shape[given]}; leave {name} out")
        n_components, n_features = truth.shape
    recipe = _given(
        _settings.integer, {"n_samples": n_samples, "n_features": n_features, "n_components": n_components}
    )
    recipe |= _given(_settings.number, {"noise": noise, "in_span": in_span, "out_of_span": out_of_span})
    if "n_components" in recipe:
        recipe["rank"] = recipe.pop("n_components")
    read = _settings.integer if kind == "binary" else _settings.number
    recipe |= {"seed": seed_of(random_state), "weights": _given(read, weights)}
    made = _core.dataset(kind, json.dumps(recipe), truth)
    return Bunch(**(made | {"recipe": json.loads(made["recipe"])}))


def _given(read: Callable[[str, Any], Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values that were given, checked for their types."""
    return {name: read(name, value) for name, value in values.items() if value is not None}


_Made = TypeVar("_Made", bound=Callable[..., Bunch])


def _dataset(make: _Made) -> _Made:
    """Shows the common parameters with a function's own, in its signature and in its description."""
    own = [p for p in inspect.signature(make).parameters.values() if p.kind is p.KEYWORD_ONLY]
    common = [p for p in inspect.signature(_make).parameters.values() if p.kind is p.KEYWORD_ONLY]

    @wraps(make)
    def checked(**given: Any) -> Bunch:
        for name in given:
            if name not in names:
                known = ", ".join(sorted(names))
                raise TypeError(f"{make.__name__}() got an unexpected keyword argument {name!r}; it has {known}")
        return make(**given)

    names = {p.name for p in own + common}
    shown = inspect.Signature(own + common, return_annotation=Bunch)
    cast(Any, checked).__signature__ = shown
    checked.__doc__ = (make.__doc__ or "").replace("**common", _COMMON)
    return cast(_Made, checked)


@_dataset
def make_dir(*, concentration: float | None = None, **common: Unpack[Common]) -> Bunch:
    """Topics with Dirichlet weights: the paper's DIR.

    Parameters
    ----------
    concentration : float, default=5
        Sum of the Dirichlet parameters; the smaller, the sparser.
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
def make_ctm(*, scale: float | None = None, correlation: float | None = None, **common: Unpack[Common]) -> Bunch:
    """Topics with correlated logistic-normal weights of one covariance: the paper's CTM.

    Parameters
    ----------
    scale : float, default=3
        Standard deviation of the logits; the larger, the sparser.
    correlation : float, default=0.5
        Share of the logits' variance that components share, 0 to 1.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_ctm
    >>> data = make_ctm(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("ctm", {"scale": scale, "correlation": correlation}, **common)


@_dataset
def make_ctm_released(**common: Unpack[Common]) -> Bunch:
    """What the paper's released code draws for CTM: nearly one component per sample.

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
def make_neg(**common: Unpack[Common]) -> Bunch:
    """Components with negative entries: the paper's NEG.

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
def make_binary(*, sparsity: int | None = None, **common: Unpack[Common]) -> Bunch:
    """Topics with weights of 0 and 1, a fixed number of them 1.

    Parameters
    ----------
    sparsity : int, default=5
        Weights that are 1 in a sample; at most half of the components by default.
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
) -> Bunch:
    """Topics with sparse weights, of which small ones are rare.

    Parameters
    ----------
    sparsity : float, default=5
        Weights that are on in a sample, on average; at most half of the components by default.
    decay_order : float, default=2
        How rare small weights are; 1 is uniform.
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
) -> Bunch:
    """Topics that occur in pairs: the strongest correlation of all.

    Parameters
    ----------
    sparsity : float, default=5
        Weights that are on in a sample, on average; at most half of the components by default.
    co_occurrence : float, default=0.8
        Probability that both components of a pair occur, where one does.
    decay_order : float, optional
        How rare small weights are; without it, weights are 0 and 1.
    **common

    Examples
    --------
    >>> from andnmf.datasets import make_paired
    >>> data = make_paired(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    return _make("paired", {"sparsity": sparsity, "co_occurrence": co_occurrence, "decay_order": decay_order}, **common)
