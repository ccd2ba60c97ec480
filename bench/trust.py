#!/usr/bin/env python3
"""How far the errors that default fits estimate can be believed: estimated beside true errors, over families of data.

    PYTHONPATH=bindings/python/python python bench/trust.py --seeds 3 --out trust.json
    PYTHONPATH=bindings/python/python python bench/trust.py --quick
    python bench/trust.py --read trust.json                 the tables again, without fits

Needs the Python package. The true error of a component is the sine of its angle to the nearest true one. A component is
wrong above 0.1, and flagged if its interval reaches above 0.1. Data sets are read from ../shared/data, or from
$ANDNMF_DATA; families without their data are skipped.
"""

import argparse
import json
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy

WRONG = 0.1
GOOD_LIMIT = 0.15
# Errors below this are equal for all purposes: they are within the interval if it reaches down to it.
NO_ERROR = 1e-3


def true_errors(components, truth):
    """The sine between each component and the nearest true one; 1 for components that are zero."""
    def directions(rows):
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        return numpy.divide(rows, lengths, out=numpy.zeros_like(rows), where=lengths > 0)

    components, truth = directions(components), directions(truth)
    nearest = truth[(components @ truth.T).argmax(axis=1)]
    # From the difference: a cosine near one has lost the digits of its sine.
    along = (components * nearest).sum(axis=1, keepdims=True)
    errors = numpy.linalg.norm(components - along * nearest, axis=1)
    return numpy.where(numpy.linalg.norm(components, axis=1) > 0, errors, 1.0)


def judged(family, name, samples, truth, rank, seed):
    """One fit: its true errors, estimated ones, verdict, and what the estimates are made of."""
    import andnmf

    model = andnmf.AND(rank, random_state=seed)
    started = time.perf_counter()
    model.fit(samples)
    seconds = time.perf_counter() - started
    trust, evidence = model.trust_, model._evidence
    return {
        "family": family, "name": name, "seed": seed, "seconds": seconds, "ending": model.ending_,
        "verdict": trust["verdict"], "reasons": [reason["code"] for reason in trust["reasons"]],
        "errors": true_errors(model.components_, truth).tolist(), "intervals": trust["component_error"],
        "evidence": evidence, "rank": rank, "n_samples": int(samples.shape[0]),
    }


def run(families, seeds, quick, out):
    """Fits of all cases; `out` has those so far after each of them."""
    import trust_cases

    fits = []
    for family in families or trust_cases.FAMILIES:
        for seed in seeds:
            for number, case in enumerate(trust_cases.FAMILIES[family](seed)):
                if quick and number > 1:
                    break
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fits.append(judged(family, *case, seed))
                last = fits[-1]
                if out:
                    out.write_text(json.dumps(fits))
                print(f"{family}: {last['name']}, seed {seed}: largest error {max(last['errors']):.3g}, "
                      f"{last['verdict']}, {last['seconds']:.2f} s", file=sys.stderr, flush=True)
    return fits


def share(values):
    return f"{100 * numpy.mean(values):.0f} %" if len(values) else "–"


def number(value):
    return "–" if numpy.isnan(value) else f"{value:.2f}"


def spearman(a, b):
    if len(a) < 3 or numpy.ptp(a) == 0 or numpy.ptp(b) == 0:
        return float("nan")
    ranks = [numpy.argsort(numpy.argsort(v)) for v in (a, b)]
    return float(numpy.corrcoef(*ranks)[0, 1])


def measures(fits):
    """The figures of some fits."""
    errors = numpy.concatenate([fit["errors"] for fit in fits])
    low, estimate, high = numpy.concatenate([numpy.array(fit["intervals"]).reshape(-1, 3) for fit in fits]).T
    wrong, flagged = errors > WRONG, high > WRONG
    shown, guess = numpy.maximum(errors, NO_ERROR), numpy.maximum(estimate, NO_ERROR)
    covered = (numpy.minimum(low, NO_ERROR) <= errors) & (low <= shown) & (shown <= numpy.maximum(high, NO_ERROR))
    good = [fit for fit in fits if fit["verdict"] == "good"]
    fine = [fit for fit in fits if max(fit["errors"]) <= 0.05]
    return {
        "fits": len(fits), "wrong": int(wrong.sum()), "right": int((~wrong).sum()),
        "flagged": flagged[wrong], "accused": flagged[~wrong],
        "named": estimate[wrong] > WRONG, "named_right": estimate[~wrong] > WRONG, "covered": covered,
        "within_two": (guess / shown <= 2) & (shown / guess <= 2), "spearman": spearman(errors, estimate),
        "good": len(good), "wrongly_good": sum(max(fit["errors"]) > GOOD_LIMIT for fit in good),
        "good_if_fine": [fit["verdict"] == "good" for fit in fine],
    }


def table(fits):
    print("| family | fits | wrong components | of them flagged | estimate above 0.1 | right ones | of them flagged | estimate above 0.1 | "
          "covered | within a factor of 2 | rank correlation | good | wrongly | good where all are within 0.05 |")
    print("|" + "---|" * 14)
    families = list(dict.fromkeys(fit["family"] for fit in fits))
    for name in [*families, "all"]:
        m = measures([fit for fit in fits if name in (fit["family"], "all")])
        print(f"| {name} | {m['fits']} | {m['wrong']} | {share(m['flagged'])} | {share(m['named'])} | "
              f"{m['right']} | {share(m['accused'])} | {share(m['named_right'])} | {share(m['covered'])} | {share(m['within_two'])} | {number(m['spearman'])} | {m['good']} | {m['wrongly_good']} | "
              f"{share(m['good_if_fine'])} |")


def reliability(fits):
    """True errors by the size of their estimates."""
    errors = numpy.concatenate([fit["errors"] for fit in fits])
    low, estimate, high = numpy.concatenate([numpy.array(fit["intervals"]).reshape(-1, 3) for fit in fits]).T
    print("| estimate | components | 5 % of the errors below | median | 5 % above | mean interval from | to |\n|" + "---|" * 7)
    edges = [0, 1e-3, 3e-3, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.25, 0.5, 1.001]
    for lower, upper in zip(edges, edges[1:]):
        here = (lower <= estimate) & (estimate < upper)
        if here.sum() >= 5:
            values = [numpy.median(estimate[here]), *numpy.quantile(errors[here], [0.05, 0.5, 0.95]), low[here].mean(), high[here].mean()]
            first, *rest = (f"{value:.2g}" for value in values)
            print(f"| {first} | {here.sum()} | {' | '.join(rest)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--families", nargs="*", help="only these")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--quick", action="store_true", help="two fits of each family")
    parser.add_argument("--out", type=Path, help="writes every fit as JSON")
    parser.add_argument("--read", type=Path, nargs="*", help="reads fits instead")
    args = parser.parse_args()
    if args.read:
        fits = [fit for path in args.read for fit in json.loads(path.read_text())]
    else:
        fits = run(args.families, range(args.first, args.first + (1 if args.quick else args.seeds)), args.quick, args.out)
    table(fits)
    print()
    reliability(fits)
    print(f"\nMedian time of a fit: {statistics.median(fit['seconds'] for fit in fits):.2f} s")


if __name__ == "__main__":
    main()
