#!/usr/bin/env python3
"""Measures what AND recovers with default settings, beside scikit-learn's NMF, successive projection and minimum volume.

    bench/recovery.py                              everything, ten seeds
    bench/recovery.py data noise --seeds 3         some parts: data near noise real scores invariance time
    bench/recovery.py --cases dir-5 paired         only cases whose names start with one of these

A truth is used for scoring alone; errors are relative total correlation errors. The other methods run on the first seeds
only (--rival-seeds, 1; 0 omits them), since each takes many times longer. Makes its own Python environment under target/,
builds the Rust side, and prints Markdown. Real data are expected in ../shared/data or $ANDNMF_DATA.
"""

import argparse
import json
import statistics
import tempfile
import time

import recovery_real
import recovery_scores
from harness import BenchProgram, build, enter_environment, heading, print_environment
from recovery_cases import FROM_DATA, LARGE, NEAR_TRUTH, NOISY, REORDERED

ITERATIONS = 200
# A seed of the scores takes more than a hundred fits.
SCORE_SEEDS = 4
RIVALS = ["nmf", "spa", "min-volume"]
# Goal for noisy cases: error over that of least squares with the true weights.
NOISE_ALLOWANCE = 1.1


def write_case(bench, case, seed):
    """Writes the data of a case; returns their folder."""
    folder = bench.write_arrays("case")
    bench.run("dataset", json.dumps(case.trial(seed)), folder)
    return folder


def error_of_folder(bench, folder):
    return bench.run("score", folder)["relative_total_correlation_error"]


def nmf(bench, folder, case):
    """Error and seconds of scikit-learn's NMF on a case, from the data or from the start that AND gets."""
    import numpy
    from sklearn.decomposition import NMF

    samples, rank = numpy.load(folder / "dense.npy"), case.sizes["rank"]
    model = NMF(rank, init="custom" if case.near_truth else "nndsvda", max_iter=ITERATIONS, random_state=0)
    started = time.perf_counter()
    if case.near_truth:
        start = numpy.maximum(numpy.load(folder / "start.npy"), 0)
        weights = numpy.maximum(samples @ numpy.linalg.pinv(start), 0)
        model.fit_transform(samples, W=weights, H=start)
    else:
        model.fit(samples)
    seconds = time.perf_counter() - started
    numpy.save(folder / "components.npy", model.components_)
    return error_of_folder(bench, folder), seconds


def rivals(bench, case, seed):
    """Errors of the other methods on a case, by name; those that do not accept the data are missing."""
    import numpy

    folder = write_case(bench, case, seed)
    if case.kind != "neg":
        # These samples are negative only by noise.
        numpy.save(folder / "dense.npy", numpy.maximum(numpy.load(folder / "dense.npy"), 0))
    start, errors = "given" if case.near_truth else "data", {}
    for method in RIVALS:
        if case.kind == "neg" and method != "spa":
            continue
        if method == "nmf":
            errors[method], _ = nmf(bench, folder, case)
        else:
            bench.run("fit", folder, case.sizes["rank"], method, start)
            errors[method] = error_of_folder(bench, folder)
    return errors


def rival_cells(bench, case, seeds):
    """Median errors of the other methods, as table cells."""
    runs = [rivals(bench, case, seed) for seed in seeds]
    errors = [[run[method] for run in runs if method in run] for method in RIVALS]
    return [f"{statistics.median(values):.2g}" if values else "-" for values in errors]


def least_squares(bench, case, seed):
    """Error of least squares with the true weights, the reference for noisy cases."""
    import numpy

    folder = write_case(bench, case, seed)
    weights, samples = numpy.load(folder / "weights.npy"), numpy.load(folder / "dense.npy")
    numpy.save(folder / "components.npy", numpy.linalg.lstsq(weights, samples, rcond=None)[0])
    return error_of_folder(bench, folder)


def recovery_table(bench, cases, seeds, rival_seeds, noisy=False):
    """Prints one row per case: errors over all seeds, cost of a fit, errors of the other methods."""
    print("| case | median | worst | goal | met | wrong components | stages | passes | seconds | NMF | SPA | min-volume |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for case in cases:
        runs = [bench.run("trial", json.dumps(case.trial(seed)), "and") for seed in range(seeds)]
        errors = [run["error"] for run in runs]
        goal, met = (f"{case.goal:g}", max(errors) <= case.goal) if case.goal is not None else ("open", None)
        if noisy:
            least = [least_squares(bench, case, seed) for seed in range(seeds)]
            goal = f"{NOISE_ALLOWANCE} x {statistics.median(least):.3g}"
            met = all(error <= NOISE_ALLOWANCE * bound for error, bound in zip(errors, least))
        if case.stages_to_a_millionth is not None:
            there = [next((i + 1 for i, error in enumerate(run["errors"]) if error < 1e-6), None) for run in runs]
            goal += f", 1e-6 in {case.stages_to_a_millionth} stages ({', '.join(str(i or 'never') for i in there)})"
            met = met and all(i is not None and i <= case.stages_to_a_millionth for i in there)
        typical = [statistics.median(run[key] for run in runs) for key in ("stages", "passes", "seconds")]
        cells = [f"{statistics.median(errors):.2g}", f"{max(errors):.2g}", goal,
                 {True: "yes", False: "**no**", None: ""}[met], f"{max(run['wrong'] for run in runs)}",
                 f"{typical[0]:g}", f"{typical[1]:g}", f"{typical[2]:.2f}",
                 *rival_cells(bench, case, range(rival_seeds))]
        print(f"| {case.name} | " + " | ".join(cells) + " |", flush=True)


def invariance(bench, cases):
    heading("Other units and other orders: distance from the components of the unchanged samples")
    print("| case | times 1e-6 | times 1e6 | largest change of size | samples reordered | features reordered |")
    print("|---|---|---|---|---|---|", flush=True)
    for case in cases:
        output = bench.run("invariance", json.dumps(case.trial(0)))
        sizes = max(abs(scaled["size"] - 1) for scaled in output["scaled"])
        distances = [f"{scaled['apart']:.1e}" for scaled in output["scaled"]]
        orders = [f"{output[key]:.1e}" for key in ("samples_reordered", "features_reordered")]
        print(f"| {case.name} | {' | '.join(distances)} | {sizes:.1e} | {' | '.join(orders)} |", flush=True)


def timing(bench, seeds):
    heading(f"Time of a whole default fit: {LARGE.sizes['n_samples']} x {LARGE.sizes['n_features']}, rank 100")
    runs = [bench.run("trial", json.dumps(LARGE.trial(seed)), "and") for seed in range(seeds)]
    seconds = [run["seconds"] for run in runs]
    rival_error, rival_seconds = nmf(bench, write_case(bench, LARGE, 0), LARGE)
    print("| | seconds, median | worst | goal | error, median |\n|---|---|---|---|---|")
    print(f"| andnmf | {statistics.median(seconds):.2f} | {max(seconds):.2f} | < 3 | "
          f"{statistics.median(run['error'] for run in runs):.2g} |")
    print(f"| scikit-learn NMF, {ITERATIONS} iterations | {rival_seconds:.2f} | | | {rival_error:.2g} |", flush=True)


PARTS = ["data", "near", "noise", "real", "scores", "invariance", "time"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help="parts to run: " + " ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=10, help="seeds for each case (10)")
    parser.add_argument("--rival-seeds", type=int, default=1, help="seeds for the other methods (1)")
    parser.add_argument("--cases", nargs="+", default=[""], metavar="CASE", help="only cases whose names start with one of these")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; choose from {' '.join(PARTS)}")
    if arguments.seeds < 1:
        parser.error("--seeds must be at least 1")
    enter_environment()
    program = build("recovery")
    print_environment()

    def selected(name):
        return name.startswith(tuple(arguments.cases))

    def chosen(cases):
        return [case for case in cases if selected(case.name)]

    tables = {
        "data": ("From the data alone", FROM_DATA),
        "near": ("From a start near the truth", NEAR_TRUTH),
        "noise": ("With noise, from the data alone", NOISY),
    }
    with tempfile.TemporaryDirectory() as folder:
        bench = BenchProgram(program, folder)
        for part in arguments.parts or PARTS:
            if part in tables:
                title, cases = tables[part]
                if chosen(cases):
                    heading(title)
                    recovery_table(bench, chosen(cases), arguments.seeds, arguments.rival_seeds, part == "noise")
            elif part == "real":
                for name, measure in recovery_real.CASES.items():
                    if selected(name):
                        measure(bench)
            elif part == "scores":
                recovery_scores.separation(bench, min(arguments.seeds, SCORE_SEEDS))
            elif part == "invariance":
                invariance(bench, chosen(REORDERED))
            else:
                timing(bench, arguments.seeds)


if __name__ == "__main__":
    main()
