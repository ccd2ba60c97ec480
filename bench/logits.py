"""Learns the logistic normal distribution of the topics of a corpus, for `andnmf generate ctm-fitted`.

    andnmf anchor --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 100 --out topics.npy
    python bench/logits.py docword.nips.txt.gz vocab.nips.txt topics.npy crates/andnmf/src/synth/weights/nips_logits.txt

The model: a document draws logits g from N(mean, covariance), and its words from the mixture softmax(g) of the topics,
which stay as given. Mean and covariance are found by expectation maximization, with the posterior of each document's
logits replaced by the normal distribution at its mode (Laplace).
"""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_matrix

#: Standard deviation of the logits at the start.
START_DEVIATION = 3.0
NEWTON_STEPS = 10


def read_counts(docword: Path, vocab: Path, words: list[str]) -> csr_matrix:
    """The counts of these words, documents in rows."""
    opened = gzip.open(docword, "rt") if docword.suffix == ".gz" else open(docword)
    with opened as file:
        n_documents, n_words, n_entries = (int(next(file)) for _ in range(3))
        document, word, count = np.loadtxt(file, dtype=int, max_rows=n_entries).T
    counts = csr_matrix((count, (document - 1, word - 1)), shape=(n_documents, n_words), dtype=float)
    column = {name: i for i, name in enumerate(vocab.read_text().split())}
    counts = counts[:, [column[word] for word in words]]
    return counts[counts.getnnz(axis=1) > 0]


def softmax(g: np.ndarray) -> np.ndarray:
    """The weights of these logits."""
    e = np.exp(g - g.max())
    return e / e.sum()


def mode(
    count: np.ndarray, topics: np.ndarray, mean: np.ndarray, precision: np.ndarray, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """The most likely logits of a document, their posterior covariance, and the logarithm of the density there."""

    def value(g: np.ndarray) -> float:
        off = g - mean
        return float(count @ np.log(softmax(g) @ topics) - off @ precision @ off / 2)

    known = value(g)
    for _ in range(NEWTON_STEPS):
        x = softmax(g)
        # Shares of the topics in each word, less their shares in the document: the derivative of ln p by the logits.
        slope = (x[:, None] * topics) / (x @ topics) - x[:, None]
        gradient = slope @ count - precision @ (g - mean)
        curvature = cho_factor((slope * count) @ slope.T + precision)
        step = cho_solve(curvature, gradient)
        length = 1.0
        while (new := value(g + length * step)) < known and length > 1e-6:
            length /= 2
        if new < known:
            break
        g, gain, known = g + length * step, new - known, new
        if gain < 1e-6:
            break
    return g, cho_solve(curvature, np.eye(len(g))), known


def learn(counts: csr_matrix, topics: np.ndarray, iterations: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the logits."""
    rank = len(topics)
    mean, covariance = np.zeros(rank), START_DEVIATION**2 * np.eye(rank)
    modes = np.zeros((counts.shape[0], rank))
    documents = [counts[i] for i in range(counts.shape[0])]
    for iteration in range(iterations):
        precision = np.linalg.inv(covariance)
        spread, total = np.zeros((rank, rank)), 0.0
        for i, document in enumerate(documents):
            seen = topics[:, document.indices]
            # Words that no topic has say nothing about the document.
            has = seen.sum(axis=0) > 0
            modes[i], posterior, value = mode(document.data[has], seen[:, has], mean, precision, modes[i])
            spread += posterior
            total += value
        mean = modes.mean(axis=0)
        off = modes - mean
        covariance = (off.T @ off + spread) / len(modes)
        deviations = np.sqrt(np.diag(covariance))
        print(f"iteration {iteration}: {total:.0f}, deviations {np.quantile(deviations, [0, 0.5, 1]).round(2)}", flush=True)
    return mean, covariance


def main() -> None:
    """Learns the distribution and writes its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("docword", "vocab", "topics", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--iterations", type=int, default=12)
    args = parser.parse_args()
    topics = np.load(args.topics)
    words = args.topics.with_suffix(".vocab.txt").read_text().split()
    counts = read_counts(args.docword, args.vocab, words)
    mean, covariance = learn(counts, topics, args.iterations)
    factor = np.linalg.cholesky(covariance)
    lines = ["# written by bench/logits.py; per topic, in hundredths: the mean of its logit, its row of the factor L of L L^T"]
    for i, row in enumerate(factor):
        lines.append(" ".join(str(round(100 * v)) for v in [mean[i] - mean.mean(), *row[: i + 1]]))
    args.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
