"""Tests whether the scores of components separate right ones from wrong ones."""

import json

from harness import heading
from recovery_cases import RELEASED, Case, dirichlet, paired, persistent

# The limit of the library: do not trust components with a higher score.
LIMIT = 0.1
# Components further from every true one than this are wrong.
WRONG = 0.1
RANK, FEATURES = 50, 1000
KINDS = [
    ("dir-1", "dir", dirichlet(1)),
    ("dir-5", "dir", dirichlet(5)),
    ("dir-20", "dir", dirichlet(20)),
    ("ctm-released", "ctm-released", RELEASED),
    ("ctm-5", "ctm", persistent(5)),
    ("ctm-3", "ctm", persistent(3)),
    ("binary", "binary", {"kind": "bernoulli-binary", "sparsity": 5.0}),
    ("paired-binary-0.8", "paired", paired(0.8)),
    ("paired-q1-0.8", "paired", paired(0.8, 1.0)),
]
# What is wrong: name, samples per component, requested rank, level of weights that are always on.
SETTINGS = [
    ("nothing", 50, RANK, 0.0),
    ("rank 10 % too large", 50, RANK * 11 // 10, 0.0),
    ("10 samples per component", 10, RANK, 0.0),
    ("5 samples per component", 5, RANK, 0.0),
    ("weights always on", 50, RANK, 0.01),
]
NOISE = [0.0, 0.003, 0.01]


def errors_of(components, truth):
    """The sine between each component and the nearest true one; 1 for components that are zero."""
    import numpy

    def directions(rows):
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        return numpy.divide(rows, lengths, out=numpy.zeros_like(rows), where=lengths > 0)

    cosines = numpy.abs(directions(components) @ directions(truth).T).max(axis=1)
    return numpy.sqrt(numpy.maximum(1 - cosines**2, 0))


def scores(bench, kind, weights, setting, noise, seed):
    """Errors and scores of the components of one fit, as two arrays."""
    import numpy

    _, per_component, rank, level = setting
    sizes = {"n_features": FEATURES, "rank": RANK, "n_samples": per_component * RANK}
    folder = bench.write_arrays("scores")
    bench.run("dataset", json.dumps(Case("scores", kind, weights, noise=noise, sizes=sizes).trial(seed)), folder)
    truth = numpy.load(folder / "truth.npy")
    if level > 0:
        added = level * numpy.random.default_rng(seed).uniform(0.5, 1.5, (sizes["n_samples"], RANK))
        numpy.save(folder / "dense.npy", numpy.load(folder / "dense.npy") + added @ truth)
    output = bench.run("fit", folder, rank, "and", "data")
    return errors_of(numpy.load(folder / "components.npy"), truth), numpy.array(output["trust"]["component_stability"])


def separation(bench, seeds):
    heading(f"Scores of components: rank {RANK}, {FEATURES} features, nine kinds of weights, noise {NOISE}")
    print("| what is wrong | wrong components | of them above the limit | right components | of them above the limit |")
    print("|---|---|---|---|---|", flush=True)
    every = []
    for setting in SETTINGS:
        fits = [scores(bench, kind, weights, setting, noise, seed)
                 for _, kind, weights in KINDS for noise in NOISE for seed in range(seeds)]
        # The goal is about fits in which something is wrong.
        every += fits if setting is not SETTINGS[0] else []
        print(row(setting[0], fits), flush=True)
    print(row("all but the first (goal: at least 90 %, at most 5 %)", every), flush=True)


def row(name, fits):
    import numpy

    errors, given = (numpy.concatenate(part) for part in zip(*fits))
    wrong = errors > WRONG

    def flagged(chosen):
        return f"{100 * (given[chosen] > LIMIT).mean():.1f} %" if chosen.any() else "-"

    return f"| {name} | {wrong.sum()} | {flagged(wrong)} | {(~wrong).sum()} | {flagged(~wrong)} |"
