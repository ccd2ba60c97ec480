"""Default fits on real data, where no truth is known for certain, and on data that break AND's conditions."""

import json
import statistics
import time

from harness import heading
from real_data import coherence, find, newsgroups, nips, usual_words
from recovery_cases import Case, dirichlet

WORDS = 4000
# How much less coherent than scikit-learn's NMF topics may be.
LEAST_SHARE = 0.97
ITERATIONS = 200
# The seed of the singular value decomposition alone moves the coherence of topics, scikit-learn's by up to 6 %.
TOPIC_SEEDS = range(3)


def rival_nmf(samples, rank, seed=0):
    from sklearn.decomposition import NMF

    model = NMF(rank, init="nndsvda", max_iter=ITERATIONS, random_state=seed)
    begin = time.perf_counter()
    model.fit(samples)
    return model.components_, time.perf_counter() - begin


def fit(bench, folder, rank, method="and", seed=0):
    """Our components for the matrix of a folder, and what the fit says of itself."""
    import numpy

    said = bench.run("fit", folder, rank, method, "data", seed)
    return numpy.load(folder / "components.npy"), said


def scene(bench):
    """Materials of the Samson scene against the published spectra."""
    import numpy

    heading("Samson hyperspectral scene: mean matched cosine with the published spectra")
    samples = find("samson", "samples.npy")
    if samples is None:
        return bench.say("not found: skipped")
    pixels = numpy.load(samples).astype(float)
    truth = numpy.load(samples.with_name("endmembers.npy")).astype(float)
    folder = bench.place("samson", dense=pixels, truth=truth)
    print("| method | cosine | goal | seconds |\n|---|---|---|---|")
    for method in ["and", "spa", "min-volume"]:
        _, said = fit(bench, folder, len(truth), method)
        goal = ">= 0.995" if method == "and" else ""
        seconds = f"{said['seconds']:.2f}" if "seconds" in said else ""
        print(f"| {method} | {bench.run('score', folder)['mean_matched_cosine']:.4f} | {goal} | {seconds} |", flush=True)
    components, seconds = rival_nmf(pixels, len(truth))
    numpy.save(folder / "components.npy", components)
    cosine = bench.run("score", folder)["mean_matched_cosine"]
    print(f"| scikit-learn NMF | {cosine:.4f} | | {seconds:.2f} |", flush=True)


def topics(bench):
    """Coherence of topics beside those of scikit-learn's NMF."""
    from sklearn.feature_extraction.text import TfidfTransformer

    heading(f"Topics: coherence (NPMI) of the ten top words, {WORDS} words")
    print(f"Medians of {len(TOPIC_SEEDS)} seeds, and their ranges.\n")
    print("| corpus | rank | andnmf | | NMF | | share of its median | goal | seconds | NMF | said |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, load in [("20 newsgroups", newsgroups), ("NIPS", nips)]:
        corpus = load()
        if corpus is None:
            print(f"| {name}: not found, skipped | | | | | | | | | | |")
            continue
        counts, _ = usual_words(corpus, WORDS)
        for kind, matrix in [("tf-idf", TfidfTransformer().fit_transform(counts)), ("counts", counts)]:
            folder = bench.place_sparse("topics", matrix)
            for rank in (10, 20, 50):
                fits = [fit(bench, folder, rank, seed=seed) for seed in TOPIC_SEEDS]
                rivals = [rival_nmf(matrix, rank, seed) for seed in TOPIC_SEEDS]
                ours, theirs = (
                    sorted(coherence(found, counts).mean() for found, _ in runs) for runs in (fits, rivals)
                )
                share = statistics.median(ours) / statistics.median(theirs)
                said = fits[0][1]
                print(f"| {name}, {kind} | {rank} | {spread(ours)} | {spread(theirs)} | {share:.3f} | "
                      f">= {LEAST_SHARE} | {said['seconds']:.2f} | {rivals[0][1]:.2f} | {said['trust']['verdict']} |",
                      flush=True)


def spread(values):
    """The median of some sorted values, and their range."""
    return f"{statistics.median(values):.3f} | {values[0]:.3f} to {values[-1]:.3f}"


def faces(bench):
    """Faces that were not fitted, under components fitted to others."""
    import numpy
    import scipy.optimize

    heading("Olivetti faces: relative error on faces held out")
    path = find("olivetti", "faces.npy")
    if path is None:
        return bench.say("not found: skipped")
    images = numpy.load(path).astype(float).reshape(-1, 4096) / 255
    shuffled = numpy.random.default_rng(0).permutation(len(images))
    # Other pictures of the same people, and people never seen (ten pictures of each follow each other).
    splits = {"pictures": numpy.sort(shuffled[:100]), "people": numpy.arange(300, 400)}

    def error(components, samples):
        weights = numpy.array([scipy.optimize.nnls(components.T, sample)[0] for sample in samples])
        return numpy.linalg.norm(samples - weights @ components) / numpy.linalg.norm(samples)

    # Components that may be negative span more: their error is no fair match for that of NMF.
    print("| held out | rank | andnmf | NMF | apart | goal | negative share | seconds | NMF |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, held_out in splits.items():
        train, test = numpy.delete(images, held_out, axis=0), images[held_out]
        folder = bench.place("faces", dense=train)
        for rank in (6, 10, 20, 40):
            components, said = fit(bench, folder, rank)
            rival, seconds = rival_nmf(train, rank)
            ours, theirs = error(components, test), error(rival, test)
            negative = numpy.linalg.norm(numpy.minimum(components, 0)) / numpy.linalg.norm(components)
            print(f"| {name} | {rank} | {ours:.4f} | {theirs:.4f} | {100 * (ours / theirs - 1):+.2f} % | <= +1 % | "
                  f"{negative:.2g} | {said['seconds']:.2f} | {seconds:.2f} |", flush=True)


def always_on(bench):
    """Weights that never vanish: the paper's example of what cannot be recovered from the weights."""
    import numpy

    heading("Weights that are always on: error, no worse than HALS wanted")
    case = Case("always-on", "dir", dirichlet(5))
    print("| least weight | noise | andnmf | HALS | NMF | said |\n|---|---|---|---|---|---|")
    folder = bench.place("always-on")
    for level, noise in [(0.003, 0.0), (0.01, 0.0), (0.05, 0.0), (0.01, 0.01)]:
        case.noise = noise
        bench.run("dataset", json.dumps(case.trial(0)), folder)
        weights, truth = numpy.load(folder / "weights.npy"), numpy.load(folder / "truth.npy")
        added = level * numpy.random.default_rng(0).uniform(0.5, 1.5, weights.shape)
        samples = numpy.load(folder / "dense.npy") + added @ truth
        numpy.save(folder / "dense.npy", samples)
        _, said = fit(bench, folder, len(truth))
        errors = [bench.run("score", folder)["relative_total_correlation_error"]]
        # Noise makes some entries negative, which the others do not take.
        samples = numpy.maximum(samples, 0)
        numpy.save(folder / "dense.npy", samples)
        fit(bench, folder, len(truth), "hals")
        errors.append(bench.run("score", folder)["relative_total_correlation_error"])
        numpy.save(folder / "components.npy", rival_nmf(samples, len(truth))[0])
        errors.append(bench.run("score", folder)["relative_total_correlation_error"])
        cells = " | ".join(f"{error:.2g}" for error in errors)
        print(f"| {level} | {noise} | {cells} | {said['trust']['verdict']}: {'; '.join(reason['text'] for reason in said['trust']['reasons'])} |", flush=True)


CASES = {"faces": faces, "scene": scene, "topics": topics, "always-on": always_on}
