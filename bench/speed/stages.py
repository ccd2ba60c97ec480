"""Stages with the paper's settings compared with the literal loop in numpy, and the distance of the iterates."""

import numpy

GOAL = ">= 1000"
# The literal loop takes minutes for all stages: a few are timed and extrapolated.
ALL = 200


def run(suite):
    sizes = suite.size((5000, 2940, 100), (1000, 400, 20))
    timed = suite.size(4, 2)
    what = "{} paper stages, {} samples x {} features, rank {}".format(ALL, *sizes)
    with suite.case(what):
        folder = suite.generate("stages", "dir", *sizes)
        rival = suite.rival("literal_loop", folder, stages=timed)
        ours, peak, _ = paper_stages(suite, folder, sizes[2], ALL)
        _, _, components = paper_stages(suite, folder, sizes[2], timed)
        expected = numpy.load(folder / "literal_loop" / "components.npy")
        difference = numpy.linalg.norm(components - expected) / numpy.linalg.norm(expected)
        suite.add(what, rival="literal loop", rival_version=f"numpy {numpy.__version__}", goal=GOAL,
                  rival_seconds=rival.output["seconds"] * ALL / timed, our_seconds=ours, rival_peak=rival.peak, our_peak=peak,
                  notes=f"rival: {timed} stages timed, times {ALL / timed:g}; "
                        f"iterates after those differ by {difference:.1e} of their size")


def paper_stages(suite, folder, rank, stages):
    """Seconds in the solver, peak memory and components after this many stages of the paper's experiment."""
    out = folder / f"after-{stages}"
    done = suite.measured(suite.command, "fit", folder / "samples.npy", "--rank", rank, "--init", folder / "init.npy",
                          "--threshold", "geometric:0.1:1.1", "--inner", 50, "--step", "paper", "--stages", stages,
                          "--tolerance", 0, "--out", out, "--json", "--quiet")
    if done.output["stages"] != stages:
        raise RuntimeError(f"{done.output['stages']} stages were run, not {stages}")
    return done.output["solver_seconds"], done.peak, numpy.load(out / "components.npy")
