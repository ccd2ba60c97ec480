"""Components of faces: AND compared with k-means, PCA, ICA, dictionary learning, NMF and sparse PCA.

    python faces.py faces.npy                # images × pixels, square images
    python faces.py                          # $ANDNMF_DATA/olivetti, or scikit-learn's handwritten digits

Writes faces.png with a row of components per method, and prints the explained variance and the sparsity of the components
of each method. Requires matplotlib.
"""

import os
import sys
import time
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF, PCA, FastICA, MiniBatchDictionaryLearning, MiniBatchSparsePCA
from sklearn.exceptions import ConvergenceWarning

import andnmf

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

N_COMPONENTS = 6


def load_images():
    """The images as rows with values from 0 to 1, their height, and the name of the dataset."""
    given = sys.argv[1] if len(sys.argv) > 1 else None
    file = Path(given or Path(os.environ.get("ANDNMF_DATA", "")) / "olivetti" / "faces.npy")
    if file.is_file():
        faces = np.load(file).astype(np.float32) / 255
        return faces, round(faces.shape[1] ** 0.5), "Olivetti faces"
    if given:
        sys.exit(f"{file}: no such file; run without an argument to use handwritten digits")
    digits = load_digits().data.astype(np.float32) / 16
    return digits, 8, "handwritten digits"


def methods():
    k = N_COMPONENTS
    return {
        "AND": andnmf.AND(k, random_state=0),
        "k-means": MiniBatchKMeans(k, random_state=0),
        "PCA": PCA(k, random_state=0),
        "ICA": FastICA(k, random_state=0, max_iter=400),
        "dictionary learning": MiniBatchDictionaryLearning(k, alpha=0.1, max_iter=50, random_state=0),
        "NMF": NMF(k, init="nndsvda", max_iter=400, random_state=0),
        "sparse PCA": MiniBatchSparsePCA(k, alpha=0.1, max_iter=100, random_state=0),
    }


def components_of(model):
    """The components of any of the methods."""
    if isinstance(model, FastICA):
        return model.mixing_.T
    return model.cluster_centers_ if isinstance(model, MiniBatchKMeans) else model.components_


def explained(samples, components):
    """The fraction of the images' variance in the span of the components."""
    centred = samples - samples.mean(axis=0)
    basis, _ = np.linalg.qr(components.T.astype(float))
    residual = centred - (centred @ basis) @ basis.T
    return 1 - (residual**2).sum() / (centred**2).sum()


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    samples, height, dataset = load_images()
    print(f"{dataset}: {samples.shape[0]} images of {height} × {height}\n")
    print("| method | explained variance | fraction of values near zero | seconds |\n|---|---|---|---|")
    figure, rows = pyplot.subplots(7, N_COMPONENTS, figsize=(N_COMPONENTS, 7.5), squeeze=False)
    for axes, (name, model) in zip(rows, methods().items(), strict=True):
        started = time.perf_counter()
        model.fit(samples)
        seconds = time.perf_counter() - started
        components = components_of(model)
        near_zero = np.abs(components) < 0.05 * np.abs(components).max(axis=1, keepdims=True)
        print(f"| {name} | {explained(samples, components):.3f} | {near_zero.mean():.2f} | {seconds:.1f} |", flush=True)
        for ax, component in zip(axes, components, strict=True):
            ax.imshow(component.reshape(height, height), cmap="gray")
            ax.set_axis_off()
        axes[0].set_title(name, loc="left", fontsize="small")
        if name == "AND":
            trust = model.trust_
    figure.tight_layout()
    figure.savefig("faces.png", dpi=100)
    print(f"\nfaces.png shows the components. Verdict of AND: {trust['verdict']}")
    for reason in trust["reasons"]:
        print(f"- {reason}")


if __name__ == "__main__":
    main()
