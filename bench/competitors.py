#!/usr/bin/env python3
"""andnmf's methods beside scikit-learn's and scipy's, on the same data, in one run.

    bench/competitors.py                 everything
    bench/competitors.py hals anls       some parts: hals anls lda anchor table
    bench/competitors.py table --seconds 5

Makes its own Python environment under target/, builds the Rust side, and prints Markdown. Every ratio is that of
two times taken in this run: above 1, andnmf is faster. Real data are looked for in ../shared/data or $ANDNMF_DATA.
"""

import argparse
import json
import subprocess
import tempfile
import time

from harness import Bench, build, enter_environment, heading, introduce
from real_data import nips

# A perplexity depends on the random start: one run says little.
SEEDS = [0, 1, 2]
PARTS = ["hals", "anls", "lda", "anchor", "table"]


def ratio(title, rival, ours, goal):
    print(f"| {title} | {rival / ours:.1f} | {goal} | {rival:.2f} s | {ours:.2f} s |", flush=True)


def ratio_table():
    print("| what | rival / andnmf | goal | rival | andnmf |\n|---|---|---|---|---|")


def topic_counts(documents, words, topics, length, seed):
    """A sparse corpus of a topic model: documents x words."""
    import numpy
    import scipy.sparse

    random = numpy.random.default_rng(seed)
    shapes = random.dirichlet(numpy.full(words, 0.05), size=topics)
    mixtures = random.dirichlet(numpy.full(topics, 0.1), size=documents)
    pointers, indices, values = [0], [], []
    for mixture in mixtures:
        chances = mixture @ shapes
        found, counts = numpy.unique(
            random.choice(words, size=length, p=chances / chances.sum()), return_counts=True
        )
        indices.append(found)
        values.append(counts)
        pointers.append(pointers[-1] + len(found))
    parts = (numpy.concatenate(values).astype(float), numpy.concatenate(indices), numpy.array(pointers))
    return scipy.sparse.csr_matrix(parts, shape=(documents, words))


def hals(bench):
    """HALS beside the coordinate descent of scikit-learn's NMF, from the same components and weights."""
    import numpy
    from sklearn.decomposition import NMF
    from sklearn.decomposition._nmf import _initialize_nmf

    heading("1. HALS beside scikit-learn's NMF(solver='cd'), 200 iterations")
    dense = bench.place("hals-dense")
    bench.run("dataset", "dir", dense)
    matrix = topic_counts(20_000, 10_000, 20, 106, 0)
    bench.say(f"dense: DIR, 5000 x 2940, rank 100; sparse: {matrix.shape[0]} x {matrix.shape[1]}, "
              f"{100 * matrix.nnz / numpy.prod(matrix.shape):.2f} % full, rank 20\n")
    # The start that scikit-learn itself would take.
    _, start = _initialize_nmf(matrix, 20, init="nndsvda", random_state=0)
    sparse = bench.place_sparse("hals-sparse", matrix, start=start)
    ratio_table()
    for name, folder, samples in [
        ("dense", dense, numpy.load(dense / "dense.npy")),
        ("sparse", sparse, matrix),
    ]:
        bench.run("nnls", folder)  # weights for the start, so that both begin at the same point
        start, weights = numpy.load(folder / "start.npy"), numpy.load(folder / "weights.npy")
        size = numpy.sqrt(samples.multiply(samples).sum()) if name == "sparse" else numpy.linalg.norm(samples)
        rival = NMF(start.shape[0], solver="cd", init="custom", tol=0, max_iter=200)
        begin = time.perf_counter()
        rival.fit_transform(samples, W=weights.copy(), H=start.copy())
        seconds = time.perf_counter() - begin
        wanted = rival.reconstruction_err_**2
        for sweeps, compress in [(2, "auto"), (2, "off"), (1, "off")]:
            settings = {"method": "hals", "rank": start.shape[0], "max_stages": 200, "tolerance": 0,
                        "sweeps": sweeps, "compress": compress}
            trace = bench.run("fit", folder, json.dumps(settings))["trace"]
            if compress == "auto":
                there = next((at for at, loss in trace if loss <= wanted), None)
                if there is None:
                    print(f"| {name}: scikit-learn's objective was not reached in 200 stages | | >= 2 | | |")
                else:
                    ratio(f"{name}: time to scikit-learn's objective", seconds, there, ">= 2, aim 4")
            # A run that stands still to the last bit ends before 200 stages.
            stage = trace[-1][0] / len(trace)
            note = f"compress {compress}, {sweeps} sweep{'s' if sweeps > 1 else ''}"
            ratio(f"{name}: one iteration ({note}), times 200", seconds, 200 * stage, "")
            ends = numpy.sqrt([wanted, trace[-1][1]]) / size
            print(f"| &nbsp; relative residuals {ends[0]:.6e} (rival), {ends[1]:.6e} after {len(trace)} stages: they "
                  f"differ by {ends[1] - ends[0]:+.1e}, the objectives by {100 * (trace[-1][1] / wanted - 1):+.3f} % | | "
                  f"1e-3 or lower | | |", flush=True)


def anls(bench):
    """The weights of samples by block principal pivoting beside scipy's nnls in a loop."""
    import numpy
    import scipy.optimize

    heading("2. Non-negative least squares (the step of ANLS) beside scipy.optimize.nnls in a loop")
    folder = bench.place("anls")
    bench.run("dataset", "dir", folder)
    samples = numpy.load(folder / "dense.npy")
    # Noise, so that the problems are those of real data.
    samples += 1e-3 * numpy.random.default_rng(0).standard_normal(samples.shape)
    numpy.save(folder / "dense.npy", samples)
    ours = bench.run("nnls", folder)["seconds"]
    start, weights = numpy.load(folder / "start.npy"), numpy.load(folder / "weights.npy")
    some = samples[:500]
    matrix = numpy.ascontiguousarray(start.T)
    begin = time.perf_counter()
    expected = numpy.array([scipy.optimize.nnls(matrix, sample)[0] for sample in some])
    seconds = (time.perf_counter() - begin) * len(samples) / len(some)
    ratio_table()
    ratio("5000 samples x 2940 features, rank 100 (rival: 500 timed, times 10)", seconds, ours, ">= 20")
    apart = numpy.abs(weights[:500] - expected).max() / expected.max()
    bench.say(f"\nlargest difference of any weight, relative to the largest: {apart:.1e}")
    settings = {"method": "anls", "rank": 100, "max_stages": 20, "tolerance": 0}
    trace = bench.run("fit", folder, json.dumps(settings))["trace"]
    stage = (trace[-1][0] - trace[0][0]) / (len(trace) - 1)
    bench.say(f"a stage of ANLS (weights and components): {stage:.3f} s on average of 20")


def lda(bench):
    """Online LDA beside scikit-learn's, by the perplexity of held-out documents."""
    import numpy

    heading("3. Online LDA beside scikit-learn's, 10 passes, held-out perplexity")
    cases = [("generated, 5000 x 3000, rank 20", topic_counts(5000, 3000, 20, 150, 1), 20)]
    corpus = nips()
    if corpus is None:
        bench.say("NIPS corpus not found: skipped\n")
    else:
        cases.append(("NIPS, 1500 documents, rank 50", corpus[0], 50))
    ratio_table()
    for name, counts, rank in cases:
        random = numpy.random.default_rng(0).permutation(counts.shape[0])
        cut = counts.shape[0] * 4 // 5
        train, test = counts[numpy.sort(random[:cut])], counts[numpy.sort(random[cut:])]
        folder, held_out = bench.place_sparse(f"lda-{rank}", train), bench.place_sparse(f"held-{rank}", test)
        ours, rivals = [], []
        for seed in SEEDS:
            settings = {"method": "lda", "rank": rank, "max_stages": 10, "tolerance": 0, "seed": seed}
            done = bench.run("fit", folder, json.dumps(settings), held_out)
            ours.append((done["seconds"], done["perplexity"]))
            rivals.append(rival_lda(train, test, rank, 1, seed))
        both, _ = rival_lda(train, test, rank, 2, SEEDS[0])
        seconds, perplexities = numpy.mean(ours, axis=0)
        rival_seconds, rival_perplexities = numpy.mean(rivals, axis=0)
        ratio(f"{name}, n_jobs=1", rival_seconds, seconds, ">= 1")
        ratio(f"{name}, n_jobs=2", both, seconds, ">= 1")
        listed = [", ".join(f"{perplexity:.0f}" for _, perplexity in runs) for runs in (rivals, ours)]
        print(f"| &nbsp; perplexity {listed[0]} (rival), {listed[1]}; the mean of andnmf's is "
              f"{100 * (perplexities / rival_perplexities - 1):+.2f} % | | <= +2 % | | |", flush=True)


def rival_lda(train, test, rank, jobs, seed):
    from sklearn.decomposition import LatentDirichletAllocation

    rival = LatentDirichletAllocation(
        rank, learning_method="online", batch_size=128, max_iter=10, random_state=seed, n_jobs=jobs,
        total_samples=train.shape[0],
    )
    begin = time.perf_counter()
    rival.fit(train)
    return time.perf_counter() - begin, rival.perplexity(test)


def anchor(bench):
    """Anchor words on the NIPS corpus: words in at least 50 documents, stop words removed, 100 topics."""
    import numpy
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    heading("4. Anchor words on the NIPS corpus, 100 topics")
    corpus = nips()
    if corpus is None:
        return bench.say("NIPS corpus not found: skipped")
    counts, vocabulary = corpus
    frequent = numpy.asarray((counts > 0).sum(axis=0)).ravel() >= 50
    kept = [i for i, word in enumerate(vocabulary) if frequent[i] and word not in ENGLISH_STOP_WORDS]
    folder = bench.place_sparse("anchor", counts[:, kept])
    bench.say(f"{counts.shape[0]} documents, {len(kept)} words\n")
    for recover in ["l2", "kl"]:
        settings = {"method": "anchor-words", "rank": 100, "min_documents": 100, "recover": recover}
        ours = bench.run("fit", folder, json.dumps(settings))
        topics = numpy.load(folder / "components.npy")
        off = numpy.abs(topics.sum(axis=1) - 1).max()
        bench.say(f"Recover{recover.upper()}: {ours['seconds']:.2f} s (goal < 120); topics sum to 1 within {off:.0e}; "
                  f"{100 * (topics < 1e-8).mean():.0f} % zeros; condition {numpy.linalg.cond(topics):.0f}")
        if recover == "l2":
            bench.say("\nevery tenth topic by its top words:")
            for topic in topics[::10]:
                bench.say("- " + " ".join(vocabulary[kept[i]] for i in numpy.argsort(-topic)[:10]))
            bench.say("")


def table(bench, seconds):
    heading(f"5. Error against time from the same perturbed start, {seconds:g} s for each method")
    print("Relative total correlation error after so many seconds in the solver; measuring is off the clock.", flush=True)
    subprocess.run([bench.program, "table", str(seconds)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help="which parts to run: " + " ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=10.0, help="time for each method in the table (10)")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; choose from {' '.join(PARTS)}")
    enter_environment()
    program = build("competitors")
    introduce()
    parts = arguments.parts or PARTS
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        for part in parts:
            if part == "table":
                table(bench, arguments.seconds)
            else:
                {"hals": hals, "anls": anls, "lda": lda, "anchor": anchor}[part](bench)


if __name__ == "__main__":
    main()
