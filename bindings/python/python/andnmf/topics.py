"""Topics of texts, as the command ``andnmf topics`` finds them.

>>> from andnmf.topics import TopicModel
>>> texts = ["apple pear melon", "stars moon orbit", "pear grape apple", "moon stars planet"] * 6
>>> model = TopicModel(n_topics=2, random_state=0).fit(texts)
>>> sorted(sorted(words) for words in model.top_words(2))
[['apple', 'pear'], ['moon', 'stars']]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.validation import check_is_fitted

from andnmf import _core, _settings
from andnmf._estimators import ESTIMATORS
from andnmf._files import Table
from andnmf._input import as_samples
from andnmf._report import Report
from andnmf._texts import count_words, word_table

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

    from andnmf._types import Trust

__all__ = ["TopicModel", "count_words"]

#: Values of the parameter ``weighting``.
WEIGHTINGS = ("auto", "tf-idf", "counts")


class TopicModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
        The fitted estimator of the method, for everything else.
    components_, feature_names_in_, trust_
        Those of ``model_``: the topics, the words, and the verdict (None if the method does not judge its fits).
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
        return self.model_.transform(self._counted(texts))

    def _counted(self, texts: Any) -> Table:
        """The words of the model in texts, as the values to factorize."""
        words = [str(word) for word in self.model_.feature_names_in_]
        # A word that is left out of the count would be missing, so nothing is left out.
        table = word_table(texts, self.strip_headers, self.min_letters, self.numbers, None)
        assert table.feature_names is not None
        where = {word: i for i, word in enumerate(words)}
        columns = np.array([where.get(word, -1) for word in table.feature_names])
        counts = table.values.tocoo()
        known = columns[counts.col] >= 0
        cells = (counts.row[known], columns[counts.col[known]])
        matched = sparse.csr_matrix((counts.data[known], cells), shape=(counts.shape[0], len(words)))
        return Table(self._weighted(matched), table.sample_names, words)

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

    @property
    def components_(self) -> np.ndarray:
        """The topics, one per row."""
        return self.model_.components_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The words, one per column of ``components_``."""
        return self.model_.feature_names_in_

    @property
    def trust_(self) -> Trust | None:
        """The verdict on the topics with its reasons, see :class:`andnmf.AND`; None if the method does not judge its fits."""
        return getattr(self.model_, "trust_", None)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def report(self, path: Any = None, texts: Any = None, *, title: str | None = None) -> Report:
        """Build the report page of the topics, which notebooks show and ``path`` saves.

        Parameters
        ----------
        path : path-like, optional
            The file to write, by convention ``report.html``.
        texts : iterable of str, or path-like, optional
            The texts, for the weights of the topics in them.
        title : str, optional
            The title of the page.

        Returns
        -------
        Report
            The page.

        Examples
        --------
        >>> from andnmf.topics import TopicModel
        >>> texts = ["apple pear", "moon star"] * 9
        >>> len(TopicModel(2, random_state=0).fit(texts).report(texts=texts).html) > 10_000
        True
        """
        check_is_fitted(self)
        samples = None if texts is None else self._counted(texts)
        return self.model_.report(path, samples, title=title or type(self).__name__, show="words")

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
