#!/usr/bin/env python3
"""Draws the pictures of README.md and docs/ (docs/pictures/*.svg).

    bench/pictures.py                            all pictures; builds the command first
    bench/pictures.py recovery performance       some of them: letters recovery competitors performance trust
    bench/pictures.py letters --command PATH     use a command that is already built

letters runs `andnmf generate` and `andnmf fit` and draws what they write. The others draw the tables of the page of the
same name (docs/recovery.md, docs/competitors.md, docs/performance.md), so run them after a change of those tables.
Needs matplotlib. Backgrounds are opaque, so that pictures can be read in light and dark mode.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import matplotlib
import numpy

from harness import ROOT, build_with_command

matplotlib.use("Agg")
matplotlib.rcParams.update({
    "svg.hashsalt": "andnmf", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": "#888888", "legend.frameon": False, "figure.facecolor": "white",
})
from matplotlib import pyplot  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
# Colours that also differ for colour-blind readers (Okabe and Ito).
COLOURS = {"AND": "#0072b2", "HALS": "#d55e00", "ANLS": "#009e73", "MU": "#cc79a7", "online LDA": "#999999",
           "NMF": "#d55e00", "SPA": "#009e73", "min-volume": "#cc79a7"}

# The letters: true components of 24 × 24 pixels, two by two in pairs that occur together nine times out of ten.
LETTERS, SIDE, SAMPLES, CO_OCCURRENCE, SECONDS = "ABCDEFGHIJKL", 24, 2000, 0.9, 5


def save(figure, name):
    PICTURES.mkdir(exist_ok=True)
    figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    print(PICTURES / f"{name}.svg")


def table(page, section, first_column):
    """The rows of the first table with this first column after a heading of a page, as dicts."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(section)[2].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_column} |"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def number(text):
    """The number that a cell begins with, or `None`."""
    try:
        return float(text.split()[0].replace("**", ""))
    except (IndexError, ValueError):
        return None


def letter(character):
    """A letter as an array of pixels between 0 (background) and 1."""
    figure = pyplot.figure(figsize=(1, 1), dpi=SIDE)
    figure.text(0.5, 0.46, character, ha="center", va="center", fontsize=62, weight="bold")
    figure.canvas.draw()
    pixels = 1 - numpy.asarray(figure.canvas.buffer_rgba())[..., 0] / 255
    pyplot.close(figure)
    return pixels.ravel()


def fit_letters(command, folder, method, *options):
    """Components of a default fit or of a long one, its trace (seconds, error), and its summary."""
    out = folder / f"{method}{len(options)}"
    subprocess.run([command, "fit", folder / "data" / "samples.npy", "--rank", str(len(LETTERS)), "--method", method,
                    "--truth", folder / "truth.npy", "--out", out, "--force", "--quiet", *options], check=True)
    with open(out / "trace.csv") as file:
        trace = [(float(row["seconds"]), float(row["relative_correlation_error"])) for row in csv.DictReader(file)
                 if row["relative_correlation_error"]]
    return numpy.load(out / "components.npy"), trace, json.loads((out / "summary.json").read_text())


def matched(components, truth):
    """Each true component's nearest one, scaled to its brightest pixel."""
    def directions(rows):
        return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-300)

    nearest = components[(directions(truth) @ directions(components).T).argmax(axis=1)]
    return nearest / nearest.max(axis=1, keepdims=True)


def thinned(trace, most=300):
    """At most so many points of a trace, evenly spaced on a logarithmic axis of time."""
    chosen = numpy.unique(numpy.geomspace(1, len(trace), most).astype(int) - 1)
    return [trace[i] for i in chosen]


def letters(command):
    """Components found by AND and by NMF beside the truth, and the error against time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = numpy.array([letter(character) for character in LETTERS])
        numpy.save(folder / "truth.npy", truth)
        subprocess.run([command, "generate", "paired", "--truth", folder / "truth.npy", "--rank", str(len(LETTERS)),
                        "--features", str(SIDE * SIDE), "--samples", str(SAMPLES), "--decay-order", "1",
                        "--co-occurrence", str(CO_OCCURRENCE), "--out", folder / "data", "--quiet"], check=True)
        samples = numpy.load(folder / "data" / "samples.npy")
        # Samples with at least three letters, so that the picture shows mixtures.
        mixed = samples[(numpy.load(folder / "data" / "weights.npy") > 0.2).sum(axis=1) >= 3][:len(LETTERS)]
        rows = [("samples", mixed / mixed.max(axis=1, keepdims=True)), ("truth", truth)]
        for title, method in [("AND", "and"), ("NMF (HALS)", "hals"), ("NMF (MU)", "mu")]:
            rows.append((title, matched(fit_letters(command, folder, method)[0], truth)))
        traces = {"AND": fit_letters(command, folder, "and")[1:]}
        for method in ("hals", "anls", "mu"):
            options = ["--tolerance", "0", "--stages", "1000000", "--time-limit", str(SECONDS)]
            traces[method.upper()] = fit_letters(command, folder, method, *options)[1:]

    figure = pyplot.figure(figsize=(11.5, 3.1))
    left, right = figure.add_gridspec(1, 2, width_ratios=[2, 1], wspace=0.15)
    grid = left.subgridspec(len(rows), len(LETTERS), wspace=0.05, hspace=0.05)
    for i, (title, images) in enumerate(rows):
        for j, image in enumerate(images):
            axes = figure.add_subplot(grid[i, j])
            axes.imshow(image.reshape(SIDE, SIDE), cmap="Greys", vmin=0, vmax=1, interpolation="none")
            axes.set(xticks=[], yticks=[])
            for spine in axes.spines.values():
                spine.set(visible=True, color="#cccccc")
            if j == 0:
                axes.set_ylabel(title, rotation=0, ha="right", va="center", fontsize=11,
                                weight="bold" if title == "AND" else "normal")
            if (i, j) == (0, 0):
                axes.set_title("What each method finds in the samples, with default settings", loc="left", fontsize=11)
    axes = figure.add_subplot(right)
    labels = []
    for title, (trace, summary) in traces.items():
        points = thinned([*trace, (summary["solver_seconds"], summary["recovery"]["relative_total_correlation_error"])])
        axes.loglog(*zip(*points), color=COLOURS[title], linewidth=2.5 if title == "AND" else 1.6)
        labels.append((points[-1], title))
    height = 1e-13
    for (seconds, error), title in sorted(labels, key=lambda label: label[0][1]):
        # Labels of curves that end close together are stacked.
        height = max(error, 12 * height)
        axes.text(1.15 * seconds, height, title, color=COLOURS[title], va="center",
                  weight="bold" if title == "AND" else "normal")
    axes.set(xlabel="seconds in the solver", xlim=(0.004, 20), ylim=(1e-13, 300))
    axes.set_xticks([0.01, 0.1, 1, 5], ["0.01", "0.1", "1", "5"])
    axes.set_title(f"Error of the components, up to {SECONDS} s each", loc="left", fontsize=11)
    axes.grid(color="#eeeeee")
    save(figure, "letters")
    for title, (trace, summary) in traces.items():
        print(title, summary["recovery"]["relative_total_correlation_error"], summary["solver_seconds"], summary["stages"])


def recovery(_):
    """Errors of default fits beside those of other methods, from the table of docs/recovery.md."""
    rows = table("recovery.md", "## From the data alone", "case")
    figure, axes = pyplot.subplots(figsize=(9, 5.6))
    names = [row["case"] for row in rows][::-1]
    for label, marker in [("SPA", "^"), ("min-volume", "s"), ("NMF", "D")]:
        points = [(number(row[label]), names.index(row["case"])) for row in rows if number(row[label]) is not None]
        axes.plot(*zip(*points), marker, color=COLOURS[label], markersize=5, label=label)
    for row in rows:
        at = names.index(row["case"])
        axes.plot([number(row["median"]), number(row["worst"])], [at, at], color=COLOURS["AND"], linewidth=2)
        axes.plot(number(row["median"]), at, "o", color=COLOURS["AND"], label="AND: median, line to worst" if at == 0 else None)
        if number(row["goal"]):
            axes.plot(number(row["goal"]), at, "|", color="black", markersize=9, label="goal" if at == 1 else None)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("relative total correlation error (a sum over 100 components)")
    axes.grid(axis="x", color="#eeeeee")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, 1.1), ncols=5)
    save(figure, "recovery")


def competitors(_):
    """Error against time from the same start, from the tables of docs/competitors.md."""
    kinds = ["dir", "ctm", "ctm-released", "neg", "paired"]
    figure, panels = pyplot.subplots(1, len(kinds), figsize=(12.5, 3), sharey=True)
    for kind, axes in zip(kinds, panels):
        rows = table("competitors.md", f"### {kind} (", "method")
        times = [column for column in rows[0] if column.endswith(" s")]
        for label, start in [("AND", "AND ("), ("HALS", "HALS"), ("ANLS", "ANLS"), ("MU", "MU"), ("online LDA", "online LDA")]:
            row = next((row for row in rows if row["method"].startswith(start)), None)
            points = [(number(time), number(row[time])) for time in times if row and number(row.get(time, "")) is not None]
            if points:
                axes.loglog(*zip(*points), marker="o", markersize=4, color=COLOURS[label], label=label)
        axes.set_title(kind)
        axes.set_xticks([0.3, 1, 3, 10], ["0.3", "1", "3", "10"])
        axes.minorticks_off()
        axes.set_xlabel("seconds")
        axes.grid(color="#eeeeee")
    panels[0].set_ylabel("relative total\ncorrelation error")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=5)
    save(figure, "competitors")


def performance(_):
    """How many times faster than other programs, from the tables of docs/performance.md."""
    bars = []
    for part in ("stages", "fits", "methods"):
        for row in table("performance.md", f"### {part.title()}", "what"):
            bars.append((f"{row['what']}\nbeside {row['compared with']}", number(row["ratio"]), number(row["goal"].replace("≥", ""))))
    figure, axes = pyplot.subplots(figsize=(8, 0.42 * len(bars)))
    axes.barh([bar[0] for bar in bars][::-1], [bar[1] for bar in bars][::-1], color=COLOURS["AND"], height=0.6)
    for i, (_, ratio, goal) in enumerate(reversed(bars)):
        axes.text(ratio * 1.06, i, f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}", va="center", fontsize=9)
        if goal:
            axes.plot([goal, goal], [i - 0.4, i + 0.4], color="black", linewidth=1.5, label="goal" if i == len(bars) - 1 else None)
    axes.set_xscale("log")
    axes.set_ylim(-0.6, len(bars) - 0.4)
    axes.tick_params(axis="y", labelsize=7.5)
    axes.set_xlabel("times faster than the other program (two cores)")
    axes.legend(loc="lower right")
    save(figure, "performance")


def trust(_):
    """True errors of components against estimated ones, and how often the verdict good is right, from docs/trust.md."""
    rows = table("trust.md", "### Estimates and errors", "estimate")
    estimate, below, median, above, low, high = ([number(row[column]) for row in rows] for column in (
        "estimate", "5 % of the errors below", "median", "5 % above", "mean interval from", "to"))
    figure, axes = pyplot.subplots(figsize=(5.2, 4.6))
    limits = (5e-4, 1.1)
    axes.fill_between(estimate, low, high, color="#dddddd", label="interval")
    axes.plot(limits, limits, color="black", linewidth=0.8, label="estimate")
    spans = numpy.maximum([numpy.subtract(median, below), numpy.subtract(above, median)], 0)
    axes.errorbar(estimate, median, spans, fmt="o", color=COLOURS["AND"], capsize=3, label="true error: median, 5 to 95 %")
    axes.axhline(0.1, color=COLOURS["HALS"], linewidth=0.8, linestyle="--")
    axes.set(xscale="log", yscale="log", xlim=limits, ylim=(1e-4, 1.1), xlabel="estimated error of a component (sine)",
             ylabel="true error")
    axes.grid(color="#eeeeee")
    axes.legend(loc="upper left")
    save(figure, "trust")


DRAWINGS = {"letters": letters, "recovery": recovery, "competitors": competitors, "performance": performance,
            "trust": trust}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="*", metavar="picture", help="pictures to draw: " + " ".join(DRAWINGS))
    parser.add_argument("--command", metavar="PATH", help="the command andnmf [built in release mode]")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.pictures if name not in DRAWINGS]
    if unknown:
        parser.error(f"unknown picture {unknown[0]!r}; choose from {' '.join(DRAWINGS)}")
    names = arguments.pictures or list(DRAWINGS)
    command = arguments.command or ("letters" in names and build_with_command()["andnmf"])
    for name in names:
        DRAWINGS[name](command)


if __name__ == "__main__":
    main()
