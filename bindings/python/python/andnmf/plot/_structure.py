"""Plots of how components relate: correlations of their weights, a graph of them, clustered features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster import hierarchy

from andnmf import _core
from andnmf._input import PRECISIONS, read_components, read_weights
from andnmf.plot import _style

#: Up to this many components are labelled one by one.
LABELLED = 30


def weight_correlations(weights: Any, *, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Plot the matrix of correlations between the components' weights.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_components)
        The weights, as ``transform`` of an estimator returns them.
    names : sequence of str, optional
        A name for each component.
    ax : matplotlib Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib Axes
        The axes. Similar components are next to each other.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> plot.weight_correlations(np.random.default_rng(0).random((20, 3))).images[0].get_array().shape
    (3, 3)
    """
    correlations = _correlations(read_weights(weights, finite=True))
    rank = len(correlations)
    labels = _labels(names, rank)
    order = _order(1 - correlations)
    ax = _style.axes(ax, _style.COLUMN, 3.0)
    image = ax.imshow(correlations[np.ix_(order, order)], cmap=_style.SIGNED, vmin=-1, vmax=1)
    _label(ax.xaxis, [labels[k] for k in order])
    _label(ax.yaxis, [labels[k] for k in order])
    if names is not None:
        ax.tick_params(axis="x", rotation=90)
    ax.set_xlabel("component")
    ax.set_ylabel("component")
    _style.colour_bar(image, ax, "correlation of weights")
    return ax


def covariance_graph(weights: Any, *, names: Sequence[str] | None = None, least: float = 0.2, ax: Any = None) -> Any:
    """Plot components as a graph whose edges are correlations of their weights.

    Components that occur together are next to each other on the circle. Edges are wider for stronger correlations.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_components)
        The weights, as ``transform`` of an estimator returns them.
    names : sequence of str, optional
        A name for each component.
    least : float, default=0.2
        The smallest magnitude of a correlation that has an edge.
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
    >>> first = np.random.default_rng(0).random(50)
    >>> ax = plot.covariance_graph(np.stack([first, first, 1 - first], axis=1))
    >>> [text.get_text() for text in ax.texts]
    ['0', '1', '2']
    """
    weights = read_weights(weights, finite=True)
    correlations = _correlations(weights)
    rank = len(correlations)
    labels = _labels(names, rank)
    # The order of the clusters along the circle.
    places = np.empty(rank, dtype=int)
    places[_order(1 - correlations)] = np.arange(rank)
    angles = np.pi / 2 - 2 * np.pi * places / rank
    x, y = np.cos(angles), np.sin(angles)
    ax = _style.axes(ax, _style.COLUMN, _style.COLUMN)
    for i, j in zip(*np.triu_indices(rank, 1), strict=True):
        strength = correlations[i, j]
        if abs(strength) >= least:
            colour = _style.SECOND if strength > 0 else _style.ACCENT
            ax.plot(x[[i, j]], y[[i, j]], color=colour, linewidth=0.5 + 4.5 * abs(strength), alpha=0.75, solid_capstyle="round")
    # Spread, whatever the scale of a component: how large its weights are next to its largest.
    sizes = weights.mean(axis=0) / np.where(weights.max(axis=0) > 0, weights.max(axis=0), 1)
    ax.scatter(x, y, s=30 + 300 * sizes, color="white", edgecolor="#444444", linewidth=0.9, zorder=3)
    for k, label in enumerate(labels):
        away = "left" if x[k] > 0.3 else "right" if x[k] < -0.3 else "center"
        if names is None:
            ax.text(x[k], y[k], label, ha="center", va="center", fontsize=6.5, zorder=4)
        else:
            ax.text(1.12 * x[k], 1.12 * y[k], label, ha=away, va="center", fontsize=8)
    for colour, label in [(_style.SECOND, "occur together"), (_style.ACCENT, "avoid each other")]:
        ax.plot([], [], color=colour, linewidth=3, label=label)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, title=f"correlation of at least {least:g}", title_fontsize=8)
    ax.set_aspect("equal")
    ax.margins(0.14 if names is None else 0.35)
    ax.set_axis_off()
    return ax


def clustergram(components: Any, feature_names: Any = None, *, n: int = 5, names: Sequence[str] | None = None) -> list[Any]:
    """Plot components beside each other by their distinctive features, clustered by similarity.

    Parameters
    ----------
    components : fitted estimator, or array-like of shape (n_components, n_features)
        The components.
    feature_names : sequence of str, optional
        A name for each feature; by default ``feature_names_in_`` of the estimator, if it has that.
    n : int, default=5
        Number of distinctive features per component.
    names : sequence of str, optional
        A name for each component.

    Returns
    -------
    list of matplotlib Axes
        The axes of the tree and of the matrix. Each column of the matrix is scaled to its largest value, so that it shows
        where a feature belongs.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> tree, matrix = plot.clustergram(np.kron(np.eye(3), [1.0, 0.5]), n=2)
    >>> matrix.images[0].get_array().shape
    (3, 6)
    """
    if feature_names is None:
        feature_names = getattr(components, "feature_names_in_", None)
    components = np.ascontiguousarray(read_components(components, dtype=PRECISIONS))
    rank, n_features = components.shape
    labels = [str(j) for j in range(n_features)] if feature_names is None else [str(name) for name in feature_names]
    if len(labels) != n_features:
        raise ValueError(f"feature_names has {len(labels)} entries, but it must have {n_features}, one per feature")
    top, _ = _core.top_features(components, None, "relevance", n)
    sums = np.abs(components).sum(axis=1, keepdims=True)
    shares = components / np.where(sums > 0, sums, 1)
    tree = _tree(_distances(np.sqrt(np.clip(shares, 0, None))))
    order = [0] if tree is None else list(hierarchy.leaves_list(tree))
    columns = list(dict.fromkeys(j for k in order for j in top[k]))
    block = shares[np.ix_(order, columns)]
    largest = np.abs(block).max(axis=0)
    block = block / np.where(largest > 0, largest, 1)
    with _style.pyplot().rc_context(_style.STYLE):
        size = (1.6 + 0.16 * len(columns), 1.0 + 0.2 * rank)
        figure = _style.pyplot().figure(figsize=size, layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[0.7, max(1.0, 0.16 * len(columns))])
    if tree is not None:
        hierarchy.dendrogram(tree, orientation="left", ax=left, no_labels=True, color_threshold=0, above_threshold_color=_style.QUIET)
        # The leaves of a tree are ten units apart.
        left.set_ylim(10 * rank, 0)
    left.set_axis_off()
    signed = block.min() < 0
    how = {"cmap": _style.SIGNED, "vmin": -1} if signed else {"cmap": _style.SIZES, "vmin": 0}
    image = right.imshow(block, aspect="auto", vmax=1, interpolation="nearest", **how)
    row_labels = _style.component_names(names, rank)
    _label(right.yaxis, [row_labels[k] for k in order])
    right.set_xticks(range(len(columns)), [labels[j] for j in columns], rotation=90, fontsize=6.5)
    for axis in ("x", "y"):
        right.tick_params(axis=axis, length=0)
    for spine in right.spines.values():
        spine.set_visible(False)
    _style.colour_bar(image, right, "share, relative to the largest")
    return [left, right]


def _correlations(weights: np.ndarray) -> np.ndarray:
    centred = weights - weights.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    # Constant weights have no correlation.
    lengths[lengths == 0] = np.inf
    correlations = (centred / lengths).T @ (centred / lengths)
    return np.clip((correlations + correlations.T) / 2, -1, 1)


def _distances(rows: np.ndarray) -> np.ndarray:
    """Euclidean distances between rows."""
    squares = (rows**2).sum(axis=1)
    return np.sqrt(np.clip(squares[:, None] + squares - 2 * rows @ rows.T, 0, None))


def _tree(distances: np.ndarray) -> np.ndarray | None:
    """A tree of clusters whose neighbouring leaves are similar; None for a single one."""
    rank = len(distances)
    if rank < 2:
        return None
    condensed = distances[np.triu_indices(rank, 1)]
    return hierarchy.linkage(condensed, method="average", optimal_ordering=rank <= 200)


def _order(distances: np.ndarray) -> np.ndarray:
    """An order in which similar items are next to each other."""
    tree = _tree(np.clip(distances, 0, None))
    return np.arange(len(distances)) if tree is None else hierarchy.leaves_list(tree)


def _labels(names: Sequence[str] | None, count: int) -> list[str]:
    return [str(k) for k in range(count)] if names is None else _style.component_names(names, count)


def _label(axis: Any, labels: list[str]) -> None:
    """Label every position, or about twenty of many."""
    step = max(1, -(-len(labels) // LABELLED))
    axis.set_ticks(range(0, len(labels), step), labels[::step])
