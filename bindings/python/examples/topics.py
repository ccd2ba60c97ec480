"""Topics of 20 newsgroups by AND and by scikit-learn's NMF and LDA: top words and coherence.

    python topics.py 20news-bydate.tar.gz
    python topics.py                         # $ANDNMF_DATA/newsgroups, or synthetic documents

Prints a table with a row per method, and the top words of each method's most coherent topics.
"""

import os
import re
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

import andnmf

N_TOPICS = 20
# Lines that quote another post or introduce a quote.
QUOTES = re.compile(r"\s*[>|:]|.*(writes|wrote|says|said):|In article")


def newsgroups(archive):
    """Word counts of the training posts, without headers and quotes, and the vocabulary."""
    posts = []
    with tarfile.open(archive) as files:
        for member in files:
            if member.isfile() and "train" in member.name:
                _, _, body = files.extractfile(member).read().decode("latin-1").partition("\n\n")
                posts.append("\n".join(line for line in body.split("\n") if not QUOTES.match(line)))
    reader = CountVectorizer(
        token_pattern=r"\b[a-z]{3,}\b", min_df=20, max_df=0.3, stop_words=list(ENGLISH_STOP_WORDS), dtype=np.float64
    )
    counts = reader.fit_transform(posts)
    return counts[np.asarray(counts.sum(axis=1)).ravel() > 0], reader.get_feature_names_out()


def synthetic():
    """Word counts of documents with correlated built-in topics, and the vocabulary."""
    data = andnmf.datasets.make_ctm(n_samples=800, n_features=400, n_components=N_TOPICS, random_state=0)
    counts = np.random.default_rng(0).poisson(150 * data.samples).astype(float)
    return csr_array(counts[counts.sum(axis=1) > 0]), np.array([f"word{j}" for j in range(400)])


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else None
    archive = Path(given or Path(os.environ.get("ANDNMF_DATA", "")) / "newsgroups" / "20news-bydate.tar.gz")
    real = archive.is_file()
    if given and not real:
        sys.exit(f"{archive}: no such file; run without an argument to use synthetic documents")
    counts, words = newsgroups(archive) if real else synthetic()
    print(f"{'20 newsgroups' if real else 'synthetic documents'}: {counts.shape[0]} documents, {counts.shape[1]} words\n")
    weighted = TfidfTransformer().fit_transform(counts)
    methods = [
        ("AND", andnmf.AND(N_TOPICS, random_state=0), weighted),
        ("NMF (scikit-learn)", NMF(N_TOPICS, init="nndsvd", max_iter=300, random_state=0), weighted),
        ("LDA (scikit-learn)", LatentDirichletAllocation(N_TOPICS, learning_method="online", random_state=0), counts),
    ]
    results = {}
    print("| method | mean coherence | worst | seconds |\n|---|---|---|---|")
    for name, model, samples in methods:
        started = time.perf_counter()
        model.fit(samples)
        seconds = time.perf_counter() - started
        scores = andnmf.metrics.coherence(model.components_, counts)
        results[name] = (model.components_, scores)
        print(f"| {name} | {scores.mean():.3f} | {scores.min():.3f} | {seconds:.1f} |", flush=True)
    for name, (topics, scores) in results.items():
        print(f"\n{name}")
        for k in np.argsort(-scores)[:5]:
            print(f"  {scores[k]:.2f}  {' '.join(words[j] for j in np.argsort(-topics[k])[:10])}")
    print(f"\nVerdict of AND: {methods[0][1].trust_['verdict']}")


if __name__ == "__main__":
    main()
