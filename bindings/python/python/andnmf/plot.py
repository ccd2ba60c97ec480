"""Plots of fits with matplotlib (``pip install andnmf[plot]``).

Functions return the axes or the figure they draw on; they show and save nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from andnmf._input import PRECISIONS, read_components, read_weights

__all__ = ["convergence", "curves", "images", "weight_correlations", "words"]

#: Up to this many curves have matplotlib's default colours and a legend within the axes.
DEFAULT_COLOURS = 10
#: Rows of a legend beside the axes; more curves without names have a colour bar instead.
LEGEND_ROWS = 20
MANY_COLOURS = "turbo"


def convergence(model: Any, *, ax: Any = None) -> Any:
    """Plot the change of the components and the median threshold over the stages.

    Parameters
    ----------
    model : fitted estimator
        An estimator with ``trace_``.
    ax : matplotlib Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib Axes
        The axes.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, random_state=0)
    >>> model = andnmf.AND(n_components=3, random_state=0).fit(data.samples)
    >>> andnmf.plot.convergence(model).get_xlabel()
    'stage'
    """
    check_is_fitted(model, "trace_")
    ax = _axes(ax)
    trace = model.trace_
    for name, label in [("change", "change of the components"), ("threshold_median", "median threshold")]:
        shown = np.isfinite(trace[name]) & (trace[name] > 0)
        if shown.any():
            ax.plot(trace["stage"][shown], trace[name][shown], marker=".", label=label)
    ax.set_yscale("log")
    ax.set_xlabel("stage")
    ax.legend()
    return ax


def images(components: Any, shape: tuple[int, int], *, columns: int = 8) -> Any:
    """Plot components as images, one panel each.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    shape : tuple of int
        Height and width of the images.
    columns : int, default=8
        Number of panels per row.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> len(plot.images(np.random.default_rng(0).random((3, 12)), (3, 4)).axes)
    3
    """
    components = read_components(components, dtype=PRECISIONS)
    height, width = shape
    if components.shape[1] != height * width:
        raise ValueError(f"shape is {shape}, but components has {components.shape[1]} features, not {height} × {width}")
    figure = _panels(len(components), columns, (1.2, 1.4))
    for i, (component, ax) in enumerate(zip(components, figure.axes, strict=True)):
        # Signed components: zero in the middle of the colour map.
        limit = np.abs(component).max() or 1.0
        signed = component.min() < 0
        colours = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit} if signed else {"cmap": "gray"}
        ax.imshow(component.reshape(shape), **colours)
        ax.set_title(str(i), fontsize="small", pad=2)
        ax.set_axis_off()
    return figure


def curves(components: Any, x: Any = None, *, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Plot components as curves over their features, for example spectra.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    x : array-like of shape (n_features,), optional
        Positions of the features, for example wavelengths.
    names : sequence of str, optional
        A name for each component.
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
    >>> len(plot.curves(np.eye(3), names=["soil", "tree", "water"]).lines)
    3
    """
    components = read_components(components, dtype=PRECISIONS)
    rank, n_features = components.shape
    x = np.arange(n_features) if x is None else np.asarray(x)
    if x.shape != (n_features,):
        raise ValueError(f"x has shape {x.shape}, but it must be ({n_features},), one number per feature")
    if names is not None and len(names) != rank:
        raise ValueError(f"names has {len(names)} entries, but it must have {rank}, one per component")
    ax = _axes(ax)
    colours = _colours(rank)
    for i, component in enumerate(components):
        ax.plot(x, component, label=f"component {i}" if names is None else names[i], color=colours[i])
    if rank <= DEFAULT_COLOURS:
        ax.legend()
    elif rank <= LEGEND_ROWS or names is not None:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=-(-rank // LEGEND_ROWS), fontsize="x-small")
    else:
        scale = _pyplot().cm.ScalarMappable(_pyplot().Normalize(0, rank - 1), MANY_COLOURS)
        ax.figure.colorbar(scale, ax=ax, label="component")
    return ax


def words(components: Any, vocabulary: Any = None, *, n_words: int = 10, columns: int = 5) -> Any:
    """Plot the largest features of each component as bars, one panel per component.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    vocabulary : sequence of str, optional
        A name for each feature; by default ``feature_names_in_`` of the estimator, if it has that.
    n_words : int, default=10
        Number of features per component.
    columns : int, default=5
        Number of panels per row.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> figure = plot.words(np.array([[3.0, 1.0, 0.0]]), ["river", "bank", "money"], n_words=2)
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['river', 'bank']
    """
    if vocabulary is None:
        vocabulary = getattr(components, "feature_names_in_", None)
    components = read_components(components, dtype=PRECISIONS)
    n_features = components.shape[1]
    vocabulary = [f"feature {j}" for j in range(n_features)] if vocabulary is None else list(vocabulary)
    if len(vocabulary) != n_features:
        raise ValueError(f"vocabulary has {len(vocabulary)} entries, but it must have {n_features}, one per feature")
    figure = _panels(len(components), columns, (2.4, 0.25 * n_words + 0.6))
    for i, (component, ax) in enumerate(zip(components, figure.axes, strict=True)):
        top = [j for j in np.argsort(-component, kind="stable")[:n_words] if component[j] > 0]
        if not top:
            ax.text(0.5, 0.5, "nothing above zero", ha="center", va="center", transform=ax.transAxes, fontsize="small")
            ax.set_xticks([])
        ax.barh(range(len(top)), component[top])
        ax.set_yticks(range(len(top)), [vocabulary[j] for j in top])
        ax.invert_yaxis()
        ax.set_title(f"component {i}", fontsize="small")
        ax.tick_params(labelsize="small")
    return figure


def weight_correlations(weights: Any, *, ax: Any = None) -> Any:
    """Plot the matrix of correlations between the components' weights.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_components)
        The weights, as ``transform`` of an estimator returns them.
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
    >>> plot.weight_correlations(np.random.default_rng(0).random((20, 3))).images[0].get_array().shape
    (3, 3)
    """
    weights = read_weights(weights, finite=True)
    centred = weights - weights.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    # Constant weights have no correlation.
    lengths[lengths == 0] = np.inf
    correlations = (centred / lengths).T @ (centred / lengths)
    ax = _axes(ax)
    image = ax.imshow(correlations, cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set_xlabel("component")
    ax.set_ylabel("component")
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True)
    ax.figure.colorbar(image, ax=ax, label="correlation of weights")
    return ax


def _panels(count: int, columns: int, size: tuple[float, float]) -> Any:
    """A figure with ``count`` panels of ``size`` inches (width, height) each."""
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    figure = _pyplot().figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    for i in range(count):
        figure.add_subplot(rows, columns, i + 1)
    return figure


def _colours(count: int) -> list[Any]:
    """A list of ``count`` distinct colours."""
    pyplot = _pyplot()
    if count <= DEFAULT_COLOURS:
        return [f"C{i}" for i in range(count)]
    if count <= LEGEND_ROWS:
        return list(pyplot.get_cmap("tab20").colors[:count])
    return list(pyplot.get_cmap(MANY_COLOURS)(np.linspace(0, 1, count)))


def _axes(ax: Any) -> Any:
    # This layout leaves space for a legend beside the axes.
    return _pyplot().figure(layout="constrained").add_subplot() if ax is None else ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install andnmf[plot]") from error
    return pyplot
