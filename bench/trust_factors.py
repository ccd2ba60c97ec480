#!/usr/bin/env python3
"""Sets the factors of estimated errors (TrustConstants) on families of data, and judges them on each family left out.

    python bench/trust_factors.py trust.json        fits written by bench/trust.py --out
    python bench/trust_factors.py trust.json --test other.json      and on other fits

The estimate of a component is the sum of its pieces of evidence, each times a factor. The logarithm of the true error over it
is taken to have a standard deviation of its own for each kind of evidence, weighted by its share of the estimate, and larger
where evidence on the whole fit speaks against it. Factors and deviations are those of largest likelihood (Student's t with
three degrees of freedom), all families weighing the same. The interval ends at the given quantiles of the errors over their
deviations. It is what crates/andnmf/src/trust/interval.rs computes.
"""

import argparse
import json
from pathlib import Path

import numpy
from scipy.optimize import minimize
from trust import NO_ERROR, WRONG, spearman

#: Pieces of evidence: the factor to begin with, the deviation to begin with, and the group that shares the deviation.
PIECES = {
    "by_refit": (0.85, 0.15, "refit"),
    "by_refit_volume": (0.6, 0.4, "refit_volume"),
    "by_refit_nmf": (0.85, 0.5, "refit_nmf"),
    "by_refit_counts": (0.85, 0.3, "refit_counts"),
    "by_rerun": (0.4, 0.6, "rerun"),
    "by_moves": (0.1, 0.8, "moves"),
    "by_hals": (0.08, 0.6, "ends"),
    "by_volume": (0.08, 0.6, "ends"),
    "by_stages": (0.1, 0.6, "ends"),
    "by_mixed": (0.15, 0.7, "mixed"),
    "by_forced": (0.4, 0.6, "forced"),
    "by_forced_nmf": (0.1, 0.6, "forced_nmf"),
}
GROUPS = list(dict.fromkeys(group for *_, group in PIECES.values()))
GROUP = numpy.array([GROUPS.index(group) for *_, group in PIECES.values()])
#: No interval is narrower than this deviation.
LEAST = 0.08
#: The deviation by samples set aside, if there are as many as a component has. Not set on data.
SET_ASIDE = 4.0
BELOW, ABOVE = 0.03, 0.08
NMF, COUNTS = ("hals", "nmf"), ("likelihood", "priors", "profiles")


def terms(fit):
    """The evidence of a fit as trust/interval.rs takes it: components × pieces, and the evidence on the whole fit; `None` if
    it was certain."""
    evidence = fit["evidence"]
    errors = evidence["errors"]
    if errors is None:
        return None
    rank, ending = len(evidence["on_shares"]), evidence["ending"]
    column = lambda values: numpy.array(values) if len(values) == rank else numpy.zeros(rank)
    own, counts, nmf = 0.0 if evidence["rerun"] else 1.0, ending in COUNTS, ending in NMF
    checked = 0.0 if evidence["origin"] == "features" else 1.0
    ends = {} if counts else dict(evidence["other_ends"])
    refit, forced = column(errors["refit"]) * checked, column(errors["forced"]) * checked
    pieces = numpy.array([
        refit * (not counts and not nmf and ending != "min-volume"), refit * (ending == "min-volume"), refit * nmf, refit * counts,
        # Fits to half of the counts each differ by twice the error of one to all.
        column(evidence["rerun"]) * (0.5 if counts else 1.0),
        numpy.hypot(column(errors["towards"]), column(errors["away"])) * checked,
        column(ends.get("and+hals", [])), column(ends.get("min-volume", [])), column(ends.get("and", [])),
        column(evidence["mixed"]) * own, forced * (not nmf), forced * nmf,
    ]).T
    negative = evidence["negative_part"]
    leak = 0.0 if counts or negative <= 0 else max(0.0, 1 - errors["negative_part"] / negative)
    aside = min(1.0, len(evidence["set_aside"]) * rank / max(evidence["n_samples"], 1)) ** 2
    return pieces, 1 - (1 - leak) * (1 - min(errors["misfit"], 1.0)), aside


def table(fits):
    """Pieces, evidence on whole fits (two columns), true errors and families of all components that were checked."""
    rows, whole, errors, families = [], [], [], []
    for fit in fits:
        found = terms(fit)
        if found is not None:
            pieces, unexplained, aside = found
            rows.append(pieces)
            whole += [(unexplained, aside)] * len(pieces)
            errors.append(fit["errors"][: len(pieces)])
            families += [fit["family"]] * len(pieces)
    return numpy.vstack(rows), numpy.array(whole), numpy.concatenate(errors), numpy.array(families)


def estimated(settings, rows, whole):
    """Estimates, and the deviations of the logarithms of the errors over them."""
    factors, deviations, unexplained = settings
    parts = numpy.maximum(rows * factors, 1e-12)
    sums = parts.sum(axis=1)
    deviation = (parts * deviations[GROUP]).sum(axis=1) / sums + whole @ [unexplained, SET_ASIDE]
    return numpy.clip(sums, NO_ERROR, 1), numpy.hypot(deviation, LEAST)


def family_weights(families):
    names, counts = numpy.unique(families, return_counts=True)
    return (1 / counts)[numpy.searchsorted(names, families)]


def unpacked(logarithms):
    values = numpy.exp(logarithms)
    return values[: len(PIECES)], values[len(PIECES):-1], values[-1]


def fitted(rows, whole, errors, families):
    """Factors, deviations, and the ends of the interval in deviations."""
    weights = family_weights(families)
    shown = numpy.log(numpy.maximum(errors, NO_ERROR))
    deviations = [numpy.mean([d for _, d, of in PIECES.values() if of == group]) for group in GROUPS]
    first = numpy.log([*(factor for factor, *_ in PIECES.values()), *deviations, 0.5])

    def loss(logarithms):
        guess, deviation = estimated(unpacked(logarithms), rows, whole)
        apart = (shown - numpy.log(guess)) / deviation
        cost = numpy.log(deviation) + 2 * numpy.log1p(apart**2 / 3)
        # Few data hold some of them: those stay where they were.
        return (weights * cost).sum() / weights.sum() + 0.003 * ((logarithms - first) ** 2).sum()

    best = minimize(loss, first, method="L-BFGS-B", bounds=[(value - 3, value + 2) for value in first]).x
    guess, deviation = estimated(unpacked(best), rows, whole)
    apart = (shown - numpy.log(guess)) / deviation
    order = numpy.argsort(apart)
    share = numpy.cumsum(weights[order]) / weights.sum()
    below, above = (apart[order][numpy.searchsorted(share, level)] for level in (BELOW, 1 - ABOVE))
    return unpacked(best), -below, above


def figures(rows, whole, errors, settings, below, above):
    guess, deviation = estimated(settings, rows, whole)
    low, high = guess * numpy.exp(-below * deviation), numpy.minimum(guess * numpy.exp(above * deviation), 1)
    shown = numpy.maximum(errors, NO_ERROR)
    wrong = errors > WRONG
    covered = (low <= shown) & (shown <= numpy.maximum(high, NO_ERROR))
    ratio = guess / shown
    mean = lambda values: f"{100 * values.mean():.0f} %" if len(values) else "–"
    return (f"{wrong.sum()} | {mean((high > WRONG)[wrong])} | {(~wrong).sum()} | {mean((high > WRONG)[~wrong])} | "
            f"{mean(covered)} | {mean((ratio < 2) & (ratio > 0.5))} | {spearman(errors, guess):.2f}")


def read(paths):
    return table([fit for path in paths for fit in json.loads(path.read_text())])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fits", type=Path, nargs="+")
    parser.add_argument("--test", type=Path, nargs="*", default=[], help="fits that set nothing")
    args = parser.parse_args()
    rows, whole, errors, families = read(args.fits)
    settings, below, above = fitted(rows, whole, errors, families)
    factors, deviations, unexplained = settings
    named = [*zip(PIECES, factors), *((f"deviation_{group}", value) for group, value in zip(GROUPS, deviations))]
    for name, value in [*named, ("unexplained", unexplained), ("below", below), ("above", above)]:
        print(f"{name}: {value:.3g}")
    print("\n| left out | wrong | flagged | right | flagged | covered | within 2 | rank correlation |\n|" + "---|" * 8)
    for name in dict.fromkeys(families):
        out = families == name
        print(f"| {name} | {figures(rows[out], whole[out], errors[out], *fitted(*(of[~out] for of in (rows, whole, errors, families))))} |")
    print(f"| none: all | {figures(rows, whole, errors, settings, below, above)} |")
    if args.test:
        rows, whole, errors, families = read(args.test)
        for name in [*dict.fromkeys(families), "all"]:
            at = (families == name) | (name == "all")
            print(f"| {name}, not set on | {figures(rows[at], whole[at], errors[at], settings, below, above)} |")


if __name__ == "__main__":
    main()
