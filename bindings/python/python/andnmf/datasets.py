"""Samples whose true components and weights are known: the datasets of the paper, and harder ones.

Every function returns a :class:`sklearn.utils.Bunch` with ``samples`` (n_samples × n_features), ``truth``
(n_components × n_features), ``weights`` (n_samples × n_components), ``init`` (a start near the truth) and ``recipe``
(all settings). ``samples = weights @ truth``, plus noise where asked for. The same settings give the same bits, here
and with ``andnmf generate``.

The common parameters:

n_samples, n_features, n_components : int
    Sizes; the paper's are 5000, 2940 and 100. A given ``truth`` brings its own.
noise : float
    About the norm of what is added to one sample.
truth : array-like of shape (n_components, n_features), optional
    Components to build on instead of the built-in ones.
in_span, out_of_span : float
    How much ``init`` mixes the true components, and how far it leaves their span.
random_state : int, RandomState instance or None, default=0
    Where all chance comes from.
"""

from __future__ import annotations

import json
from typing import Any

from sklearn.utils import Bunch

from andnmf import _core, _settings
from andnmf._input import read_matrix, seed_of

__all__ = ["make_binary", "make_ctm", "make_ctm_released", "make_decay", "make_dir", "make_neg", "make_paired"]


def make_dir(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    concentration: float | None = None,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """Topics with Dirichlet weights: the paper's DIR.

    Parameters
    ----------
    concentration : float, default=5
        Sum of the Dirichlet parameters; the smaller, the sparser.
    n_samples, n_features, n_components, noise, truth, in_span, out_of_span, random_state
        See :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("dir", {"concentration": concentration}, sizes, (noise, in_span, out_of_span), truth, random_state)


def make_ctm(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    scale: float | None = None,
    correlation: float | None = None,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """Topics with correlated logistic-normal weights of one covariance: the paper's CTM.

    Parameters
    ----------
    scale : float, default=3
        Standard deviation of the logits; the larger, the sparser.
    correlation : float, default=0.5
        Share of the logits' variance that components share, 0 to 1.
    n_samples, n_features, n_components, noise, truth, in_span, out_of_span, random_state
        See :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_ctm
    >>> data = make_ctm(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("ctm", {"scale": scale, "correlation": correlation}, sizes, (noise, in_span, out_of_span), truth, random_state)


def make_ctm_released(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """What the paper's released code draws for CTM: nearly one component per sample.

    The parameters are those of every dataset, see :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_ctm_released
    >>> data = make_ctm_released(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("ctm-released", {}, sizes, (noise, in_span, out_of_span), truth, random_state)


def make_neg(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """Components with negative entries: the paper's NEG.

    The parameters are those of every dataset, see :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_neg
    >>> data = make_neg(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("neg", {}, sizes, (noise, in_span, out_of_span), truth, random_state)


def make_binary(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    sparsity: int | None = None,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """Topics with weights of 0 and 1, a fixed number of them 1.

    Parameters
    ----------
    sparsity : int, default=5
        Weights that are 1 in a sample; at most half of the components by default.
    n_samples, n_features, n_components, noise, truth, in_span, out_of_span, random_state
        See :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_binary
    >>> data = make_binary(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("binary", {"sparsity": sparsity}, sizes, (noise, in_span, out_of_span), truth, random_state)


def make_decay(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    sparsity: float | None = None,
    decay_order: float | None = None,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
) -> Bunch:
    """Topics with sparse weights, of which small ones are rare.

    Parameters
    ----------
    sparsity : float, default=5
        Weights that are on in a sample, on average; at most half of the components by default.
    decay_order : float, default=2
        How rare small weights are; 1 is uniform.
    n_samples, n_features, n_components, noise, truth, in_span, out_of_span, random_state
        See :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_decay
    >>> data = make_decay(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("decay", {"sparsity": sparsity, "order": decay_order}, sizes, (noise, in_span, out_of_span), truth, random_state)


def make_paired(
    n_samples: int | None = None,
    n_features: int | None = None,
    n_components: int | None = None,
    *,
    sparsity: float | None = None,
    co_occurrence: float | None = None,
    decay_order: float | None = None,
    noise: float | None = None,
    truth: Any = None,
    in_span: float | None = None,
    out_of_span: float | None = None,
    random_state: Any = 0,
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
    n_samples, n_features, n_components, noise, truth, in_span, out_of_span, random_state
        See :mod:`andnmf.datasets`.

    Examples
    --------
    >>> from andnmf.datasets import make_paired
    >>> data = make_paired(n_samples=50, n_features=20, n_components=4)
    >>> data.samples.shape, data.truth.shape, data.weights.shape, data.init.shape
    ((50, 20), (4, 20), (50, 4), (4, 20))
    """
    sizes = (n_samples, n_features, n_components)
    return _make("paired", {"sparsity": sparsity, "co_occurrence": co_occurrence, "decay_order": decay_order}, sizes, (noise, in_span, out_of_span), truth, random_state)


def _make(
    kind: str, weights: dict[str, Any], sizes: tuple, scales: tuple, truth: Any, random_state: Any
) -> Bunch:
    """A dataset; what is ``None`` is as usual for the kind."""
    n_samples, n_features, n_components = sizes
    if truth is not None:
        truth = read_matrix(truth, "truth")
        for name, asked, given in [("n_components", n_components, 0), ("n_features", n_features, 1)]:
            if asked is not None and asked != truth.shape[given]:
                raise ValueError(f"{name} is {asked}, but the truth has {truth.shape[given]}; leave {name} out")
        n_components, n_features = truth.shape
    numbers = {"noise": scales[0], "in_span": scales[1], "out_of_span": scales[2]}
    counts = {"n_samples": n_samples, "n_features": n_features, "n_components": n_components}
    recipe = {name: _settings.integer(name, value) for name, value in counts.items() if value is not None}
    recipe |= {name: _settings.number(name, value) for name, value in numbers.items() if value is not None}
    read = {"sparsity": _settings.integer} if kind == "binary" else {}
    own = {
        name: read.get(name, _settings.number)(name, value) for name, value in weights.items() if value is not None
    }
    recipe |= {"seed": seed_of(random_state), "weights": own}
    if "n_components" in recipe:
        recipe["rank"] = recipe.pop("n_components")
    made = _core.dataset(kind, json.dumps(recipe), truth)
    return Bunch(**(made | {"recipe": json.loads(made["recipe"])}))
