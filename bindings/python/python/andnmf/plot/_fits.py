"""Plots of fits: convergence, the choice of the rank, stability."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from andnmf._input import read_components
from andnmf.plot import _style

#: The estimated error from which a component should not be relied on, as in verdicts.
UNSTABLE = 0.1
#: Smallest value on a logarithmic axis: less is rounding.
LEAST = 1e-6


@_style.styled
def convergence(model: Any, *, ax: Any = None) -> Any:
    """Plot the change of the components and the median threshold over the stages.

    A search for a start is shaded: its runs start from different components.

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
    ax = _style.axes(ax)
    trace = model.trace_
    searched = getattr(model, "n_search_iter_", 0)
    lines = [("change", "change of the components", _style.ACCENT), ("threshold_median", "median threshold", _style.SECOND)]
    for name, label, colour in lines:
        shown = np.isfinite(trace[name]) & (trace[name] > 0)
        last = shown & (np.arange(len(shown)) >= searched)
        if last.any():
            ax.plot(trace["stage"][last], trace[name][last], marker=".", label=label, color=colour)
        # No line from one run to the next.
        before = shown & ~last
        ax.plot(trace["stage"][before], trace[name][before], ".", color=colour, alpha=0.35, markersize=2.5)
    if searched:
        ax.axvspan(-0.5, searched - 0.5, facecolor="#efefec", edgecolor="none", zorder=0, label="search for a start")
    ax.set_yscale("log")
    ax.set_xlabel("stage")
    ax.set_ylabel("relative size")
    ax.margins(x=0.02)
    _style.whole_numbers(ax.xaxis)
    _style.grid(ax)
    _style.legend_above(ax, 1)
    return ax


@_style.styled
def rank_curve(suggestion: Any, *, ax: Any = None) -> Any:
    """Plot the scores of numbers of components, with the suggested one.

    Parameters
    ----------
    suggestion : RankSuggestion
        The result of :func:`andnmf.suggest_rank`.
    ax : matplotlib Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib Axes
        The axes of the errors; the unstable share has an axis of its own on the right, if it was computed.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, noise=0.01, random_state=0)
    >>> suggestion = andnmf.suggest_rank(data.samples, ranks=range(1, 6), stability=False, random_state=0)
    >>> andnmf.plot.rank_curve(suggestion).get_xlabel()
    'number of components'
    """
    ax = _style.axes(ax, _style.COLUMN + 0.5, 3.1)
    scores = suggestion.scores
    ranks = scores["rank"]
    for name, label, colour in [
        ("held_out_error", "error of held-out values", _style.ACCENT),
        ("first_left_out", "largest singular value left out", _style.SECOND),
        ("noise_edge", "noise edge", _style.QUIET),
    ]:
        shown = np.isfinite(scores[name]) & (scores[name] > 0)
        if shown.any():
            style = "--" if name == "noise_edge" else "-"
            ax.plot(ranks[shown], scores[name][shown], style, marker="." if style == "-" else "", label=label, color=colour)
    ax.set_yscale("log")
    ax.set_xlabel("number of components")
    ax.set_ylabel("relative size")
    _style.whole_numbers(ax.xaxis)
    _style.grid(ax)
    if suggestion.rank is not None:
        ax.axvline(suggestion.rank, color=_style.QUIET, linewidth=1, zorder=0)
        ax.annotate(
            f"{suggestion.rank} ({suggestion.verdict})", (suggestion.rank, 1), (3, -2), xycoords=("data", "axes fraction"),
            textcoords="offset points", va="top", fontsize=8, color="#444444",
        )
    _style.plain_log(ax.yaxis)
    handles, labels = ax.get_legend_handles_labels()
    shown = np.isfinite(scores["unstable_share"])
    if shown.any():
        right = ax.twinx()
        right.spines["top"].set_visible(False)
        right.spines["right"].set_visible(True)
        handles += right.plot(ranks[shown], 100 * scores["unstable_share"][shown], ":", marker="s", markersize=2.5, color=_style.COLOURS[2])
        labels.append("unstable components (right)")
        right.set_ylabel("unstable components")
        right.yaxis.set_major_formatter("{x:g} %")
        right.set_ylim(-3, 103)
    ax.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    return ax


@_style.styled
def stability(model: Any, truth: Any = None, *, ax: Any = None) -> Any:
    """Plot the estimated error of each component with its interval, against its true error if the truth is known.

    Parameters
    ----------
    model : fitted estimator
        An estimator with ``component_error_``.
    truth : array-like of shape (n_components, n_features), optional
        The true components.
    ax : matplotlib Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib Axes
        The axes. Components whose interval crosses the dashed line (0.1) have another colour: do not rely on them. Values
        below 1e-6 are drawn there.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, random_state=0)
    >>> model = andnmf.AND(n_components=3, random_state=0).fit(data.samples)
    >>> andnmf.plot.stability(model, data.truth).get_ylabel()
    'true error (sine)'
    """
    check_is_fitted(model, "component_error_")
    if np.isnan(model.component_error_).all():
        raise ValueError("the fit was not judged, so there is no stability; fit with threshold='auto' and trust='auto'")
    low, estimated, high = np.clip(model.component_error_, LEAST, 1).T
    colours = np.where(high > UNSTABLE, _style.SECOND, _style.ACCENT)
    ax = _style.axes(ax)
    if truth is None:
        order = np.argsort(estimated)
        least = max(LEAST, low.min() / 2)
        ax.scatter(range(len(order)), estimated[order], c=colours[order], s=16, zorder=3)
        ax.vlines(range(len(order)), low[order], high[order], colors=colours[order], linewidth=1)
        ax.set_xticks(range(len(order)), [str(k) for k in order] if len(order) <= 30 else [""] * len(order))
        ax.set_xlabel("component, by stability")
        ax.set_ylabel("estimated error (sine)")
    else:
        errors = np.clip(_true_errors(model, truth), LEAST, 1)
        ax.plot([LEAST, 1], [LEAST, 1], color=_style.QUIET, linewidth=0.8, zorder=0)
        ax.scatter(estimated, errors, c=colours, s=16, zorder=3)
        ax.hlines(errors, low, high, colors=colours, linewidth=0.7)
        ax.axvline(UNSTABLE, color=_style.QUIET, linestyle="--", linewidth=0.8)
        ax.set_xscale("log")
        least = max(LEAST, min(low.min(), errors.min()) / 2)
        ax.set_xlim(least, 1.5)
        ax.set_xlabel("estimated error (sine)")
        ax.set_ylabel("true error (sine)")
    ax.axhline(UNSTABLE, color=_style.QUIET, linestyle="--", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_ylim(least, 1.5)
    _style.grid(ax)
    return ax


def _true_errors(model: Any, truth: Any) -> np.ndarray:
    """The sine between each component and the true one that is matched to it; 1 if there is none."""
    from scipy.optimize import linear_sum_assignment

    found, truth = (_unit(read_components(given)) for given in (model, truth))
    cosines = np.abs(found @ truth.T)
    rows, columns = linear_sum_assignment(-cosines)
    errors = np.ones(len(found))
    errors[rows] = np.sqrt(np.clip(1 - cosines[rows, columns] ** 2, 0, 1))
    return errors


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
