"""Stages with the paper's settings beside the literal loop in numpy, and how near the iterates are."""

import numpy

GOAL = ">= 1000"
# The literal loop takes minutes for all stages: some are timed, and counted as often as needed.
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
        apart = numpy.linalg.norm(components - expected) / numpy.linalg.norm(expected)
        suite.add(what, rival="literal loop", rival_version=f"numpy {numpy.__version__}", goal=GOAL,
                  rival_seconds=rival.told["seconds"] * ALL / timed, our_seconds=ours, rival_peak=rival.peak, our_peak=peak,
                  notes=f"rival: {timed} stages timed, times {ALL / timed:g}; "
                        f"iterates after those differ by {apart:.1e} of their size")


def paper_stages(suite, folder, rank, stages):
    """Seconds in the solver, peak memory and components after so many stages of the paper's experiment."""
    out = folder / f"after-{stages}"
    done = suite.measured(suite.command, "fit", folder / "samples.npy", "--rank", rank, "--init", folder / "init.npy",
                          "--threshold", "geometric:0.1:1.1", "--inner", 50, "--step", "paper", "--stages", stages,
                          "--tolerance", 0, "--out", out, "--json", "--quiet")
    if done.told["stages"] != stages:
        raise RuntimeError(f"{done.told['stages']} stages were run, not {stages}")
    return done.told["solver_seconds"], done.peak, numpy.load(out / "components.npy")
