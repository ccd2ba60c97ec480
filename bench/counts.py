#!/usr/bin/env python3
"""Counts: what default fits recover beside KL-NMF and LDA of scikit-learn, LDA of gensim, LDA and CTM of tomotopy, and the ML oracle.

    python bench/counts.py --command target/release/andnmf --rows pairs-40-5000,ap-200 --seeds 1
    python bench/counts.py --command target/release/andnmf --quick

Prints a table in Markdown: per row the median over the seeds of Σ relative correlation error (0 is the truth), for rows of
signatures the F1 of true signatures at cosine above 0.9. Rows of texts have no truth: of them it prints the mean log-likelihood of
a held-out tenth of the counts, and the coherence (NPMI over documents) of the ten largest words. Rivals that are not installed are skipped, saying so. The oracle knows
the true weights of every sample. Data sets are read from ../shared/data, or from $ANDNMF_DATA; missing ones are skipped.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
from scipy import sparse

DATA = Path(os.environ.get("ANDNMF_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
TINY = 1e-30


class Row:
    """One data set: counts (CSR), true components, and true weights if there are any, or held-out counts."""

    held: Any = None

    def __init__(self, counts: Any, truth: np.ndarray, weights: np.ndarray | None, f1: bool = False) -> None:
        counts = sparse.csr_matrix(counts, dtype=np.float32)
        used = np.asarray(counts.sum(axis=1)).ravel() > 0
        self.counts, self.truth, self.f1 = counts[used], truth, f1
        self.weights = None if weights is None else weights[used]
        self.rank = len(truth)

    @classmethod
    def of_texts(cls, counts: Any, rank: int, seed: int) -> Row:
        """A tenth of the counts is held out."""
        counts = sparse.csr_matrix(counts)
        held = counts.copy()
        held.data = np.random.default_rng(seed).binomial(counts.data.astype(int), 0.1).astype(np.float32)
        row = cls(counts, np.empty((rank, 0)), None)
        kept = counts - held
        used = np.asarray(kept.sum(axis=1)).ravel() > 0
        row.counts, row.held = sparse.csr_matrix(kept[used], dtype=np.float32), held[used]
        row.counts.eliminate_zeros()
        return row


def normalised(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(rows.sum(axis=1, keepdims=True), TINY)


def topics(rank: int, rng: np.random.Generator) -> np.ndarray:
    """Topics like learned ones: a common background of falling frequencies, and few frequent words of their own."""
    words = 5000
    frequencies = 1 / (np.arange(words) + 20.0)
    own = rng.gamma(0.08, size=(rank, words)) * frequencies
    return normalised(own + 0.02 * own.mean(axis=0))


def pairs(n: int, rank: int, rng: np.random.Generator) -> np.ndarray:
    """Weights that come in pairs: the largest correlation is about 0.6."""
    weights, pair = np.zeros((n, rank)), rng.integers(0, rank // 2, n)
    for half in (0, 1):
        weights[np.arange(n), 2 * pair + half] = (rng.random(n) < 0.95) * (0.2 + 0.8 * rng.random(n))
    weights += 0.5 * (rng.random((n, rank)) < 1 / rank) * rng.random((n, rank))
    weights[weights.sum(axis=1) == 0, 0] = 1
    return normalised(weights)


def drawn(truth: np.ndarray, weights: np.ndarray, lengths: np.ndarray, rng: np.random.Generator) -> Row:
    parts = [
        sparse.csr_matrix(rng.poisson(lengths[at : at + 1000, None] * (weights[at : at + 1000] @ truth)))
        for at in range(0, len(weights), 1000)
    ]
    return Row(sparse.vstack(parts), truth, weights)


def generated(words: int, n: int, rank: int, dirichlet: bool = False, varied: bool = False) -> Callable[[int], Row]:
    def make(seed: int) -> Row:
        rng = np.random.default_rng(seed)
        truth = topics(rank, rng)
        weights = rng.dirichlet(np.full(rank, 0.1), n) if dirichlet else pairs(n, rank, rng)
        lengths = words * np.exp(rng.normal(-0.5, 1.0, n)) if varied else np.full(n, float(words))
        return drawn(truth, weights, lengths, rng)

    return make


def ap(words: int | None) -> Callable[[int], Row]:
    def make(seed: int) -> Row:
        truth, weights = (normalised(np.load(DATA / "ap_topics" / f"{name}.npy")) for name in ("topics", "shares"))
        lengths = np.load(DATA / "ap_topics" / "lengths.npy").astype(float)
        lengths = lengths if words is None else np.full(len(weights), float(words))
        return drawn(truth, weights, lengths, np.random.default_rng(seed))

    return make


def dbs(seed: int) -> Row:
    truth = normalised(np.load(DATA / "dbs_signatures" / "signatures.npy"))
    activities = np.load(DATA / "dbs_signatures" / "activities.npy")
    return Row(np.random.default_rng(seed).poisson(activities @ truth), truth, normalised(activities))


def signatures(name: str) -> Callable[[int], Row]:
    def make(_: int) -> Row:
        catalog, truth = (np.load(DATA / "signatures" / f"{name}_{what}.npy") for what in ("catalog", "truth"))
        return Row(catalog, truth, None, f1=True)

    return make


def cells(counts: int) -> Callable[[int], Row]:
    """Identity programs, one per cell, and activity programs on top of them in some cells."""

    def make(seed: int) -> Row:
        rng = np.random.default_rng(seed)
        genes, n, kinds, activities = 2000, 5000, 8, 4
        base = rng.lognormal(0, 1.5, genes)
        change = np.where(rng.random((kinds + activities, genes)) < 0.05, rng.lognormal(2, 0.5, (kinds + activities, genes)), 1)
        truth = normalised(base * change)
        weights = np.zeros((n, kinds + activities))
        weights[np.arange(n), rng.integers(0, kinds, n)] = 1
        for k in range(activities):
            on = rng.random(n) < 0.2
            weights[on, kinds + k] = rng.random(on.sum())
        lengths = counts * np.exp(rng.normal(0, 0.3, n))
        return drawn(truth, normalised(weights), lengths, rng)

    return make


def newsgroups(seed: int) -> Row:
    """Posts of the training part: the 10,000 most frequent words of three letters and more that are no stop words."""
    import tarfile

    from sklearn.feature_extraction.text import CountVectorizer

    with tarfile.open(DATA / "newsgroups" / "20news-bydate.tar.gz") as archive:
        posts = [member for member in archive.getmembers() if member.isfile() and "train" in member.name]
        texts = [archive.extractfile(member).read().decode(errors="replace") for member in posts]
    words = CountVectorizer(max_features=10_000, stop_words="english", token_pattern=r"(?u)\b[a-zA-Z]{3,}\b")
    return Row.of_texts(words.fit_transform(texts), 20, seed)


def nips(seed: int) -> Row:
    """The words of the NIPS papers that are in ten papers or more."""
    triplets = np.loadtxt(DATA / "nips" / "docword.nips.txt.gz", skiprows=3, dtype=int)
    counts = sparse.csr_matrix((triplets[:, 2], (triplets[:, 0] - 1, triplets[:, 1] - 1)))
    return Row.of_texts(counts[:, np.asarray((counts > 0).sum(axis=0)).ravel() >= 10], 50, seed)


ROWS: dict[str, Callable[[int], Row]] = {
    "pairs-40-5000": generated(40, 5000, 20),
    "pairs-40-50000": generated(40, 50000, 20),
    "pairs-40-400000": generated(40, 400000, 20),
    "dirichlet-40-50000": generated(40, 50000, 20, dirichlet=True),
    "pairs-200-50000": generated(200, 50000, 20),
    "pairs-100-20000-k50": generated(100, 20000, 50),
    "pairs-500-5000-k50": generated(500, 5000, 50),
    "pairs-5000-5000-k50": generated(5000, 5000, 50),
    "pairs-500-5000-k100": generated(500, 5000, 100),
    "pairs-100-20000-varied": generated(100, 20000, 20, varied=True),
    "ap-50": ap(50),
    "ap-200": ap(200),
    "ap-1000": ap(1000),
    "ap-real-lengths": ap(None),
    "dbs": dbs,
    "sbs-realistic-f1": signatures("sbs_set1_realistic"),
    "indel-realistic-f1": signatures("indel_set1_realistic"),
    "sbs-noiseless-f1": signatures("sbs_set1_noiseless"),
    "indel-noiseless-f1": signatures("indel_set1_noiseless"),
    "cells-500": cells(500),
    "cells-5000": cells(5000),
    "newsgroups": newsgroups,
    "nips": nips,
}
QUICK = ["dbs", "indel-realistic-f1", "quick"]


def score(row: Row, found: np.ndarray) -> float:
    """Σ over true components of the relative distance to the nearest found one, or F1."""
    unit = lambda rows: rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), TINY)
    cosines = np.clip(unit(row.truth) @ unit(np.asarray(found, dtype=float)).T, -1, 1)
    if not row.f1:
        return float(np.sqrt(1 - cosines.max(axis=1) ** 2).sum())
    recall, precision = (cosines.max(axis=1) > 0.9).mean(), (cosines.max(axis=0) > 0.9).mean()
    return float(2 * recall * precision / max(recall + precision, TINY))


def of_held_out(row: Row, found: np.ndarray) -> tuple[float, float]:
    """Mean log-likelihood of a held-out count, with shares from the other counts, and coherence. All methods get the same
    smoothing and the same weak prior of shares."""
    counts, held = row.counts.tocsr(), row.held.tocoo()
    mean = normalised(np.asarray(counts.sum(axis=0)).reshape(1, -1))
    components = normalised(normalised(np.maximum(found, 0)) + 1e-3 * mean)
    shares = np.full((counts.shape[0], len(components)), 1 / len(components))
    of_value = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    for _ in range(50):
        fitted = np.einsum("vk,vk->v", shares[of_value], components.T[counts.indices])
        quotients = sparse.csr_matrix((counts.data / np.maximum(fitted, TINY), counts.indices, counts.indptr), counts.shape)
        shares = normalised(shares * (quotients @ components.T) + 0.05)
    fitted = np.einsum("vk,vk->v", shares[held.row], components.T[held.col])
    likelihood = float((held.data * np.log(np.maximum(fitted, TINY))).sum() / held.data.sum())
    present, coherence = (counts > 0).tocsc(), []
    for component in components:
        top = present[:, np.argsort(-component)[:10]].toarray().astype(float)
        both, single = top.T @ top / len(top), top.mean(axis=0)
        for i in range(10):
            for j in range(i):
                joint = both[i, j]
                coherence.append(np.log(joint / (single[i] * single[j])) / -np.log(joint) if 0 < joint < 1 else -1.0)
    return likelihood, float(np.mean(coherence))


def default_fit(row: Row, seed: int, command: str) -> tuple[np.ndarray, str]:
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(f"{folder}/counts.npz", row.counts)
        args = [command, "fit", f"{folder}/counts.npz", "--rank", str(row.rank), "--seed", str(seed)]
        done = subprocess.run(
            [*args, "--out", f"{folder}/fit", "--json"], capture_output=True, text=True, check=True
        )
        summary = json.loads(done.stdout)
        return np.load(f"{folder}/fit/components.npy"), f"{summary['ending']}, {summary['trust']['verdict']}"


def kl_nmf(row: Row, seed: int, _: str) -> tuple[np.ndarray, str]:
    from sklearn.decomposition import NMF

    model = NMF(row.rank, init="nndsvda", solver="mu", beta_loss="kullback-leibler", max_iter=200, random_state=seed)
    return model.fit(row.counts).components_, ""


def lda(row: Row, seed: int, _: str) -> tuple[np.ndarray, str]:
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(row.rank, learning_method="batch", max_iter=50, random_state=seed)
    return model.fit(row.counts).components_, ""


def tomotopy_model(kind: str) -> Callable[[Row, int, str], tuple[np.ndarray, str]]:
    def fit(row: Row, seed: int, _: str) -> tuple[np.ndarray, str]:
        import tomotopy

        model = getattr(tomotopy, kind)(k=row.rank, seed=seed)
        for i in range(row.counts.shape[0]):
            sample = row.counts[i]
            words = np.repeat(sample.indices, sample.data.astype(int))
            model.add_doc([str(word) for word in words])
        model.train(1000, workers=1)
        found = np.zeros((row.rank, row.counts.shape[1]))
        columns = [int(word) for word in model.used_vocabs]
        for k in range(len(found)):
            found[k, columns] = model.get_topic_word_dist(k)
        return found, ""

    return fit


def gensim_lda(row: Row, seed: int, _: str) -> tuple[np.ndarray, str]:
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    corpus = Sparse2Corpus(row.counts, documents_columns=False)
    words = {word: str(word) for word in range(row.counts.shape[1])}
    return LdaModel(corpus, row.rank, words, passes=10, alpha="auto", random_state=seed).get_topics(), ""


def oracle(row: Row, seed: int, _: str) -> tuple[np.ndarray, str] | None:
    """Steps of likelihood for the components with the true weights."""
    if row.weights is None:
        return None
    counts, weights = row.counts.astype(float), row.weights
    components = np.tile(np.asarray(counts.sum(axis=0)).ravel() + 1e-3, (len(row.truth), 1))
    components = normalised(components)
    of_value = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    for _ in range(150):
        fitted = np.empty(counts.nnz)
        for at in range(0, counts.nnz, 1 << 20):
            part = slice(at, at + (1 << 20))
            fitted[part] = np.einsum("vk,vk->v", weights[of_value[part]], components.T[counts.indices[part]])
        quotients = sparse.csr_matrix((counts.data / np.maximum(fitted, TINY), counts.indices, counts.indptr), counts.shape)
        components = normalised(components * (quotients.T @ weights).T)
    return components, ""


METHODS: dict[str, tuple[str | None, Callable[[Row, int, str], Any]]] = {
    "oracle": (None, oracle),
    "default fit": (None, default_fit),
    "KL-NMF": ("sklearn", kl_nmf),
    "LDA": ("sklearn", lda),
    "gensim LDA": ("gensim", gensim_lda),
    "tomotopy LDA": ("tomotopy", tomotopy_model("LDAModel")),
    "tomotopy CTM": ("tomotopy", tomotopy_model("CTModel")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="andnmf", help="the command andnmf")
    parser.add_argument("--rows", help=f"some of {', '.join(ROWS)}")
    parser.add_argument("--methods", help=f"some of {', '.join(METHODS)}")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="three small rows, one seed")
    args = parser.parse_args()
    rows = dict(ROWS, quick=generated(40, 1000, 4))
    names = QUICK if args.quick else (args.rows.split(",") if args.rows else list(ROWS))
    methods = args.methods.split(",") if args.methods else list(METHODS)
    for unknown in [name for name in names if name not in rows] + [name for name in methods if name not in METHODS]:
        parser.error(f"'{unknown}' is no row and no method")
    for name in list(methods):
        module = METHODS[name][0]
        if module is not None and importlib.util.find_spec(module) is None:
            print(f"{name} is skipped: {module} is not installed", file=sys.stderr)
            methods.remove(name)
    print("| row | " + " | ".join(methods) + " | ending and verdict |")
    print("|---" * (len(methods) + 2) + "|")
    for name in names:
        cells_of_row, endings = [], []
        for method in methods:
            scores, coherences, seconds = [], [], []
            for seed in range(1 if args.quick else args.seeds):
                try:
                    row = rows[name](seed)
                except FileNotFoundError as error:
                    print(f"{name} is skipped: {error.filename} is missing", file=sys.stderr)
                    break
                started = time.perf_counter()
                found = METHODS[method][1](row, seed, args.command)
                elapsed = time.perf_counter() - started
                if found is not None:
                    if row.held is None:
                        scores.append(score(row, found[0]))
                    else:
                        likelihood, coherence = of_held_out(row, np.asarray(found[0], dtype=float))
                        scores.append(likelihood)
                        coherences.append(coherence)
                    seconds.append(elapsed)
                    endings += [found[1]] * bool(found[1])
            coherent = f", NPMI {np.median(coherences):.3f}" if coherences else ""
            digits = 4 if coherences else 3
            cells_of_row.append(
                f"{np.median(scores):.{digits}g}{coherent} ({np.median(seconds):.1f} s)" if scores else "–"
            )
        print(f"| {name} | " + " | ".join(cells_of_row) + f" | {'; '.join(sorted(set(endings)))} |", flush=True)


if __name__ == "__main__":
    main()
