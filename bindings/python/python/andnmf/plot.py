"""Pictures of fits, through matplotlib (``pip install andnmf[plot]``).

Every function draws on the axes it is given, or on new ones, and returns them; nothing is shown or saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["convergence", "curves", "images", "weight_correlations", "words"]


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
    components = _components(components)
    height, width = shape
    if components.shape[1] != height * width:
        raise ValueError(f"components have {components.shape[1]} features, which are no {height} x {width} pixels")
    rank = len(components)
    columns = max(1, min(columns, rank))
    rows = -(-rank // columns)
    figure = _pyplot().figure(figsize=(1.2 * columns, 1.2 * rows))
    for i, component in enumerate(components):
        ax = figure.add_subplot(rows, columns, i + 1)
        # Signed components have their zero in the middle of the colours.
        reach = np.abs(component).max() or 1.0
        signed = component.min() < 0
        colours = {"cmap": "RdBu_r", "vmin": -reach, "vmax": reach} if signed else {"cmap": "gray"}
        ax.imshow(component.reshape(shape), **colours)
        ax.set_axis_off()
    return figure


def curves(components: Any, x: Any = None, *, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Components as curves over their features, spectra for instance.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> len(plot.curves(np.eye(3), names=["soil", "tree", "water"]).lines)
    3
    """
    components = _components(components)
    ax = _axes(ax)
    x = np.arange(components.shape[1]) if x is None else np.asarray(x)
    for i, component in enumerate(components):
        ax.plot(x, component, label=f"component {i}" if names is None else names[i])
    ax.legend()
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
    components = _components(components)
    n_features = components.shape[1]
    vocabulary = [f"feature {j}" for j in range(n_features)] if vocabulary is None else list(vocabulary)
    if len(vocabulary) != n_features:
        raise ValueError(f"there are {len(vocabulary)} words for {n_features} features; each feature needs one")
    rank = len(components)
    columns = max(1, min(columns, rank))
    rows = -(-rank // columns)
    figure = _pyplot().figure(figsize=(2.4 * columns, (0.25 * n_words + 0.6) * rows), layout="constrained")
    for i, component in enumerate(components):
        ax = figure.add_subplot(rows, columns, i + 1)
        top = np.argsort(-component, kind="stable")[:n_words]
        ax.barh(range(len(top)), component[top])
        ax.set_yticks(range(len(top)), [vocabulary[j] for j in top])
        ax.invert_yaxis()
        ax.set_title(f"component {i}", fontsize="small")
        ax.tick_params(labelsize="small")
    return figure


def weight_correlations(weights: Any, *, ax: Any = None) -> Any:
    """The correlation of each pair of components' weights, as a picture.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import plot
    >>> plot.weight_correlations(np.random.default_rng(0).random((20, 3))).images[0].get_array().shape
    (3, 3)
    """
    weights = np.asarray(weights, dtype=float)
    centred = weights - weights.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    # Weights that never change have no correlation with anything.
    lengths[lengths == 0] = np.inf
    correlations = (centred / lengths).T @ (centred / lengths)
    ax = _axes(ax)
    picture = ax.imshow(correlations, cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set_xlabel("component")
    ax.set_ylabel("component")
    ax.figure.colorbar(picture, ax=ax, label="correlation of weights")
    return ax


def _components(given: Any) -> np.ndarray:
    """Of an estimator its components, else what was given."""
    found = np.asarray(getattr(given, "components_", given))
    if found.ndim != 2:
        raise ValueError(f"components must be a matrix, but have {found.ndim} dimensions")
    return found


def _axes(ax: Any) -> Any:
    return _pyplot().figure().add_subplot() if ax is None else ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install andnmf[plot]") from error
    return pyplot
