"""Plots of components: images, curves, distinctive features, and maps of their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from andnmf import _core
from andnmf._input import PRECISIONS, read_components, read_weights
from andnmf.plot import _style

#: More curves without names have a colour bar instead of a legend.
LEGEND_ENTRIES = 20
#: Rows of a legend beside the axes.
ROWS = 12


def components(model: Any, *, shape: tuple[int, int] | None = None, x: Any = None, n: int = 8) -> Any:
    """Plot components as their features suggest: images, curves, or bars of their most distinctive features.

    Parameters
    ----------
    model : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    shape : tuple of int, optional
        Height and width, if they are images.
    x : array-like of shape (n_features,), optional
        Positions of the features, if they are curves, such as wavelengths. Names of features that are rising or falling
        numbers are such positions.
    n : int, default=8
        Number of features per component, if they are bars.

    Returns
    -------
    matplotlib Axes, or list of Axes
        The axes: one for curves, one per component otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> len(plot.components(np.eye(3), shape=(1, 3))), plot.components(np.eye(3), x=[400, 500, 600]).get_ylabel()
    (3, 'value')
    """
    if shape is not None:
        return images(model, shape)
    if x is None:
        x = _axis_of(getattr(model, "feature_names_in_", None))
    return features(model, n=n) if x is None else curves(model, x)


def _axis_of(names: Any) -> np.ndarray | None:
    """Names of features that are numbers in order, as numbers."""
    try:
        positions = np.array([float(name) for name in names])
    except (TypeError, ValueError):
        return None
    steps = np.diff(positions)
    return positions if len(positions) > 2 and ((steps > 0).all() or (steps < 0).all()) else None


@_style.styled
def images(components: Any, shape: tuple[int, int], *, columns: int = 8, names: Sequence[str] | None = None) -> list[Any]:
    """Plot components as images, one panel each.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    shape : tuple of int
        Height and width of the images.
    columns : int, default=8
        Number of panels per row.
    names : sequence of str, optional
        A name for each component.

    Returns
    -------
    list of matplotlib Axes
        One per component. Each has its own scale, from zero to its largest value.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> len(plot.images(np.random.default_rng(0).random((3, 12)), (3, 4)))
    3
    """
    components = read_components(components, dtype=PRECISIONS)
    height, width = shape
    if components.shape[1] != height * width:
        raise ValueError(f"shape is {shape}, but components has {components.shape[1]} features, not {height} × {width}")
    titles = _style.component_names(names, len(components)) if names is not None else map(str, range(len(components)))
    panels = _style.panels(len(components), columns, (1.0, 1.0 * height / width + 0.2))
    for title, component, ax in zip(titles, components, panels, strict=True):
        _image(ax, component.reshape(shape), title)
    return panels


def _image(ax: Any, pixels: np.ndarray, title: str, largest: float | None = None) -> Any:
    """Draw an image; with negative values, zero is the middle of the colours."""
    largest = largest or np.nanmax(np.abs(pixels)) or 1.0
    signed = np.nanmin(pixels) < 0
    how = {"cmap": _style.SIGNED, "vmin": -largest} if signed else {"cmap": _style.sizes(), "vmin": 0}
    image = ax.imshow(pixels, vmax=largest, interpolation="nearest", **how)
    ax.set_title(title, pad=2)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.5)
    return image


@_style.styled
def maps(weights: Any, shape: tuple[int, int], *, columns: int = 4, names: Sequence[str] | None = None, label: str = "weight") -> list[Any]:
    """Plot the weights of pixels as maps, one panel per component, all on one scale.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_components)
        The weights or shares of the pixels of a scene, row by row.
    shape : tuple of int
        Height and width of the scene.
    columns : int, default=4
        Number of panels per row.
    names : sequence of str, optional
        A name for each component.
    label : str, default="weight"
        The label of the scale.

    Returns
    -------
    list of matplotlib Axes
        One per component.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> len(plot.maps(np.random.default_rng(0).dirichlet([1, 1], size=12), (3, 4), label="share"))
    2
    """
    weights = read_weights(weights)
    height, width = shape
    if len(weights) != height * width:
        raise ValueError(f"shape is {shape}, but weights has {len(weights)} samples, not {height} × {width}")
    rank = weights.shape[1]
    titles = _style.component_names(names, rank)
    panels = _style.panels(rank, columns, (1.7, 1.7 * height / width + 0.25))
    largest = float(np.nanmax(weights)) or 1.0
    for k, ax in enumerate(panels):
        image = _image(ax, weights[:, k].reshape(shape), titles[k], largest)
    _style.colour_bar(image, panels, label)
    return panels


@_style.styled
def curves(
    components: Any, x: Any = None, *, names: Sequence[str] | None = None, xlabel: str | None = None, ax: Any = None
) -> Any:
    """Plot components as curves over their features, for example spectra.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    x : array-like of shape (n_features,), optional
        Positions of the features, for example wavelengths; by default their names, if those are numbers in order.
    names : sequence of str, optional
        A name for each component.
    xlabel : str, optional
        What ``x`` is, for example "wavelength (nm)".
    ax : matplotlib Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib Axes
        The axes.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> len(plot.curves(np.eye(3), names=["soil", "tree", "water"], xlabel="band").lines)
    3
    """
    if x is None:
        x = _axis_of(getattr(components, "feature_names_in_", None))
    components = read_components(components, dtype=PRECISIONS)
    rank, n_features = components.shape
    numbered = x is None
    x = np.arange(n_features) if x is None else np.asarray(x, dtype=np.float64)
    if x.shape != (n_features,):
        raise ValueError(f"x has shape {x.shape}, but it must be ({n_features},), one number per feature")
    labels = _style.component_names(names, rank)
    ax = _style.axes(ax, _style.WIDE)
    for component, label, colour in zip(components, labels, _style.colours(rank), strict=True):
        ax.plot(x, component, label=label, color=colour)
    ax.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    ax.set_xlabel(xlabel or ("feature" if numbered else "feature (position)"))
    ax.set_ylabel("value")
    if components.min() >= 0:
        ax.set_ylim(bottom=0)
    _style.grid(ax)
    if rank <= LEGEND_ENTRIES or names is not None:
        # Beside the axes, a legend covers no curve.
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=-(-rank // ROWS), fontsize="x-small")
    else:
        plt = _style.pyplot()
        scale = plt.cm.ScalarMappable(plt.Normalize(0, (rank - 1) / 0.95), _style.MANY)
        _style.colour_bar(scale, ax, "component")
    return ax


@_style.styled
def features(
    components: Any,
    feature_names: Any = None,
    *,
    n: int = 8,
    by: str = "relevance",
    columns: int = 4,
    names: Sequence[str] | None = None,
) -> list[Any]:
    """Plot the most distinctive features of each component as bars, one panel per component.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    feature_names : sequence of str, optional
        A name for each feature; by default ``feature_names_in_`` of the estimator, if it has that.
    n : int, default=8
        Number of features per component.
    by : {"relevance", "value"}, default="relevance"
        Which features: those that the component has more of than the others, or its largest.
    columns : int, default=4
        Number of panels per row.
    names : sequence of str, optional
        A name for each component.

    Returns
    -------
    list of matplotlib Axes
        One per component. The length of a bar is the share of the feature in the component.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> topics = np.array([[6.0, 4.0, 0.0], [6.0, 0.0, 4.0]])
    >>> ax = plot.features(topics, ["the", "bank", "river"], n=1)[0]
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['bank']
    """
    if feature_names is None:
        feature_names = getattr(components, "feature_names_in_", None)
    components = read_components(components, dtype=PRECISIONS)
    rank, n_features = components.shape
    labels = [f"feature {j}" for j in range(n_features)] if feature_names is None else [str(name) for name in feature_names]
    if len(labels) != n_features:
        raise ValueError(f"feature_names has {len(labels)} entries, but it must have {n_features}, one per feature")
    titles = _style.component_names(names, rank)
    top, _ = _core.top_features(np.ascontiguousarray(components), None, by, n)
    panels = _style.panels(rank, columns, (1.9, 0.17 * n + 0.45))
    for k, ax in enumerate(panels):
        chosen = top[k]
        share = components[k] / (np.abs(components[k]).sum() or 1.0)
        if not chosen:
            ax.text(0.5, 0.5, "nothing above zero", ha="center", va="center", transform=ax.transAxes)
            ax.set_xticks([])
        ax.barh(range(len(chosen)), 100 * share[chosen], color=_style.ACCENT, height=0.7)
        ax.set_yticks(range(len(chosen)), [_shortened(labels[j]) for j in chosen])
        ax.set_ylim(n - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_title(titles[k], loc="left")
        ax.xaxis.set_major_formatter("{x:g} %")
        ax.locator_params(axis="x", nbins=3)
        _style.grid(ax, "x")
    return panels


def _shortened(name: str, longest: int = 16) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def words(components: Any, vocabulary: Any = None, *, n_words: int = 10, columns: int = 4) -> list[Any]:
    """Plot the most distinctive words of each topic: :func:`features` by the names that texts use.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The topics.
    vocabulary : sequence of str, optional
        The words; by default ``feature_names_in_`` of the estimator, if it has that.
    n_words : int, default=10
        Number of words per topic.
    columns : int, default=4
        Number of panels per row.

    Returns
    -------
    list of matplotlib Axes
        One per topic.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> ax = plot.words(np.array([[3.0, 1.0, 0.0]]), ["river", "bank", "money"], n_words=2)[0]
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['river', 'bank']
    """
    count = len(read_components(components, dtype=PRECISIONS))
    return features(components, vocabulary, n=n_words, columns=columns, names=[f"topic {k}" for k in range(count)])
