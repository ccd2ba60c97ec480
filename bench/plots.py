#!/usr/bin/env python3
"""Draws the pictures of the functions of andnmf.plot (docs/pictures/plots/*.svg), from data that come with Python packages.

    bench/plots.py                 all pictures; needs the Python package andnmf, matplotlib and pandas
    bench/plots.py maps            some of them
"""

import argparse
import re
import sys

import matplotlib
import numpy

from harness import ROOT

sys.path.insert(0, str(ROOT / "bindings" / "python" / "python"))
matplotlib.use("Agg")
matplotlib.rcParams.update({"svg.hashsalt": "andnmf"})
from matplotlib import pyplot  # noqa: E402

import andnmf  # noqa: E402
from andnmf import plot  # noqa: E402
from andnmf.topics import TopicModel  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "plots"
MATERIALS = ("soil", "tree", "water", "roof")


def scene(side=60, bands=120, seed=0):
    """Spectra of four materials, their shares in the pixels of a scene, and the pixels with some noise."""
    rng = numpy.random.default_rng(seed)
    wavelengths = numpy.linspace(400, 2400, bands)
    bumps = [[(2100, 900, 0.6), (900, 400, 0.25)], [(850, 150, 0.7), (550, 40, 0.15), (1650, 150, 0.4)],
             [(480, 120, 0.2)], [(1200, 1500, 0.35), (700, 80, 0.2)]]
    spectra = numpy.array([sum(h * numpy.exp(-((wavelengths - c) / w) ** 2) for c, w, h in b) for b in bumps]) + 0.01
    y, x = numpy.mgrid[0:side, 0:side] / side
    fields = [y + 0.2 * numpy.sin(6 * x), 1.1 - y + 0.3 * numpy.sin(9 * x * y), 1.4 - 3 * abs(x - 0.5 - 0.2 * numpy.sin(4 * y)),
              1.3 * ((x * 5 % 1 < 0.35) & (y * 5 % 1 < 0.4))]
    shares = numpy.clip(numpy.stack([f.ravel() for f in fields], axis=1), 0, None) ** 3
    shares /= shares.sum(axis=1, keepdims=True)
    pixels = shares @ spectra + 0.002 * rng.standard_normal((side * side, bands))
    return wavelengths, spectra, shares, pixels, (side, side)


def fitted_scene():
    """A fit to the scene with the materials in their order, its weights as shares, and what belongs to the scene."""
    wavelengths, spectra, _, pixels, shape = scene()
    model = andnmf.AND(4, random_state=0).fit(pixels)
    cosine = numpy.corrcoef(numpy.vstack([spectra, model.components_]))[:4, 4:]
    order = cosine.argmax(axis=1)
    weights = model.transform(pixels)[:, order] * model.components_[order].max(axis=1)
    return wavelengths, model.components_[order], weights / weights.sum(axis=1, keepdims=True), shape


def documents():
    """The paragraphs of the pages of this project."""
    pages = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    text = "\n\n".join(page.read_text(encoding="utf-8") for page in pages)
    text = re.sub(r"```.*?```|`[^`]*`|\([^)]*\.md[^)]*\)", " ", text, flags=re.DOTALL)
    return [paragraph for paragraph in re.split(r"\n\s*\n", text) if len(paragraph.split()) > 15]


def correlated(n_components=12, seed=0):
    """Mixtures whose components occur in three groups."""
    rng = numpy.random.default_rng(seed)
    group = numpy.arange(n_components) % 3
    covariance = numpy.where(group[:, None] == group, 0.75, -0.15) + 0.25 * numpy.eye(n_components)
    weights = numpy.exp(1.2 * rng.multivariate_normal(numpy.zeros(n_components), covariance, size=1500))
    weights *= rng.random(weights.shape) < 0.5
    return weights


def draw_images():
    from sklearn.datasets import load_digits

    digits = load_digits().data
    return plot.images(andnmf.AND(16, random_state=0).fit(digits), (8, 8))[0]


def draw_curves():
    wavelengths, spectra, _, _ = fitted_scene()
    return plot.curves(spectra, wavelengths, names=MATERIALS, xlabel="wavelength (nm)")


def draw_maps():
    _, _, shares, shape = fitted_scene()
    return plot.maps(shares, shape, names=MATERIALS, label="share of the pixel")[0]


def draw_features():
    return plot.words(TopicModel(8, random_state=0).fit(documents()).model_, n_words=8)[0]


def draw_clustergram():
    return plot.clustergram(TopicModel(8, random_state=0).fit(documents()).model_, n=5)[0]


def draw_convergence():
    data = andnmf.datasets.make_paired(n_samples=2000, n_features=400, n_components=20, noise=0.003)
    return plot.convergence(andnmf.AND(20, random_state=0).fit(data.samples))


def draw_rank_curve():
    data = andnmf.datasets.make_dir(n_samples=600, n_features=80, n_components=7, noise=0.02, random_state=0)
    return andnmf.suggest_rank(data.samples, ranks=range(2, 13), random_state=0).plot()


def draw_stability():
    data = andnmf.datasets.make_dir(n_samples=800, n_features=150, n_components=30, concentration=4, noise=0.02, random_state=0)
    return plot.stability(andnmf.AND(30, random_state=0).fit(data.samples), data.truth)


def draw_weight_correlations():
    return plot.weight_correlations(correlated())


def draw_covariance_graph():
    return plot.covariance_graph(correlated(), least=0.15)


DRAWN = {name.removeprefix("draw_"): draw for name, draw in list(globals().items()) if name.startswith("draw_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help=", ".join(DRAWN))
    parser.add_argument("--png", metavar="FOLDER", help="write .png files to another folder, to look at")
    args = parser.parse_args()
    for name in args.pictures or DRAWN:
        ax = DRAWN[name]()
        folder, ending = (PICTURES, "svg") if args.png is None else (PICTURES.__class__(args.png), "png")
        folder.mkdir(parents=True, exist_ok=True)
        how = {"metadata": {"Date": None}} if ending == "svg" else {"dpi": 130}
        ax.figure.savefig(folder / f"{name}.{ending}", bbox_inches="tight", **how)
        pyplot.close(ax.figure)
        print(folder / f"{name}.{ending}", flush=True)


if __name__ == "__main__":
    main()
