"""The style of all plots: colours, fonts, axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

#: Colours that also differ for colour-blind readers (Okabe and Ito), the strongest first.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#b8a800"]
ACCENT, SECOND, QUIET = COLOURS[0], COLOURS[1], "#8a8f98"
#: Colour maps: signed values around white, many curves.
SIGNED, MANY = "RdBu_r", "viridis"
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "lines.linewidth": 1.4,
    "lines.markersize": 3.5,
    "figure.dpi": 120,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
}
#: Width of a figure in inches: a column of a journal, and one and a half.
COLUMN, WIDE = 3.5, 5.5


def pyplot() -> Any:
    """matplotlib's pyplot, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install andnmf[plot]") from error
    return plt


_Plot = TypeVar("_Plot", bound=Callable[..., Any])


def styled(draw: _Plot) -> _Plot:
    """Draw everything of a plot in the style: legends and labels take their sizes when they are made."""

    @wraps(draw)
    def within(*given: Any, **named: Any) -> Any:
        with pyplot().rc_context(STYLE):
            return draw(*given, **named)

    return within  # type: ignore[return-value]


def sizes() -> Any:
    """The colours of sizes: nothing is white."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("andnmf sizes", ["#ffffff", "#9ecae1", "#0072b2", "#08243d"])


def legend_above(ax: Any, columns: int) -> None:
    """A legend that covers no data."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.2, columnspacing=1.2, handlelength=1.6)


def axes(ax: Any, width: float = COLUMN, height: float = 2.6) -> Any:
    """The given axes, or new ones in the style."""
    if ax is not None:
        return ax
    # This layout leaves space for a legend beside the axes.
    return pyplot().figure(figsize=(width, height), layout="constrained").add_subplot()


def panels(count: int, columns: int, size: tuple[float, float]) -> list[Any]:
    """``count`` panels of ``size`` inches (width, height) each, in one figure."""
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    figure = pyplot().figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    return [figure.add_subplot(rows, columns, i + 1) for i in range(count)]


def grid(ax: Any, axis: str = "y") -> None:
    """Light lines behind the data."""
    ax.grid(True, axis=axis, color="#e3e3de", linewidth=0.6)
    ax.set_axisbelow(True)


def whole_numbers(axis: Any) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def plain_log(axis: Any) -> None:
    """Plain numbers on a logarithmic axis that spans few powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def colours(count: int) -> list[Any]:
    """As many distinct colours."""
    if count <= len(COLOURS):
        return COLOURS[:count]
    return list(pyplot().get_cmap(MANY)(np.linspace(0, 0.95, count)))


def colour_bar(image: Any, ax: Any, label: str) -> None:
    """A slim colour bar beside one or several axes."""
    figure = (ax[0] if isinstance(ax, list) else ax).figure
    bar = figure.colorbar(image, ax=ax, label=label, fraction=0.05, pad=0.02)
    bar.outline.set_visible(False)


def component_names(names: Any, count: int) -> list[str]:
    """A name for each component: the given ones, or their numbers."""
    if names is None:
        return [f"component {i}" for i in range(count)]
    if len(names) != count:
        raise ValueError(f"names has {len(names)} entries, but it must have {count}, one per component")
    return [str(name) for name in names]
