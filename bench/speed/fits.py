"""Fits beside scikit-learn's NMF: the time to a given error from the same start, and default fits from the data alone."""

import csv

import numpy
import sklearn

from made_data import cut_mixtures, tall_mixtures, topic_counts
from speed.quality import in_words
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
    for make in (dense, tall, sparse_counts, cut_counts):
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
    iterations, error = rival.told["iterations"], rival.told["error"]
    last = ours.told["recovery"]["relative_total_correlation_error"]
    notes = [f"{iterations} iterations" if error < ERROR else
             f"the rival never got there: {error:.2g} after {iterations} iterations, whose time this is",
             f"our error ends at {last:.1g}" if there else f"andnmf never got there: its error ends at {last:.2g}"]
    suite.add(what, rival="scikit-learn NMF(cd)", rival_version=sklearn.__version__, rival_seconds=rival.told["seconds"],
              our_seconds=there, goal=TO_ERROR_GOAL if kind == "dir" else "", met=False if kind == "dir" and not there else None,
              rival_peak=rival.peak, our_peak=ours.peak, notes="; ".join(notes))


def start_weights(folder):
    """Weights that go with the start, for rivals that need some: least squares, without what is negative."""
    start = numpy.load(folder / "start.npy")
    weights = numpy.maximum(samples_of(folder) @ numpy.linalg.pinv(start), 0)
    numpy.save(folder / "start_weights.npy", weights)


def dense(suite):
    sizes = suite.size((5000, 2940, 100), (1000, 400, 20))
    with suite.case("default fit, dense"):
        folder = suite.generate("whole-dense", "dir", *sizes)
        whole(suite, "dense, {} x {}".format(*sizes), folder, sizes[2], numpy.load(folder / "truth.npy"))


def tall(suite):
    samples, features, rank = suite.size(1_000_000, 20_000), 500, 20
    with suite.case("default fit, dense f32"):
        folder = suite.generate("whole-tall", "dir", 100, features, rank)
        truth = numpy.load(folder / "truth.npy")
        (folder / "dense.npy").unlink()
        tall_mixtures(folder / "dense.npy", samples, truth, numpy.float32, 0)
        whole(suite, f"dense f32, {samples} x {features}", folder, rank, truth, precision="f32")
        (folder / "dense.npy").unlink()


def sparse_counts(suite):
    documents, words = suite.size((20_000, 10_000), (2000, 1000))
    for rank in (20, 50):
        with suite.case(f"default fit, counts of words, rank {rank}"):
            counts, topics = topic_counts(documents, words, rank, suite.size(106, 12), 0)
            whole_sparse(suite, "counts of words", counts, rank, topics)


def cut_counts(suite):
    samples, features = suite.size((20_000, 10_000), (2000, 1000))
    with suite.case("default fit, largest values of mixtures"):
        mixtures, topics = cut_mixtures(samples, features, 20, 0.01, 0)
        whole_sparse(suite, "largest values of mixtures", mixtures, 20, topics)


def whole_sparse(suite, name, matrix, rank, truth):
    folder = suite.place_sparse(f"whole-{name.replace(' ', '-')}-{rank}", matrix)
    full = 100 * matrix.nnz / numpy.prod(matrix.shape)
    whole(suite, f"CSR, {name}, {matrix.shape[0]} x {matrix.shape[1]}, {full:.1f} %", folder, rank, truth)


def whole(suite, name, folder, rank, truth, precision="f64"):
    """A default fit with its weights beside NNDSVDa and 200 iterations."""
    ours = suite.fit(folder, precision=precision, method="and", rank=rank)
    rival = suite.rival("sklearn", folder, rank=rank, iterations=ITERATIONS)
    suite.add(f"default fit, {name}, rank {rank}", rival=f"scikit-learn NMF(nndsvda, {ITERATIONS} iterations)",
              rival_version=sklearn.__version__, rival_seconds=rival.told["seconds"],
              our_seconds=ours.told["seconds_with_weights"], goal=WHOLE_GOAL, rival_peak=rival.peak, our_peak=ours.peak,
              notes=in_words(folder, folder / "sklearn", truth))
