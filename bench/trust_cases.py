"""Data with a known truth, in families, on which the errors that fits estimate are judged."""

import counts
import mixture_cases
import numpy

# Families, each with a function of a seed that yields (name, samples, truth, rank).
FAMILIES = {}


def family(name):
    def register(make):
        FAMILIES[name] = make
        return make

    return register


def made(kind, seed, noise=0.0, rank=None, n_samples=None, components=20, features=300, **settings):
    """A dataset of the package, with a rank that need not be the true one."""
    from andnmf import datasets

    data = getattr(datasets, f"make_{kind}")(
        n_samples=n_samples or 50 * components, n_features=features, n_components=components, noise=noise,
        random_state=seed, **settings)
    name = f"{kind} {settings or ''} noise {noise:g}"
    return name, data.samples, data.truth, rank or components


KINDS = [("paired", {"co_occurrence": 0.8}), ("dir", {"concentration": 5}), ("dir", {"concentration": 1}), ("ctm", {"scale": 3})]


@family("ideal mixtures")
def ideal(seed):
    for kind, settings in KINDS:
        yield made(kind, seed, **settings)


@family("white noise")
def white_noise(seed):
    for kind, settings in [*KINDS, ("dir", {"concentration": 20})]:
        for noise in (0.003, 0.03, 0.1, 0.3):
            yield made(kind, seed, noise, **settings)


@family("made scenes")
def scenes(seed):
    for rank in (3, 4, 6):
        truth = mixture_cases.materials(rank, 10 * rank + seed)
        if truth is None:
            return
        rng = numpy.random.default_rng(seed)
        for number, kind in enumerate(mixture_cases.WEIGHTS):
            decibel = (20, 30, 40)[(number + rank + seed) % 3]
            clean = mixture_cases.shares(kind, 900, rank, rng) @ truth
            yield f"{rank} materials, {kind}, {decibel} dB", mixture_cases.with_noise(clean, decibel, rng), truth, rank


@family("measured scenes")
def measured(seed):
    for name in mixture_cases.SCENES:
        samples, truth = mixture_cases.load(name, "samples.npy"), mixture_cases.load(name, "endmembers.npy")
        if samples is not None:
            chosen = numpy.sort(numpy.random.default_rng(seed).permutation(len(samples))[:3000]) if seed else slice(None)
            yield f"{name}, {'some' if seed else 'all'} pixels", samples[chosen], truth, len(truth)
    abundances = mixture_cases.load("apex", "abundances.npy")
    if abundances is not None:
        truth = mixture_cases.load("apex", "endmembers.npy")
        yield "apex at 30 dB", mixture_cases.with_noise(abundances @ truth, 30, numpy.random.default_rng(seed)), truth, len(truth)


@family("chromatograms")
def chromatograms(seed):
    for number in range(4):
        rank = 3 + number % 2
        yield f"{rank} peaks", *mixture_cases.overlapped_peaks(rank, 4 * seed + number), rank


def count_case(name, row):
    return name, row.counts, row.truth, len(row.truth)


@family("counted topics")
def topics(seed):
    for words, n, dirichlet in [(40, 800, False), (200, 800, False), (500, 500, True), (1000, 500, False)]:
        make = counts.generated(words, n, 10, dirichlet=dirichlet)
        yield count_case(f"{words} words × {n}{', Dirichlet' if dirichlet else ''}", make(seed))


@family("signatures")
def signatures(seed):
    if mixture_cases.load("dbs_signatures", "signatures.npy") is not None:
        yield count_case("doublets", counts.dbs(seed))
    for name in ("sbs_set1_realistic", "indel_set1_realistic") if seed == 0 else ():
        if mixture_cases.load("signatures", f"{name}_truth.npy") is not None:
            yield count_case(name, counts.signatures(name)(0))


@family("cells")
def cells(seed):
    for depth in (500, 5000):
        row = counts.cells(depth)(seed)
        yield f"{depth} counts × 600", row.counts[:600], row.truth, len(row.truth)


@family("wrong rank")
def wrong_rank(seed):
    for kind, settings in KINDS[:2]:
        for noise in (0.0, 0.03):
            for rank in (16, 19, 22):
                name, *rest = made(kind, seed, noise, rank, **settings)
                yield f"{name} rank {rank} of 20", *rest


@family("few samples")
def few_samples(seed):
    for kind, settings in KINDS[:2]:
        for each in (2, 5, 10):
            for noise in (0.0, 0.03):
                name, *rest = made(kind, seed, noise, n_samples=20 * each, **settings)
                yield f"{name} {each} samples each", *rest


@family("backgrounds")
def backgrounds(seed):
    for smoothing, noise in [(0.0, 0.0), (1e-5, 0.0), (0.0, 1e-4), (0.0, 1e-2)]:
        found = mixture_cases.background_topics(smoothing, noise, seed, n=1500, words=800, rank=15)
        if found is not None:
            yield f"topic on everywhere, smoothing {smoothing:g}, noise {noise:g}", *found, len(found[1])
    for level in (0.003, 0.02):
        name, samples, truth, rank = made("dir", seed, 0.003, concentration=5)
        added = level * numpy.random.default_rng(seed).uniform(0.5, 1.5, (len(samples), rank))
        yield f"{name} always on at {level:g}", samples + added @ truth, truth, rank


@family("outliers")
def outliers(seed):
    for kind, settings in KINDS[:2]:
        for noise in (0.0, 0.03):
            name, samples, truth, rank = made(kind, seed, noise, **settings)
            rng = numpy.random.default_rng(seed)
            junk = rng.choice(len(samples), len(samples) // 100, replace=False)
            samples = samples.copy()
            samples[junk] = rng.exponential(samples.mean(), (len(junk), samples.shape[1]))
            yield f"{name} 1 % junk", samples, truth, rank
