"""Unmixing of a hyperspectral scene: which materials there are, and how much of each is in every pixel.

    python unmixing.py samson                # a folder: samples.npy, and endmembers.npy and abundances.npy to compare with
    python unmixing.py                       # $ANDNMF_DATA/samson, or a scene that is made up

Prints the angle between each reference spectrum and the nearest found one for AND and HALS, and writes unmixing.png with
spectra and shares. Needs matplotlib.
"""

import os
import sys
from pathlib import Path

import matplotlib
import numpy as np

import andnmf

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def scene():
    """Pixels × bands, the reference spectra, the reference shares, the height of the picture, and what it is."""
    given = sys.argv[1] if len(sys.argv) > 1 else None
    folder = Path(given or Path(os.environ.get("ANDNMF_DATA", "")) / "samson")
    if (folder / "samples.npy").is_file():
        arrays = (np.load(folder / f"{name}.npy") for name in ("samples", "endmembers", "abundances"))
        return *arrays, 95, "Samson"
    if given:
        sys.exit(f"{folder}: there is no samples.npy in it; without a folder, a scene is made up")
    return *made_up(), 60, "a made-up scene"


def made_up(height=60, bands=100):
    """Three smooth spectra that peak at one, mixed in smooth patches, under uneven light and with a little noise."""
    band = np.linspace(0, 1, bands)
    bump = lambda centre, width: np.exp(-(((band - centre) / width) ** 2))  # noqa: E731
    spectra = np.array([0.2 + 0.6 * band, 0.1 + bump(0.25, 0.08) + 0.7 * (band > 0.6), 0.5 * bump(0.1, 0.15)])
    spectra /= spectra.max(axis=1, keepdims=True)
    x, y = np.meshgrid(np.linspace(0, 1, height), np.linspace(0, 1, height), indexing="ij")
    fields = [np.maximum(0, np.sin(3 + 5 * x + 2 * y)), np.maximum(0, np.cos(6 * y - x)), np.maximum(0, x + y - 0.9)]
    shares = np.stack(fields, axis=-1).reshape(-1, 3) + 1e-9
    shares /= shares.sum(axis=1, keepdims=True)
    noise = 0.002 * np.random.default_rng(0).normal(size=(height * height, bands))
    light = 1 - 0.6 * x.reshape(-1, 1)
    return np.maximum(light * (shares @ spectra) + noise, 0), spectra, shares


def angles(components, reference):
    """The angle between each reference spectrum and the nearest found one, in degrees, and which that is."""
    unit = components / np.linalg.norm(components, axis=1, keepdims=True)
    true = reference / np.linalg.norm(reference, axis=1, keepdims=True)
    cosines = np.clip(true @ unit.T, -1, 1)
    return np.degrees(np.arccos(cosines.max(axis=1))), cosines.argmax(axis=1)


def main():
    samples, reference, shares, height, what = scene()
    print(f"{what}: {len(samples)} pixels of {samples.shape[1]} bands\n")
    print("| method | angles to the reference spectra, degrees | mean error of the shares |\n|---|---|---|")
    models = {"AND": andnmf.AND(3, random_state=0), "HALS": andnmf.HALS(3, random_state=0, max_stages=2000)}
    for name, model in models.items():
        weights = model.fit_transform(samples)
        apart, nearest = angles(model.components_, reference)
        # A scene does not tell how bright a material is on its own. Here all spectra peak at one, as published ones often do.
        amounts = weights * model.components_.max(axis=1)
        found = amounts / np.maximum(amounts.sum(axis=1, keepdims=True), 1e-12)
        error = np.abs(found[:, nearest] - shares).mean()
        print(f"| {name} | {', '.join(f'{angle:.1f}' for angle in apart)} | {error:.3f} |")
        if name == "AND":
            best = (model, found[:, nearest], nearest)
    model, found, nearest = best
    figure = pyplot.figure(figsize=(11, 5), layout="constrained")
    grid = figure.add_gridspec(2, 3)
    andnmf.plot.curves(
        model.components_[nearest] / model.components_[nearest].max(axis=1, keepdims=True),
        names=[f"material {k}" for k in range(3)],
        ax=figure.add_subplot(grid[0, :]),
    )
    for k in range(3):
        ax = figure.add_subplot(grid[1, k])
        ax.imshow(found[:, k].reshape((height, -1), order="F"), vmin=0, vmax=1)
        ax.set_title(f"share of material {k}", fontsize="small")
        ax.set_axis_off()
    figure.savefig("unmixing.png", dpi=100)
    print(f"\nunmixing.png shows spectra and shares. AND on its own: {model.trust_['verdict']}")
    for reason in model.trust_["reasons"]:
        print(f"- {reason}")


if __name__ == "__main__":
    main()
