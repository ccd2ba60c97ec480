#!/usr/bin/env python3
"""Sets the factors of estimated errors (TrustConstants) on families of data, and judges them on each family left out.

    python bench/trust_factors.py trust.json        fits written by bench/trust.py --out

The estimate of a component is the root of the sum of squares of its pieces of evidence, each times a factor. The factors are
those of the least mean deviation of the logarithms of estimates and true errors, all families weighing the same; the
interval is the narrowest that keeps the given share of the errors.
"""

import argparse
import json
from pathlib import Path

import numpy
from scipy.optimize import minimize
from trust import NO_ERROR, WRONG, spearman

SMALL_SHARE = 0.05
TERMS = ("by_refit", "by_rerun", "by_samples", "by_towards", "by_away", "by_hals", "by_volume", "by_stages", "by_moved",
         "mixed", "negative", "by_misfit")
FIRST = (1.0, 0.3, 0.2, 0.15, 0.15, 0.15, 0.1, 0.1, 0.2, 0.3, 0.3, 0.3)
BELOW, ABOVE = 0.03, 0.05


def terms(fit):
    """The evidence of a fit, components × terms, as trust/interval.rs takes it; `None` if it was certain."""
    evidence = fit["evidence"]
    errors = evidence["errors"]
    if errors is None:
        return None
    rank = len(evidence["on_shares"])
    column = lambda values: numpy.array(values) if len(values) == rank else numpy.zeros(rank)
    rerun = evidence["rerun"]
    own = 0.0 if rerun else 1.0
    counts = evidence["ending"] in ("likelihood", "priors", "profiles")
    ends = {} if counts else dict(evidence["other_ends"])
    checked = 0.0 if evidence["origin"] == "features" else 1.0
    negative = numpy.maximum(column(evidence["negative_shares"]) - SMALL_SHARE, 0) * own
    return numpy.array([
        # Fits to half of the counts each differ by twice the error of one to all.
        column(errors["refit"]) * checked, column(rerun) * (0.5 if counts else 1.0),
        numpy.hypot(column(evidence["resampled"]), column(evidence["noise_errors"])) * own,
        column(errors["towards"]) * checked, column(errors["away"]) * checked,
        column(ends.get("and+hals", [])), column(ends.get("min-volume", [])), column(ends.get("and", [])),
        column(evidence["moved"]) * own, column(evidence["mixed"]) * own,
        negative * (evidence["ending"] != "signed"), numpy.full(rank, errors["misfit"]),
    ]).T


def table(fits):
    """Terms, true errors and families of all components that were checked."""
    rows, errors, families = [], [], []
    for fit in fits:
        found = terms(fit)
        if found is not None:
            rows.append(found)
            errors.append(fit["errors"][: len(found)])
            families += [fit["family"]] * len(found)
    return numpy.vstack(rows), numpy.concatenate(errors), numpy.array(families)


def estimates(factors, rows):
    return numpy.minimum(numpy.sqrt(((rows * factors) ** 2).sum(axis=1)), 1)


def family_weights(families):
    names, counts = numpy.unique(families, return_counts=True)
    return (1 / counts)[numpy.searchsorted(names, families)]


def fitted(rows, errors, families):
    """Factors, and the limits of the interval over the estimate."""
    weights = family_weights(families)
    shown = numpy.log(numpy.maximum(errors, NO_ERROR))

    def loss(logarithms):
        guess = numpy.log(numpy.maximum(estimates(numpy.exp(logarithms), rows), NO_ERROR))
        apart = guess - shown
        # Errors that are missed cost more than alarms, and all the more about the limit.
        cost = numpy.where(apart < 0, 1.5, 1.0) * numpy.sqrt(apart**2 + 0.1)
        return (weights * cost).sum() / weights.sum()

    first = numpy.log(FIRST)
    # Few data hold some of the factors: those stay where they were.
    held = lambda logarithms: loss(logarithms) + 0.01 * ((logarithms - first) ** 2).sum()
    best = minimize(held, first, method="L-BFGS-B", bounds=[(value - 3, value + 1.5) for value in first])
    factors = numpy.exp(best.x)
    ratio = numpy.maximum(errors, NO_ERROR) / numpy.maximum(estimates(factors, rows), NO_ERROR)
    order = numpy.argsort(ratio)
    share = numpy.cumsum(weights[order]) / weights.sum()
    above = ratio[order][numpy.searchsorted(share, 1 - ABOVE)]
    below = 1 / ratio[order][numpy.searchsorted(share, BELOW)]
    return factors, below, above


def figures(rows, errors, factors, below, above):
    guess = estimates(factors, rows)
    low, high = guess / below, numpy.minimum(guess * above, 1)
    shown = numpy.maximum(errors, NO_ERROR)
    wrong = errors > WRONG
    covered = (low <= shown) & (shown <= numpy.maximum(high, NO_ERROR))
    ratio = numpy.maximum(guess, NO_ERROR) / shown
    mean = lambda values: f"{100 * values.mean():.0f} %" if len(values) else "–"
    return (f"{wrong.sum()} | {mean((high > WRONG)[wrong])} | {(~wrong).sum()} | {mean((high > WRONG)[~wrong])} | "
            f"{mean(covered)} | {mean((ratio < 2) & (ratio > 0.5))} | {spearman(errors, guess):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fits", type=Path, nargs="+")
    args = parser.parse_args()
    rows, errors, families = table([fit for path in args.fits for fit in json.loads(path.read_text())])
    factors, below, above = fitted(rows, errors, families)
    for name, factor in [*zip(TERMS, factors), ("below_estimate", below), ("above_estimate", above)]:
        print(f"{name}: {factor:.3g}")
    print("\n| left out | wrong | flagged | right | flagged | covered | within 2 | rank correlation |\n|" + "---|" * 8)
    for name in dict.fromkeys(families):
        out = families == name
        print(f"| {name} | {figures(rows[out], errors[out], *fitted(rows[~out], errors[~out], families[~out]))} |")
    print(f"| none: all | {figures(rows, errors, factors, below, above)} |")


if __name__ == "__main__":
    main()
