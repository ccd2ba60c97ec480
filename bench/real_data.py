"""Real data (from ../shared/data or $ANDNMF_DATA), and the coherence of topics."""

import gzip
import os
import re
import tarfile
from pathlib import Path

from harness import ROOT

# Lines of a post that quote another one, or name its author.
QUOTES = re.compile(r"\s*[>|:]|.*(writes in|writes:|wrote:|says:|said:)|In article")


def find(*names):
    """The path of a file of the real data, or `None`."""
    path = Path(os.environ.get("ANDNMF_DATA", ROOT.parent / "shared" / "data")).joinpath(*names)
    return path if path.exists() else None


def nips():
    """The NIPS corpus (documents × words) and its words, or `None`."""
    import numpy
    import scipy.sparse

    path = find("nips", "docword.nips.txt.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as file:
        documents, words = int(file.readline()), int(file.readline())
        file.readline()
        entries = numpy.loadtxt(file, dtype=numpy.int64)
    shape = (documents, words)
    counts = scipy.sparse.csr_matrix((entries[:, 2].astype(float), (entries[:, 0] - 1, entries[:, 1] - 1)), shape=shape)
    return counts, path.with_name("vocab.nips.txt").read_text().split()


def newsgroups():
    """The training posts of 20 newsgroups (documents × words), without headers and quotes, and their words; or `None`."""
    from sklearn.feature_extraction.text import CountVectorizer

    path = find("newsgroups", "20news-bydate.tar.gz")
    if path is None:
        return None
    posts = []
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and "train" in member.name:
                _, _, body = archive.extractfile(member).read().decode("latin-1").partition("\n\n")
                posts.append("\n".join(line for line in body.split("\n") if not QUOTES.match(line)))
    reader = CountVectorizer(token_pattern=r"(?u)\b[a-zA-Z]{3,}\b", min_df=5)
    counts = reader.fit_transform(posts).astype(float)
    return counts, list(reader.get_feature_names_out())


def usual_words(corpus, most):
    """A corpus reduced to its most frequent words, without stop words and those in half of the documents."""
    import numpy
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    counts, words = corpus
    documents = numpy.asarray((counts > 0).sum(axis=0)).ravel()
    usable = numpy.array([len(word) > 2 and word not in ENGLISH_STOP_WORDS for word in words])
    usable &= (documents >= 10) & (documents <= counts.shape[0] / 2)
    totals = numpy.where(usable, numpy.asarray(counts.sum(axis=0)).ravel(), 0)
    selected = numpy.sort(numpy.argsort(-totals, kind="stable")[: min(most, usable.sum())])
    counts = counts[:, selected]
    return counts[numpy.asarray(counts.sum(axis=1)).ravel() > 0], [words[i] for i in selected]


def coherence(topics, counts, top=10):
    """Mean normalized pointwise mutual information (NPMI) of the top words of each topic, by co-occurrence in documents."""
    import numpy

    present = (counts > 0).astype(float).tocsc()
    scores = []
    for topic in topics:
        columns = present[:, numpy.argsort(-topic)[:top]]
        both = (columns.T @ columns).toarray() / counts.shape[0]
        alone = numpy.diag(both)
        upper = numpy.triu_indices(top, 1)
        together, chance = both[upper], numpy.outer(alone, alone)[upper]
        seen = (together > 0) & (together < 1)
        # Words that never co-occur score -1, words that always do 1.
        score = numpy.where(together > 0, 1.0, -1.0)
        score[seen] = numpy.log(together[seen] / chance[seen]) / -numpy.log(together[seen])
        scores.append(score.mean())
    return numpy.array(scores)
