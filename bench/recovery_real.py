"""Default fits on real data, whose truth is uncertain, and on data that violate AND's conditions."""

import json
import statistics
import time

import mixture_cases
from harness import heading
from real_data import coherence, find, newsgroups, nips, usual_words
from recovery_cases import Case, dirichlet

WORDS = 4000
# Goal: coherence of topics over that of scikit-learn's NMF.
LEAST_SHARE = 0.97
ITERATIONS = 200
# Seeds of the mixtures: each takes about a hundred fits of six methods.
MIXTURE_SEEDS = 5
# The seed of the SVD alone changes the coherence, scikit-learn's by up to 6 %.
TOPIC_SEEDS = range(3)


def rival_nmf(samples, rank, seed=0):
    from sklearn.decomposition import NMF

    model = NMF(rank, init="nndsvda", max_iter=ITERATIONS, random_state=seed)
    started = time.perf_counter()
    model.fit(samples)
    return model.components_, time.perf_counter() - started


def fit(bench, folder, rank, method="and", seed=0):
    """Components of andnmf for the matrix of a folder, and the JSON output of the fit."""
    import numpy

    output = bench.run("fit", folder, rank, method, "data", seed)
    return numpy.load(folder / "components.npy"), output


def scene(bench):
    """Materials of the Samson scene against the published spectra."""
    import numpy

    heading("Samson hyperspectral scene: mean matched cosine with the published spectra")
    samples = find("samson", "samples.npy")
    if samples is None:
        return bench.say("data not found: skipped")
    pixels = numpy.load(samples).astype(float)
    truth = numpy.load(samples.with_name("endmembers.npy")).astype(float)
    folder = bench.write_arrays("samson", dense=pixels, truth=truth)
    print("| method | cosine | goal | seconds |\n|---|---|---|---|")
    for method in ["and", "spa", "min-volume"]:
        _, output = fit(bench, folder, len(truth), method)
        goal = ">= 0.995" if method == "and" else ""
        seconds = f"{output['seconds']:.2f}" if "seconds" in output else ""
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
    print("| corpus | rank | andnmf | | NMF | | share of its median | goal | seconds | NMF | verdict |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, load in [("20 newsgroups", newsgroups), ("NIPS", nips)]:
        corpus = load()
        if corpus is None:
            print(f"| {name}: not found, skipped | | | | | | | | | | |")
            continue
        counts, _ = usual_words(corpus, WORDS)
        for kind, matrix in [("tf-idf", TfidfTransformer().fit_transform(counts)), ("counts", counts)]:
            folder = bench.write_csr("topics", matrix)
            for rank in (10, 20, 50):
                fits = [fit(bench, folder, rank, seed=seed) for seed in TOPIC_SEEDS]
                rivals = [rival_nmf(matrix, rank, seed) for seed in TOPIC_SEEDS]
                ours, theirs = (
                    sorted(coherence(components, counts).mean() for components, _ in runs) for runs in (fits, rivals)
                )
                share = statistics.median(ours) / statistics.median(theirs)
                output = fits[0][1]
                print(f"| {name}, {kind} | {rank} | {spread(ours)} | {spread(theirs)} | {share:.3f} | "
                      f">= {LEAST_SHARE} | {output['seconds']:.2f} | {rivals[0][1]:.2f} | {output['trust']['verdict']} |",
                      flush=True)


def spread(values):
    """The median of sorted values, and their range."""
    return f"{statistics.median(values):.3f} | {values[0]:.3f} to {values[-1]:.3f}"


def faces(bench):
    """Error on held-out faces."""
    import numpy
    import scipy.optimize

    heading("Olivetti faces: relative error on faces held out")
    path = find("olivetti", "faces.npy")
    if path is None:
        return bench.say("data not found: skipped")
    images = numpy.load(path).astype(float).reshape(-1, 4096) / 255
    shuffled = numpy.random.default_rng(0).permutation(len(images))
    # Held out: other images of the same people, and all images of some people (ten images each, in order).
    splits = {"pictures": numpy.sort(shuffled[:100]), "people": numpy.arange(300, 400)}

    def error(components, samples):
        weights = numpy.array([scipy.optimize.nnls(components.T, sample)[0] for sample in samples])
        return numpy.linalg.norm(samples - weights @ components) / numpy.linalg.norm(samples)

    # The share of negative values is shown because negative components would make the comparison unfair.
    print("| held out | rank | andnmf | NMF | difference | goal | negative share | seconds | NMF |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, held_out in splits.items():
        train, test = numpy.delete(images, held_out, axis=0), images[held_out]
        folder = bench.write_arrays("faces", dense=train)
        for rank in (6, 10, 20, 40):
            components, output = fit(bench, folder, rank)
            rival, seconds = rival_nmf(train, rank)
            ours, theirs = error(components, test), error(rival, test)
            negative = numpy.linalg.norm(numpy.minimum(components, 0)) / numpy.linalg.norm(components)
            print(f"| {name} | {rank} | {ours:.4f} | {theirs:.4f} | {100 * (ours / theirs - 1):+.2f} % | <= +1 % | "
                  f"{negative:.2g} | {output['seconds']:.2f} | {seconds:.2f} |", flush=True)


def always_on(bench):
    """Weights that are never zero: the paper's example of what the weights cannot identify."""
    import numpy

    heading("Weights that are always on: error (goal: no worse than HALS)")
    case = Case("always-on", "dir", dirichlet(5))
    print("| least weight | noise | andnmf | HALS | NMF | verdict |\n|---|---|---|---|---|---|")
    folder = bench.write_arrays("always-on")
    for level, noise in [(0.003, 0.0), (0.01, 0.0), (0.05, 0.0), (0.01, 0.01)]:
        case.noise = noise
        bench.run("dataset", json.dumps(case.trial(0)), folder)
        weights, truth = numpy.load(folder / "weights.npy"), numpy.load(folder / "truth.npy")
        added = level * numpy.random.default_rng(0).uniform(0.5, 1.5, weights.shape)
        samples = numpy.load(folder / "dense.npy") + added @ truth
        numpy.save(folder / "dense.npy", samples)
        _, output = fit(bench, folder, len(truth))
        errors = [bench.run("score", folder)["relative_total_correlation_error"]]
        # Noise makes some entries negative, which the other methods do not accept.
        samples = numpy.maximum(samples, 0)
        numpy.save(folder / "dense.npy", samples)
        fit(bench, folder, len(truth), "hals")
        errors.append(bench.run("score", folder)["relative_total_correlation_error"])
        numpy.save(folder / "components.npy", rival_nmf(samples, len(truth))[0])
        errors.append(bench.run("score", folder)["relative_total_correlation_error"])
        cells = " | ".join(f"{error:.2g}" for error in errors)
        print(f"| {level} | {noise} | {cells} | {output['trust']['verdict']}: {'; '.join(reason['text'] for reason in output['trust']['reasons'])} |", flush=True)


def mixtures(bench):
    """Mixtures with a known truth as measurements give them, beside other methods."""
    import numpy

    heading("Mixtures: error with default settings (goal: at most 1.05 of the best other method)")
    others = ["hals", "min-volume", "spa"]
    print("| family | case | andnmf | ending | seconds | " + " | ".join(others) + " | NMF | over the best |")
    print("|---|---|---|---|---|" + "---|" * (len(others) + 2), flush=True)
    ratios = {}
    for family, name, samples, truth in mixture_cases.cases(MIXTURE_SEEDS):
        folder = bench.write_arrays("mixtures", dense=samples, truth=truth)

        def error(method):
            output = fit(bench, folder, len(truth), method)[1]
            return bench.run("score", folder)["relative_total_correlation_error"], output

        ours, output = error("and")
        errors = [error(method)[0] for method in others]
        numpy.save(folder / "components.npy", rival_nmf(samples, len(truth))[0])
        errors.append(bench.run("score", folder)["relative_total_correlation_error"])
        ratio = ours / max(min(errors), 1e-12)
        ratios.setdefault(family, []).append(ratio)
        cells = " | ".join(f"{value:.3g}" for value in errors)
        print(f"| {family} | {name} | {ours:.3g} | {output['ending']} | {output['seconds']:.2f} | {cells} | {ratio:.3g} |",
              flush=True)
    print("\n| family | cases | at most 1.05 of the best | worst |\n|---|---|---|---|")
    for family, values in ratios.items():
        share = sum(ratio <= 1.05 for ratio in values) / len(values)
        print(f"| {family} | {len(values)} | {100 * share:.0f} % | {max(values):.3g} |", flush=True)


CASES = {"faces": faces, "scene": scene, "topics": topics, "always-on": always_on, "mixtures": mixtures}
