"""HALS, ANLS and MU compared with other implementations of NMF, at equal objective."""

import shutil
from pathlib import Path

import gensim
import numpy
import scipy
import sklearn

from generated_data import topic_counts
from speed.quality import squared_error
from speed.rivals import samples_of

METHODS = ("hals", "anls", "mu")
ITERATIONS = 200
SCRIPT = Path(__file__).with_name("rcppml.R")
NO_R = "R or RcppML is not installed (Debian: apt-get install r-cran-rcppml)"


def run(suite):
    with suite.case("methods on dense samples"):
        sizes = suite.size((5000, 2940, 100), (1000, 400, 20))
        folder = suite.generate("methods-dense", "dir", *sizes)
        compare(suite, "dense, {} x {}, rank {}".format(*sizes), folder, sizes[2])
    with suite.case("methods on sparse samples"):
        documents, words, rank = suite.size((20_000, 10_000, 20), (2000, 1000, 10))
        counts, _ = topic_counts(documents, words, rank, suite.size(106, 12), 0)
        folder = suite.write_csr("methods-sparse", counts, start=nndsvda(counts, rank))
        full = 100 * counts.nnz / numpy.prod(counts.shape)
        compare(suite, f"CSR, {documents} x {words}, {full:.1f} %, rank {rank}", folder, rank)
    with suite.case("non-negative least squares"):
        least_squares(suite)


def nndsvda(matrix, rank):
    """The start that scikit-learn uses by default."""
    from sklearn.decomposition._nmf import _initialize_nmf

    return _initialize_nmf(matrix, rank, init="nndsvda", random_state=0)[1]


def compare(suite, name, folder, rank):
    suite.run("nnls", folder)  # weights for the start, so that all methods start at the same point
    for solver, methods in (("cd", ("hals", "anls")), ("mu", ("mu",))):
        what = f"scikit-learn NMF({solver}), {name}"
        with suite.case(what):
            rival = suite.rival("sklearn", folder, rank=rank, given=True, solver=solver, iterations=ITERATIONS)
            target = objective(suite, folder, folder / "sklearn")
            for method in methods:
                reach(suite, method, name, folder, rank, target, rival, start="given", goal=">= 2",
                      rival_name=f"scikit-learn NMF({solver}, {ITERATIONS} iterations)", version=sklearn.__version__,
                      notes="from the same start")
            if solver == "cd":
                plain_iterations(suite, name, folder, rank, target, rival)
    own = "each from its own start; ours, NNDSVD, is included in the time"
    with suite.case(f"gensim, {name}"):
        passes = 5
        rival = suite.rival("gensim", folder, rank=rank, passes=passes)
        target = objective(suite, folder, folder / "gensim")
        reach(suite, "hals", name, folder, rank, target, rival, start="data", goal="",
              rival_name=f"gensim Nmf({passes} passes)", version=gensim.__version__,
              notes=f"{own}; its components with optimal weights")
    with suite.case(f"RcppML, {name}"):
        rscript = shutil.which("Rscript")
        try:
            version = suite.measured(rscript, SCRIPT, "version").output["version"] if rscript else None
        except RuntimeError:
            version = None
        if version is None:
            suite.add(f"RcppML, {name}", rival="RcppML", notes=NO_R)
            return
        rival = suite.measured(rscript, SCRIPT, "fit", folder, rank)
        target = objective(suite, folder, folder / "rcppml")
        for method in METHODS:
            reach(suite, method, name, folder, rank, target, rival, start="data", goal=">= 1",
                  rival_name="RcppML nmf", version=version, notes=f"{rival.output['iterations']} of its iterations; {own}")


def plain_iterations(suite, name, folder, rank, target, rival):
    """Adds a row: HALS reduced to plain coordinate descent, per iteration."""
    ours = suite.fit(folder, start="given", method="hals", rank=rank, max_stages=ITERATIONS, tolerance=0, sweeps=1,
                     compress="off")
    trace = ours.output["trace"]
    difference = trace[-1][1] / target - 1
    suite.add(f"hals, one plain iteration times {ITERATIONS}, {name}", rival=f"scikit-learn NMF(cd, {ITERATIONS} iterations)",
              rival_version=sklearn.__version__, rival_seconds=rival.output["seconds"],
              our_seconds=trace[-1][0] / len(trace) * ITERATIONS, rival_peak=rival.peak, our_peak=ours.peak,
              notes=f"one sweep, no smaller space; after {len(trace)} stages the objectives differ by {difference:+.1e}")


def objective(suite, folder, factors):
    """The squared error of a rival's factors; if it has no weights, with the optimal ones."""
    samples, components = samples_of(folder), raw_or_npy(factors, "components", folder)
    weights = raw_or_npy(factors, "weights", folder)
    if weights is None:
        helper = suite.folder / "best-weights"
        shutil.rmtree(helper, ignore_errors=True)
        helper.mkdir()
        for file in folder.glob("*.npy"):
            if not file.name.startswith("start"):
                (helper / file.name).symlink_to(file)
        numpy.save(helper / "start.npy", numpy.ascontiguousarray(components, dtype=float))
        suite.run("nnls", helper)
        weights = numpy.load(helper / "start_weights.npy")
    return squared_error(samples, weights, components)


def raw_or_npy(factors, name, folder):
    """A matrix written by a rival: a .npy file, or raw numbers row by row; `None` if there is none."""
    if (factors / f"{name}.npy").exists():
        return numpy.load(factors / f"{name}.npy")
    if not (factors / f"{name}.raw").exists():
        return None
    samples, features = samples_of(folder).shape
    flat = numpy.fromfile(factors / f"{name}.raw")
    return flat.reshape(-1, features) if name == "components" else flat.reshape(samples, -1)


def reach(suite, method, name, folder, rank, target, rival, start, goal, rival_name, version, notes):
    """Adds a row: the time in which our method reaches a rival's objective, if it does so within the rival's time."""
    what, seconds = f"{method} to equal objective, {name}", rival.output["seconds"]
    with suite.case(what):
        ours = suite.fit(folder, start=start, method=method, rank=rank, max_stages=100_000, tolerance=0, time_limit=seconds)
        trace = ours.output["trace"]
        stage, there = next(((i, at) for i, (at, loss) in enumerate(trace) if loss <= target), (None, None))
        if there is None:
            notes += (f"; not reached within its time: the objective ends {100 * (trace[-1][1] / target - 1):+.2g} % off after "
                      f"{len(trace)} stages")
        else:
            notes += f"; reached in stage {stage + 1}"
        suite.add(what, rival=rival_name, rival_version=version, rival_seconds=seconds, our_seconds=there, goal=goal,
                  met=False if there is None and goal else None, rival_peak=rival.peak, our_peak=ours.peak, notes=notes)


def least_squares(suite):
    """Weights of samples by block principal pivoting, compared with scipy's nnls in a loop."""
    sizes = suite.size((5000, 2940, 100), (1000, 400, 20))
    timed = suite.size(500, 100)
    folder = suite.generate("nnls", "dir", *sizes)
    # Noise makes the problems resemble real data.
    samples = numpy.load(folder / "dense.npy") + 1e-3 * numpy.random.default_rng(0).standard_normal(sizes[:2])
    (folder / "dense.npy").unlink()
    numpy.save(folder / "dense.npy", samples)
    ours = suite.measured(suite.program, "nnls", folder)
    rival = suite.rival("scipy_nnls", folder, timed=timed)
    weights, expected = numpy.load(folder / "start_weights.npy")[:timed], numpy.load(folder / "scipy_nnls" / "weights.npy")
    difference = numpy.abs(weights - expected).max() / expected.max()
    suite.add("non-negative least squares, {} x {}, rank {}".format(*sizes), rival="scipy.optimize.nnls in a loop",
              rival_version=scipy.__version__, rival_seconds=rival.output["seconds"] * sizes[0] / timed,
              our_seconds=ours.output["seconds"], goal=">= 20", rival_peak=rival.peak, our_peak=ours.peak,
              notes=f"rival: {timed} samples timed, times {sizes[0] / timed:g}; "
                    f"no weight differs by more than {difference:.0e} of the largest")
