"""Other programs in Python, each in its own process: rivals.py NAME FOLDER SETTINGS.

Reads the samples of a folder, fits them, writes `components.npy` and `weights.npy` to FOLDER/NAME, and prints JSON: the
seconds from samples in memory to factors in memory.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy


def samples_of(folder):
    """The matrix of a folder: `dense.npy`, or the parts of a CSR matrix with its shape."""
    import scipy.sparse

    if (folder / "dense.npy").exists():
        return numpy.load(folder / "dense.npy")
    shape, *parts = (numpy.load(folder / f"{name}.npy") for name in ("shape", "data", "indices", "indptr"))
    return scipy.sparse.csr_matrix(tuple(parts), shape=tuple(shape))


def factorize(samples, rank, **settings):
    """scikit-learn's NMF without the residual that its estimator computes at the end."""
    from sklearn.decomposition import non_negative_factorization

    weights, components, _ = non_negative_factorization(samples, n_components=rank, tol=0, random_state=0, **settings)
    return weights, components


def given_start(folder):
    return {"init": "custom", "W": numpy.load(folder / "start_weights.npy"), "H": numpy.load(folder / "start.npy")}


def sklearn(folder, rank, given=False, solver="cd", iterations=200):
    """scikit-learn's NMF from a given start, or from NNDSVDa."""
    samples = samples_of(folder)
    start = given_start(folder) if given else {"init": "nndsvda"}
    started = time.perf_counter()
    factors = factorize(samples, rank, solver=solver, max_iter=iterations, **start)
    return time.perf_counter() - started, *factors, {}


def sklearn_to_error(folder, rank, error, iterations=200, chunk=10):
    """From a given start until the error against the truth is reached; measuring is excluded from the time."""
    samples, truth, start = samples_of(folder), numpy.load(folder / "truth.npy"), given_start(folder)
    seconds, errors = 0.0, []
    for _ in range(0, iterations, chunk):
        started = time.perf_counter()
        start["W"], start["H"] = factorize(samples, rank, solver="cd", max_iter=chunk, **start)
        seconds += time.perf_counter() - started
        errors.append(correlation_error(start["H"], truth))
        if errors[-1] < error:
            break
    return seconds, start["W"], start["H"], {"iterations": chunk * len(errors), "error": errors[-1]}


def correlation_error(components, truth):
    """The sum over true components of their relative distance from the line through the nearest component."""
    components, truth = (rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-300) for rows in (components, truth))
    cosines = truth @ components.T
    nearest = numpy.abs(cosines).argmax(axis=1)
    shares = numpy.take_along_axis(cosines, nearest[:, None], axis=1)
    return float(numpy.linalg.norm(truth - shares * components[nearest], axis=1).sum())


def gensim(folder, rank, passes=5):
    """Online NMF; returns no weights."""
    import scipy.sparse
    from gensim.models.nmf import Nmf

    corpus = scipy.sparse.csc_matrix(samples_of(folder).T)
    words = {i: str(i) for i in range(corpus.shape[0])}
    started = time.perf_counter()
    model = Nmf(corpus, rank, words, passes=passes, eval_every=None, normalize=False, random_state=0)
    seconds = time.perf_counter() - started
    return seconds, None, numpy.asarray(model.get_topics(normalize=False)), {}


def scipy_nnls(folder, timed):
    """Weights of the first samples under the start, one by one."""
    import scipy.optimize

    samples = samples_of(folder)[:timed]
    matrix = numpy.ascontiguousarray(numpy.load(folder / "start.npy").T)
    started = time.perf_counter()
    weights = numpy.array([scipy.optimize.nnls(matrix, sample)[0] for sample in samples])
    return time.perf_counter() - started, weights, matrix.T, {}


def literal_loop(folder, stages, inner=50, first=0.1, ratio=1.1):
    """Algorithm 1 as printed, on all samples: every gradient step is computed from the samples."""
    samples, components = samples_of(folder).T, numpy.load(folder / "init.npy").T
    step = 0.5 / components.shape[1]
    started = time.perf_counter()
    for stage in range(stages):
        weights = numpy.linalg.pinv(components) @ samples
        weights[weights < first / ratio**stage] = 0
        for _ in range(inner):
            residual = samples @ weights.T - (components @ weights) @ weights.T
            components = components + step * residual
    return time.perf_counter() - started, weights.T, components.T, {}


RIVALS = {rival.__name__: rival for rival in (sklearn, sklearn_to_error, gensim, scipy_nnls, literal_loop)}


def main():
    warnings.simplefilter("ignore")  # scikit-learn warns if 200 iterations do not converge
    name, folder, settings = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
    seconds, weights, components, more = RIVALS[name](folder, **settings)
    out = folder / name
    out.mkdir(exist_ok=True)
    for key, array in (("weights", weights), ("components", components)):
        if array is not None:
            numpy.save(out / f"{key}.npy", array)
    print(json.dumps({"seconds": seconds, **more}))


if __name__ == "__main__":
    main()
