"""Unmixing of a hyperspectral scene: the spectra of the materials, and their abundances in every pixel.

    python unmixing.py samson                # a folder with samples.npy and the reference, endmembers.npy, abundances.npy
    python unmixing.py                       # $ANDNMF_DATA/samson, or a synthetic scene

Prints the angle between each reference spectrum and the nearest component of AND and HALS, and writes unmixing.png with
spectra and abundances. Requires matplotlib.
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
    """Pixels × bands, the reference spectra and abundances, the height of the image, and the name of the scene."""
    given = sys.argv[1] if len(sys.argv) > 1 else None
    folder = Path(given or Path(os.environ.get("ANDNMF_DATA", "")) / "samson")
    if (folder / "samples.npy").is_file():
        arrays = (np.load(folder / f"{name}.npy") for name in ("samples", "endmembers", "abundances"))
        return *arrays, 95, "Samson"
    if given:
        sys.exit(f"{folder}: no samples.npy in this folder; run without an argument to use a synthetic scene")
    return *synthetic(), 60, "a synthetic scene"


def synthetic(height=60, bands=100):
    """Three smooth spectra with maximum 1, mixed in smooth patches, with uneven light and a little noise."""
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
    """The angle in degrees between each reference spectrum and the nearest component, and that component's number."""
    unit = components / np.linalg.norm(components, axis=1, keepdims=True)
    true = reference / np.linalg.norm(reference, axis=1, keepdims=True)
    cosines = np.clip(true @ unit.T, -1, 1)
    return np.degrees(np.arccos(cosines.max(axis=1))), cosines.argmax(axis=1)


def main():
    samples, reference, abundances, height, title = scene()
    print(f"{title}: {len(samples)} pixels of {samples.shape[1]} bands\n")
    print("| method | angles to the reference spectra, degrees | mean error of the abundances |\n|---|---|---|")
    models = {"AND": andnmf.AND(3, random_state=0), "HALS": andnmf.HALS(3, random_state=0, max_stages=2000)}
    for name, model in models.items():
        weights = model.fit_transform(samples)
        apart, nearest = angles(model.components_, reference)
        # The scale of a spectrum cannot be determined from a scene. Like many published spectra, all have maximum 1 here.
        amounts = weights * model.components_.max(axis=1)
        estimated = amounts / np.maximum(amounts.sum(axis=1, keepdims=True), 1e-12)
        error = np.abs(estimated[:, nearest] - abundances).mean()
        print(f"| {name} | {', '.join(f'{angle:.1f}' for angle in apart)} | {error:.3f} |")
        if name == "AND":
            of_and = (model, estimated[:, nearest], nearest)
    model, estimated, nearest = of_and
    figure = pyplot.figure(figsize=(11, 5), layout="constrained")
    grid = figure.add_gridspec(2, 3)
    andnmf.plot.curves(
        model.components_[nearest] / model.components_[nearest].max(axis=1, keepdims=True),
        names=[f"material {k}" for k in range(3)],
        ax=figure.add_subplot(grid[0, :]),
    )
    for k in range(3):
        ax = figure.add_subplot(grid[1, k])
        ax.imshow(estimated[:, k].reshape((height, -1), order="F"), vmin=0, vmax=1)
        ax.set_title(f"abundance of material {k}", fontsize="small")
        ax.set_axis_off()
    figure.savefig("unmixing.png", dpi=100)
    print(f"\nunmixing.png shows spectra and abundances. Verdict of AND: {model.trust_['verdict']}")
    for reason in model.trust_["reasons"]:
        print(f"- {reason}")


if __name__ == "__main__":
    main()
