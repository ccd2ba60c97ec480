"""Mixtures as measurements give them, with a known truth: scenes, dense weights, backgrounds, smoothed topics, chromatograms."""

from real_data import find

SCENES = ("samson", "jasper", "moffett")
WEIGHTS = ("dirichlet 1", "dirichlet 0.3", "dirichlet 3", "two at a time", "no pure sample", "smooth", "smooth and sparse")


def load(*names):
    import numpy

    path = find(*names)
    return None if path is None else numpy.load(path).astype(float)


def with_noise(clean, decibel, rng):
    """White noise at a signal-to-noise ratio, clipped at zero."""
    import numpy

    scale = numpy.sqrt((clean**2).mean() / 10 ** (decibel / 10))
    return numpy.maximum(clean + scale * rng.standard_normal(clean.shape), 0)


def smooth_shares(n, rank, contrast, rng):
    """Shares that vary smoothly over a square image."""
    import numpy

    side = int(numpy.sqrt(n))
    x, y = numpy.fft.fftfreq(side)[:, None], numpy.fft.fftfreq(side)[None]
    low_pass = numpy.exp(-(x**2 + y**2) * 2 * (0.15 * side) ** 2)
    fields = numpy.real(numpy.fft.ifft2(numpy.fft.fft2(rng.standard_normal((rank, side, side))) * low_pass))
    powers = numpy.exp(contrast * fields / fields.std(axis=(1, 2), keepdims=True)).reshape(rank, -1)
    return (powers / powers.sum(axis=0)).T


def shares(kind, n, rank, rng):
    import numpy

    if kind.startswith("dirichlet"):
        return rng.dirichlet([float(kind.split()[1])] * rank, n)
    if kind == "no pure sample":
        drawn = rng.dirichlet([0.7] * rank, 6 * n)
        return drawn[drawn.max(axis=1) < 0.85][:n]
    if kind == "two at a time":
        weights = numpy.zeros((n, rank))
        for row in weights:
            row[rng.choice(rank, 2, replace=False)] = rng.dirichlet([1, 1])
        return weights
    return smooth_shares(n, rank, 1.5 if kind == "smooth" else 3.0, rng)


def materials(rank, seed, bands=180):
    """Spectra of the published references, brought to the same bands; `None` without the data."""
    import numpy

    spectra = []
    for name in ("apex", *SCENES):
        reference = load(name, "endmembers.npy")
        if reference is None:
            return None
        for spectrum in reference / reference.max():
            places = numpy.linspace(0, len(spectrum) - 1, bands)
            spectra.append(numpy.interp(places, numpy.arange(len(spectrum)), spectrum))
    return numpy.array(spectra)[numpy.random.default_rng(seed).choice(len(spectra), rank, replace=False)]


def background_topics(smoothing, noise, seed, n=3000, words=2000, rank=30):
    """Topics of the AP corpus and one more that is on in every sample."""
    import numpy

    topics = load("ap_topics", "topics.npy")
    if topics is None:
        return None
    rng, topics = numpy.random.default_rng(seed), topics[: rank + 1]
    topics = numpy.where(topics < 1e-4, 0, topics)
    topics = topics[:, numpy.argsort(-topics.sum(axis=0))[:words]]
    topics = topics / topics.sum(axis=1, keepdims=True) + smoothing
    topics /= topics.sum(axis=1, keepdims=True)
    weights = numpy.hstack([0.7 * rng.dirichlet([5 / rank] * rank, n), 0.3 * rng.uniform(0.5, 1.5, (n, 1))])
    clean = weights @ topics
    scale = noise * numpy.sqrt((clean**2).mean())
    return numpy.maximum(clean + scale * rng.standard_normal(clean.shape), 0), topics


def overlapped_peaks(rank, seed, times=60, wavelengths=96):
    """A chromatogram: overlapped peaks in time, smooth spectra."""
    import numpy

    rng = numpy.random.default_rng(seed)
    peak = lambda axis, center, width: numpy.exp(-0.5 * ((axis - center) / width) ** 2)
    time, wavelength = numpy.linspace(0, 1, times), numpy.linspace(0, 1, wavelengths)
    centers, widths = numpy.sort(rng.uniform(0.3, 0.7, rank)), rng.uniform(0.04, 0.08, rank)
    elution = numpy.array([peak(time, center, width) for center, width in zip(centers, widths)]).T
    bands = lambda: zip(rng.uniform(0.3, 1, 3), rng.uniform(0, 1, 3), rng.uniform(0.05, 0.2, 3))
    spectra = numpy.array([0.05 + sum(h * peak(wavelength, c, w) for h, c, w in bands()) for _ in range(rank)])
    clean = elution @ spectra
    return numpy.maximum(clean + 1e-3 * clean.max() * rng.standard_normal(clean.shape), 0), spectra


def cases(seeds):
    """Yields (family, name, samples, truth); families whose data are missing are left out."""
    import numpy

    for name in SCENES:
        samples, truth = load(name, "samples.npy"), load(name, "endmembers.npy")
        if samples is not None:
            for count in sorted({len(samples), min(len(samples), 2500)}):
                chosen = numpy.sort(numpy.random.default_rng(0).permutation(len(samples))[:count])
                yield "measured scene", f"{name}, {count} pixels", samples[chosen], truth
    abundances = load("apex", "abundances.npy")
    for seed in range(seeds):
        rng = numpy.random.default_rng(seed)
        if abundances is not None:
            truth = load("apex", "endmembers.npy")
            yield "measured scene", f"apex at 30 dB, seed {seed}", with_noise(abundances @ truth, 30, rng), truth
        for rank in (3, 4, 6):
            truth = materials(rank, 10 * rank + seed)
            for kind in WEIGHTS if truth is not None else ():
                for decibel in (20, 30, 40):
                    clean = shares(kind, 3600, rank, rng) @ truth
                    name = f"{rank} materials, {kind}, {decibel} dB, seed {seed}"
                    yield "made scene", name, with_noise(clean, decibel, rng), truth
        levels = [(10.0**-k, 0.0) for k in (12, 9, 7, 6, 5, 4, 3)] + [(0.0, 10.0**-k) for k in (12, 8, 6, 5, 4, 3, 2, 1)]
        for smoothing, noise in [(0.0, 0.0), *levels]:
            made = background_topics(smoothing, noise, seed)
            if made is not None:
                yield "background", f"smoothing {smoothing:g}, noise {noise:g}, seed {seed}", *made
        yield "chromatogram", f"{3 + seed % 2} peaks, seed {seed}", *overlapped_peaks(3 + seed % 2, seed)
    topics, documents = load("ap_topics", "topics.npy"), load("ap_topics", "shares.npy")
    if topics is not None:
        for words in (topics.shape[1], 1000):
            kept = topics[:, numpy.argsort(-(documents.mean(axis=0) @ topics))[:words]]
            kept = kept / kept.sum(axis=1, keepdims=True)
            yield "fitted topics", f"AP, {words} words", documents @ kept, kept
