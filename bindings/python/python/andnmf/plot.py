"""Pictures of fits, through matplotlib (``pip install andnmf[plot]``).

Every function draws on the axes it is given, or on new ones, and returns them; nothing is shown or saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from andnmf._input import PRECISIONS, read_components, read_weights

__all__ = ["convergence", "curves", "images", "weight_correlations", "words"]

#: Curves that the usual colours tell apart, and whose legend fits beside them.
FEW = 10
#: Lines of a legend that stand one above the other; of more curves, only the colour tells the number.
LINES = 20
MANY = "turbo"


def convergence(model: Any, *, ax: Any = None) -> Any:
    """How far the components moved in each stage, and where the thresholds were.

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
        seen = np.isfinite(trace[name]) & (trace[name] > 0)
        if seen.any():
            ax.plot(trace["stage"][seen], trace[name][seen], marker=".", label=label)
    ax.set_yscale("log")
    ax.set_xlabel("stage")
    ax.legend()
    return ax


def images(components: Any, shape: tuple[int, int], *, columns: int = 8) -> Any:
    """Components as pictures of ``shape`` (height, width): a figure with one panel each.

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
        raise ValueError(f"components have {components.shape[1]} features, which are no {height} x {width} pixels")
    figure = _panels(len(components), columns, (1.2, 1.4))
    for i, (component, ax) in enumerate(zip(components, figure.axes, strict=True)):
        # Signed components have their zero in the middle of the colours.
        reach = np.abs(component).max() or 1.0
        signed = component.min() < 0
        colours = {"cmap": "RdBu_r", "vmin": -reach, "vmax": reach} if signed else {"cmap": "gray"}
        ax.imshow(component.reshape(shape), **colours)
        ax.set_title(str(i), fontsize="small", pad=2)
        ax.set_axis_off()
    return figure


def curves(components: Any, x: Any = None, *, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Components as curves over their features, spectra for instance.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
    x : array-like of shape (n_features,), optional
        Where the features lie, wavelengths for instance.
    names : sequence of str, optional
        A name for each component.

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
        raise ValueError(f"x must have a number for each of the {n_features} features, not {x.shape}")
    if names is not None and len(names) != rank:
        raise ValueError(f"there are {len(names)} names for {rank} components; each component needs one")
    ax = _axes(ax)
    colours = _colours(rank)
    for i, component in enumerate(components):
        ax.plot(x, component, label=f"component {i}" if names is None else names[i], color=colours[i])
    if rank <= FEW:
        ax.legend()
    elif rank <= LINES or names is not None:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=-(-rank // LINES), fontsize="x-small")
    else:
        scale = _pyplot().cm.ScalarMappable(_pyplot().Normalize(0, rank - 1), MANY)
        ax.figure.colorbar(scale, ax=ax, label="component")
    return ax


def words(components: Any, vocabulary: Any = None, *, n_words: int = 10, columns: int = 5) -> Any:
    """The features with the largest values of each component, as bars: a figure with one panel per component.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
    vocabulary : sequence of str, optional
        A name for each feature; of an estimator, ``feature_names_in_`` where it has them.

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
        raise ValueError(f"there are {len(vocabulary)} words for {n_features} features; each feature needs one")
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
    """The correlation of each pair of components' weights, as a picture.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_components)
        What ``transform`` of an estimator gives.

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
    # Weights that never change have no correlation with anything.
    lengths[lengths == 0] = np.inf
    correlations = (centred / lengths).T @ (centred / lengths)
    ax = _axes(ax)
    picture = ax.imshow(correlations, cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set_xlabel("component")
    ax.set_ylabel("component")
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True)
    ax.figure.colorbar(picture, ax=ax, label="correlation of weights")
    return ax


def _panels(count: int, columns: int, size: tuple[float, float]) -> Any:
    """A figure with as many panels, so many inches wide and high each."""
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    figure = _pyplot().figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    for i in range(count):
        figure.add_subplot(rows, columns, i + 1)
    return figure


def _colours(count: int) -> list[Any]:
    """As many colours, of which none comes twice unless there are very many."""
    pyplot = _pyplot()
    if count <= FEW:
        return [f"C{i}" for i in range(count)]
    if count <= LINES:
        return list(pyplot.get_cmap("tab20").colors[:count])
    return list(pyplot.get_cmap(MANY)(np.linspace(0, 1, count)))


def _axes(ax: Any) -> Any:
    # Such a layout makes room for what stands beside the axes.
    return _pyplot().figure(layout="constrained").add_subplot() if ax is None else ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install andnmf[plot]") from error
    return pyplot
