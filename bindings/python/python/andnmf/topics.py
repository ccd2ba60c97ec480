"""Topics of texts, as the command ``andnmf topics`` finds them.

>>> from andnmf.topics import TopicModel
>>> texts = ["apple pear melon", "stars moon orbit", "pear grape apple", "moon stars planet"] * 6
>>> model = TopicModel(n_topics=2, random_state=0).fit(texts)
>>> sorted(sorted(words) for words in model.top_words(2))
[['apple', 'pear'], ['moon', 'stars']]
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.validation import check_is_fitted

from andnmf import _core, _settings
from andnmf._estimators import ESTIMATORS
from andnmf._files import Table
from andnmf._input import as_samples

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

__all__ = ["TopicModel", "count_words"]

#: Values of the parameter ``weighting``.
WEIGHTINGS = ("auto", "tf-idf", "counts")


def count_words(
    texts: Iterable[str] | str | os.PathLike[str],
    *,
    strip_headers: bool = False,
    min_documents: float | None = None,
    max_documents: float = 0.5,
    max_words: int | None = 4000,
    stop_words: str | Iterable[str] = "english",
    min_letters: int = 2,
    numbers: bool = False,
) -> Table:
    """Count the words of texts.

    Parameters
    ----------
    texts : iterable of str, or path-like
        The texts, or a folder of text files, a .tar.gz archive of them, or a file with one text per line. A single string
        is a path.
    strip_headers : bool, default=False
        Remove headers, quotes and signatures of e-mail and news posts.
    min_documents, max_documents : float or int, optional
        Keep words in at least and at most so many texts: an integer is a number, a float a share. By default from ten texts
        (1 % of fewer than 1000) to half of all.
    max_words : int or None, default=4000
        Number of words; the most frequent are kept.
    stop_words : "english", "none" or iterable of str, default="english"
        Words to leave out.
    min_letters : int, default=2
        Minimum number of letters of a word.
    numbers : bool, default=False
        Keep numbers and words with digits.

    Returns
    -------
    Table
        Texts × words, a CSR matrix with the words as ``feature_names``; every estimator takes it.

    Examples
    --------
    >>> from andnmf.topics import count_words
    >>> table = count_words(["red wine", "white wine", "red stars"], min_documents=1, max_documents=1.0)
    >>> table.feature_names, table.values.toarray()[0].tolist()
    (['red', 'stars', 'white', 'wine'], [1.0, 0.0, 0.0, 1.0])
    """
    least = None if min_documents is None else _frequency("min_documents", min_documents)
    listed = [] if stop_words == "none" else None if stop_words == "english" else stop_words
    if isinstance(listed, str):
        raise ValueError(f"stop_words is '{stop_words}', but it must be english, none or a list of words")
    rules = (least, _frequency("max_documents", max_documents), max_words, None if listed is None else list(listed))
    return _table(texts, strip_headers, min_letters, numbers, rules)


def _frequency(name: str, value: float) -> str:
    """A number of documents as a number, a share as per cent."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}, but it must be an integer (texts) or a float (a share of them)")
    return str(value) if isinstance(value, (int, np.integer)) else f"{100 * value!r}%"


def _table(texts: Any, strip_headers: bool, min_letters: int, numbers: bool, rules: Any) -> Table:
    source = os.fspath(texts) if isinstance(texts, (str, os.PathLike)) else [str(text) for text in texts]
    if not source:
        raise ValueError("texts is empty, but there must be at least one")
    parts = _core.count_words(
        source,
        _settings.flag("strip_headers", strip_headers),
        _settings.integer("min_letters", min_letters),
        _settings.flag("numbers", numbers),
        rules,
    )
    counts = sparse.csr_matrix((parts["stored"], parts["indices"], parts["pointers"]), shape=parts["shape"])
    return Table(counts, parts["sample_names"], parts["feature_names"])


class TopicModel(TransformerMixin, BaseEstimator):
    """Topics of texts: word counts, weights of words, and a factorization in one estimator.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    method : str, default="and"
        The method by its name in the command: and, hals, poisson-nmf, lda, anchor-words, …
    weighting : {"auto", "tf-idf", "counts"}, default="auto"
        The values to factorize; auto is counts with Poisson noise for AND (unless ``settings`` ask for Gaussian noise, signed
        components or a threshold schedule), counts for methods that expect them (poisson-nmf, lda, anchor-words), tf-idf
        otherwise.
    strip_headers, min_documents, max_documents, max_words, stop_words, min_letters, numbers
        As in :func:`count_words`.
    random_state : int, RandomState instance or None, default=None
        Random seed.
    settings : dict, optional
        Further parameters of the method, see :mod:`andnmf`.

    Attributes
    ----------
    model_ : estimator
        The fitted estimator of the method, with ``components_``, ``trust_``, ``feature_names_in_`` and so on.
    shares_ : ndarray of shape (n_topics,)
        The share of each topic in the texts.
    word_weights_ : ndarray of shape (n_words,)
        How much each word counts in the fit: with Poisson noise one over its frequency (1 at the mean frequency), with tf-idf
        the factor of its counts.
    coherence_ : ndarray of shape (n_topics,)
        The coherence (NPMI) of the ten most relevant words of each topic.
    n_texts_ : int
        Number of texts.

    Examples
    --------
    >>> from andnmf.topics import TopicModel
    >>> texts = ["apple pear melon", "stars moon orbit", "pear grape apple", "moon stars planet"] * 6
    >>> model = TopicModel(n_topics=2, random_state=0).fit(texts)
    >>> model.transform(["a pear and a melon"]).shape
    (1, 2)
    """

    model_: Any
    shares_: np.ndarray
    word_weights_: np.ndarray
    coherence_: np.ndarray
    n_texts_: int

    def __init__(
        self,
        n_topics: int = 10,
        *,
        method: str = "and",
        weighting: str = "auto",
        strip_headers: bool = False,
        min_documents: float | None = None,
        max_documents: float = 0.5,
        max_words: int | None = 4000,
        stop_words: str | Iterable[str] = "english",
        min_letters: int = 2,
        numbers: bool = False,
        random_state: Any = None,
        settings: dict[str, Any] | None = None,
    ):
        self.n_topics = n_topics
        self.method = method
        self.weighting = weighting
        self.strip_headers = strip_headers
        self.min_documents = min_documents
        self.max_documents = max_documents
        self.max_words = max_words
        self.stop_words = stop_words
        self.min_letters = min_letters
        self.numbers = numbers
        self.random_state = random_state
        self.settings = settings

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Find the topics of texts.

        Parameters
        ----------
        texts : iterable of str, or path-like
            The texts, as in :func:`count_words`.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            The fitted model.

        Examples
        --------
        >>> from andnmf.topics import TopicModel
        >>> TopicModel(2, random_state=0).fit(["apple pear", "moon star"] * 9).n_texts_
        18
        """
        self._fit(texts)
        return self

    def fit_transform(self, texts: Any, y: Any = None) -> np.ndarray:
        """Find the topics of texts, and return the weights of the topics in them.

        Parameters
        ----------
        texts : iterable of str, or path-like
            The texts, as in :func:`count_words`.
        y : ignored
            Present by convention.

        Returns
        -------
        ndarray of shape (n_texts, n_topics)
            The weights.

        Examples
        --------
        >>> from andnmf.topics import TopicModel
        >>> TopicModel(2, random_state=0).fit_transform(["apple pear", "moon star"] * 9).shape
        (18, 2)
        """
        return self._fit(texts)

    def _fit(self, texts: Any) -> np.ndarray:
        kind = ESTIMATORS[_settings.choice("method", self.method, tuple(ESTIMATORS))]
        _settings.choice("weighting", self.weighting, WEIGHTINGS)
        names = ("strip_headers", "min_documents", "max_documents", "max_words", "stop_words", "min_letters", "numbers")
        counts = count_words(texts, **{name: getattr(self, name) for name in names})
        settings = dict(self.settings or {})
        poisson = self.method == "and" and self.weighting != "tf-idf" and _may_be_poisson(settings)
        of_counts = self.weighting == "counts" or (
            self.weighting == "auto" and (poisson or _settings.METHODS[self.method]["counts"])
        )
        # The weights of words are those of the command, which equal scikit-learn's.
        self._tf_idf = None if of_counts else TfidfTransformer().fit(counts.values)
        if poisson:
            settings["noise"] = "poisson"
        model = kind(self.n_topics, random_state=self.random_state, **settings)
        self.word_weights_ = self._weights_of_words(counts.values, poisson or self.method == "poisson-nmf")
        table = Table(self._weighted(counts.values), counts.sample_names, counts.feature_names)
        weights = model.fit_transform(table)
        sizes = np.abs(model.components_).sum(axis=1) * np.asarray(weights).sum(axis=0)
        self.shares_ = sizes / (sizes.sum() or 1.0)
        self.model_, self.n_texts_ = model, len(weights)
        top = [[feature.index for feature in features] for features in self._top(10, "relevance")]
        scores = _core.coherence(as_samples(counts.values), top, None)
        self.coherence_ = np.array([np.nan if score is None else score for score in scores])
        return weights

    def _weights_of_words(self, counts: Any, poisson: bool) -> np.ndarray:
        if self._tf_idf is not None:
            return self._tf_idf.idf_
        sums = np.asarray(counts.sum(axis=0), dtype=float).ravel()
        return sums.mean() / np.maximum(sums, 1.0) if poisson else np.ones(len(sums))

    def _weighted(self, counts: Any) -> Any:
        return counts if self._tf_idf is None else self._tf_idf.transform(counts)

    def transform(self, texts: Any) -> np.ndarray:
        """The weights of the topics in other texts; words that the model does not know are ignored.

        Parameters
        ----------
        texts : iterable of str, or path-like
            The texts, as in :func:`count_words`.

        Returns
        -------
        ndarray of shape (n_texts, n_topics)
            The weights.

        Examples
        --------
        >>> from andnmf.topics import TopicModel
        >>> model = TopicModel(2, random_state=0).fit(["apple pear", "moon star"] * 9)
        >>> weights = model.transform(["the moon and a star", "nothing known"])
        >>> weights.any(axis=1).tolist()
        [True, False]
        """
        check_is_fitted(self)
        words = [str(word) for word in self.model_.feature_names_in_]
        # A word that is left out of the count would be missing, so nothing is left out.
        table = _table(texts, self.strip_headers, self.min_letters, self.numbers, None)
        assert table.feature_names is not None
        where = {word: i for i, word in enumerate(words)}
        columns = np.array([where.get(word, -1) for word in table.feature_names])
        counts = table.values.tocoo()
        known = columns[counts.col] >= 0
        cells = (counts.row[known], columns[counts.col[known]])
        matched = sparse.csr_matrix((counts.data[known], cells), shape=(counts.shape[0], len(words)))
        return self.model_.transform(Table(self._weighted(matched), table.sample_names, words))

    def top_words(self, n: int = 10, *, by: str = "relevance") -> list[list[str]]:
        """The most distinctive words of each topic.

        Parameters
        ----------
        n : int, default=10
            Number of words per topic.
        by : {"relevance", "value"}, default="relevance"
            The order: words that a topic has more of than the others, or its largest.

        Returns
        -------
        list of list of str
            The words of each topic, first ones first.

        Examples
        --------
        >>> from andnmf.topics import TopicModel
        >>> model = TopicModel(2, random_state=0).fit(["apple pear", "moon star"] * 9)
        >>> sorted(sorted(words) for words in model.top_words(2))
        [['apple', 'pear'], ['moon', 'star']]
        """
        check_is_fitted(self)
        return [[feature.name for feature in features] for features in self._top(n, by)]

    def _top(self, n: int, by: str) -> Any:
        return self.model_._top_features(n, by, list(self.shares_))

    def to_frame(self, n: int = 10) -> pd.DataFrame:
        """The topics as a table: share, coherence and top words.

        Parameters
        ----------
        n : int, default=10
            Number of words per topic.

        Returns
        -------
        pandas DataFrame
            One row per topic.

        Examples
        --------
        >>> from andnmf.topics import TopicModel
        >>> TopicModel(2, random_state=0).fit(["apple pear", "moon star"] * 9).to_frame(2).columns.tolist()
        ['share', 'coherence', 'words']
        """
        import pandas as pd

        words = [" ".join(words) for words in self.top_words(n)]
        return pd.DataFrame({"share": self.shares_, "coherence": self.coherence_, "words": words}).rename_axis("topic")


def _may_be_poisson(settings: dict[str, Any]) -> bool:
    """Whether settings of AND allow Poisson noise."""
    threshold = settings.get("threshold", "auto")
    scheduled = not (isinstance(threshold, str) and threshold == "auto")
    return settings.get("noise") != "gaussian" and not scheduled and settings.get("nonnegative", "auto") is not False
