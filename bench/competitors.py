#!/usr/bin/env python3
"""Compares topic models with scikit-learn's, and all methods of andnmf with each other, on the same data in one run.

    bench/competitors.py                 everything
    bench/competitors.py lda anchor      some parts: lda anchor table
    bench/competitors.py table --seconds 5

Makes its own Python environment under target/, builds the Rust side, and prints Markdown. Ratios above 1 say that andnmf
is faster. HALS, ANLS and MU are in bench/compare. Real data are expected in ../shared/data or $ANDNMF_DATA.
"""

import argparse
import json
import subprocess
import tempfile
import time

from harness import BenchProgram, build, enter_environment, heading, print_environment
from generated_data import topic_counts
from real_data import nips

# Perplexity depends on the random start, so one seed is not enough.
SEEDS = [0, 1, 2]
PARTS = ["lda", "anchor", "table"]


def ratio(title, rival, ours, goal):
    print(f"| {title} | {rival / ours:.1f} | {goal} | {rival:.2f} s | {ours:.2f} s |", flush=True)


def ratio_table():
    print("| what | rival / andnmf | goal | rival | andnmf |\n|---|---|---|---|---|")


def lda(bench):
    """Online LDA beside scikit-learn's, by the perplexity of held-out documents."""
    import numpy

    heading("1. Online LDA beside scikit-learn's, 10 passes, held-out perplexity")
    cases = [("generated, 5000 x 3000, rank 20", topic_counts(5000, 3000, 20, 150, 1)[0], 20)]
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
        folder, held_out = bench.write_csr(f"lda-{rank}", train), bench.write_csr(f"held-{rank}", test)
        ours, rivals = [], []
        for seed in SEEDS:
            settings = {"method": "lda", "rank": rank, "max_stages": 10, "tolerance": 0, "seed": seed}
            done = bench.run("fit", "f64", folder, "data", json.dumps(settings), held_out)
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
    started = time.perf_counter()
    rival.fit(train)
    return time.perf_counter() - started, rival.perplexity(test)


def anchor(bench):
    """Anchor words on the NIPS corpus: words in at least 50 documents, stop words removed, 100 topics."""
    import numpy
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    heading("2. Anchor words on the NIPS corpus, 100 topics")
    corpus = nips()
    if corpus is None:
        return bench.say("NIPS corpus not found: skipped")
    counts, vocabulary = corpus
    frequent = numpy.asarray((counts > 0).sum(axis=0)).ravel() >= 50
    selected = [i for i, word in enumerate(vocabulary) if frequent[i] and word not in ENGLISH_STOP_WORDS]
    folder = bench.write_csr("anchor", counts[:, selected])
    bench.say(f"{counts.shape[0]} documents, {len(selected)} words\n")
    for recover in ["l2", "kl"]:
        settings = {"method": "anchor-words", "rank": 100, "min_documents": 100, "recover": recover}
        ours = bench.run("fit", "f64", folder, "data", json.dumps(settings))
        topics = numpy.load(folder / "components.npy")
        off = numpy.abs(topics.sum(axis=1) - 1).max()
        bench.say(f"Recover{recover.upper()}: {ours['seconds']:.2f} s (goal < 120); topics sum to 1 within {off:.0e}; "
                  f"{100 * (topics < 1e-8).mean():.0f} % zeros; condition {numpy.linalg.cond(topics):.0f}")
        if recover == "l2":
            bench.say("\nevery tenth topic by its top words:")
            for topic in topics[::10]:
                bench.say("- " + " ".join(vocabulary[selected[i]] for i in numpy.argsort(-topic)[:10]))
            bench.say("")


def table(bench, seconds):
    heading(f"3. Error against time from the same perturbed start, {seconds:g} s for each method")
    print("Relative total correlation error after so many seconds in the solver; measuring is off the clock.", flush=True)
    subprocess.run([bench.program, "table", str(seconds)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help="parts to run: " + " ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=10.0, help="seconds for each method in the table (10)")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; choose from {' '.join(PARTS)}")
    enter_environment()
    program = build("competitors")
    print_environment()
    parts = arguments.parts or PARTS
    with tempfile.TemporaryDirectory() as folder:
        bench = BenchProgram(program, folder)
        for part in parts:
            if part == "table":
                table(bench, arguments.seconds)
            else:
                {"lda": lda, "anchor": anchor}[part](bench)


if __name__ == "__main__":
    main()
