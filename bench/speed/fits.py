"""Fits compared with scikit-learn's NMF: time to a given error from the same start, and default fits from the data."""

import csv

import numpy
import sklearn

from generated_data import sparse_mixtures, write_mixtures, topic_counts
from speed.quality import describe_quality
from speed.rivals import samples_of

ITERATIONS = 200
ERROR = 1e-3
TO_ERROR_GOAL = ">= 100"
WHOLE_GOAL = ">= 10"


def run(suite):
    for kind in ("dir", "ctm", "paired"):
        sizes = suite.size((5000, 2940, 100), (1000, 400, 20))
        what = f"{kind}: time to a relative total error of {ERROR:g} from the same start"
        with suite.case(what):
            to_error(suite, what, kind, sizes)
    for make in (dense, tall, sparse_counts, sparse_from_mixtures):
        make(suite)


def to_error(suite, what, kind, sizes):
    rank = sizes[2]
    folder = suite.generate(f"to-error-{kind}", kind, *sizes)
    start_weights(folder)
    ours = suite.measured(suite.command, "fit", folder / "samples.npy", "--rank", rank, "--init", folder / "init.npy",
                          "--truth", folder / "truth.npy", "--out", folder / "fit", "--json", "--quiet")
    with open(folder / "fit" / "trace.csv") as file:
        trace = [(float(row["seconds"]), float(row["relative_correlation_error"])) for row in csv.DictReader(file)
                 if row["relative_correlation_error"]]
    there = next((seconds for seconds, error in trace if error < ERROR), None)
    rival = suite.rival("sklearn_to_error", folder, rank=rank, error=ERROR, iterations=ITERATIONS)
    iterations, error = rival.output["iterations"], rival.output["error"]
    last = ours.output["recovery"]["relative_total_correlation_error"]
    notes = [f"{iterations} iterations" if error < ERROR else
             f"the rival did not reach it: {error:.2g} after {iterations} iterations, whose time this is",
             f"our error ends at {last:.1g}" if there else f"andnmf did not reach it: its error ends at {last:.2g}"]
    suite.add(what, rival="scikit-learn NMF(cd)", rival_version=sklearn.__version__, rival_seconds=rival.output["seconds"],
              our_seconds=there, goal=TO_ERROR_GOAL if kind == "dir" else "", met=False if kind == "dir" and not there else None,
              rival_peak=rival.peak, our_peak=ours.peak, notes="; ".join(notes))


def start_weights(folder):
    """Writes weights for the start, for methods that need them: least squares, clipped at zero."""
    start = numpy.load(folder / "start.npy")
    weights = numpy.maximum(samples_of(folder) @ numpy.linalg.pinv(start), 0)
    numpy.save(folder / "start_weights.npy", weights)


def dense(suite):
    sizes = suite.size((5000, 2940, 100), (1000, 400, 20))
    with suite.case("default fit, dense"):
        folder = suite.generate("whole-dense", "dir", *sizes)
        default_fit(suite, "dense, {} x {}".format(*sizes), folder, sizes[2], numpy.load(folder / "truth.npy"))


def tall(suite):
    samples, features, rank = suite.size(1_000_000, 20_000), 500, 20
    with suite.case("default fit, dense f32"):
        folder = suite.generate("whole-tall", "dir", 100, features, rank)
        truth = numpy.load(folder / "truth.npy")
        (folder / "dense.npy").unlink()
        write_mixtures(folder / "dense.npy", samples, truth, numpy.float32, 0)
        default_fit(suite, f"dense f32, {samples} x {features}", folder, rank, truth, precision="f32")
        (folder / "dense.npy").unlink()


def sparse_counts(suite):
    documents, words = suite.size((20_000, 10_000), (2000, 1000))
    for rank in (20, 50):
        with suite.case(f"default fit, counts of words, rank {rank}"):
            counts, topics = topic_counts(documents, words, rank, suite.size(106, 12), 0)
            default_fit_sparse(suite, "counts of words", counts, rank, topics)


def sparse_from_mixtures(suite):
    samples, features = suite.size((20_000, 10_000), (2000, 1000))
    with suite.case("default fit, largest values of mixtures"):
        mixtures, topics = sparse_mixtures(samples, features, 20, 0.01, 0)
        default_fit_sparse(suite, "largest values of mixtures", mixtures, 20, topics)


def default_fit_sparse(suite, name, matrix, rank, truth):
    folder = suite.write_csr(f"whole-{name.replace(' ', '-')}-{rank}", matrix)
    full = 100 * matrix.nnz / numpy.prod(matrix.shape)
    default_fit(suite, f"CSR, {name}, {matrix.shape[0]} x {matrix.shape[1]}, {full:.1f} %", folder, rank, truth)


def default_fit(suite, name, folder, rank, truth, precision="f64"):
    """A default fit with its weights, compared with NNDSVDa and 200 iterations."""
    ours = suite.fit(folder, precision=precision, method="and", rank=rank)
    rival = suite.rival("sklearn", folder, rank=rank, iterations=ITERATIONS)
    suite.add(f"default fit, {name}, rank {rank}", rival=f"scikit-learn NMF(nndsvda, {ITERATIONS} iterations)",
              rival_version=sklearn.__version__, rival_seconds=rival.output["seconds"],
              our_seconds=ours.output["seconds_with_weights"], goal=WHOLE_GOAL, rival_peak=rival.peak, our_peak=ours.peak,
              notes=describe_quality(folder, folder / "sklearn", truth))
