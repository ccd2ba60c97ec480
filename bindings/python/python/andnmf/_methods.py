"""Hand-written parts of the other estimators: descriptions, examples, exceptions. Parameters are generated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from andnmf import _core, _settings
from andnmf._base import Factorization, restore_on_failure
from andnmf._input import as_samples, threads

if TYPE_CHECKING:
    from typing_extensions import Self


class HALSBase(Factorization):
    """Non-negative matrix factorization by hierarchical alternating least squares.

    Minimizes the squared error by coordinate descent, as scikit-learn's ``NMF`` does. The result depends on the start
    (initialization).

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import HALS
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> HALS(n_components=2, random_state=0, max_stages=2000).fit_transform(X).shape
    (6, 2)
    """


class ANLSBase(Factorization):
    """Non-negative matrix factorization by alternating exact non-negative least squares (block principal pivoting).

    Examples
    --------
    >>> from andnmf import ANLS
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> ANLS(n_components=3, tol=1e-3, random_state=0).fit(data.samples).score(data.samples) > 0.99
    True
    """


class MUBase(Factorization):
    """Non-negative matrix factorization by multiplicative updates.

    Examples
    --------
    >>> from andnmf import MU
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> model = MU(n_components=3, loss="kullback-leibler", max_stages=500, tol=1e-3, random_state=0)
    >>> model.fit(data.samples).score(data.samples) > 0.99
    True
    """

    loss: Any

    def _needs_nonnegative(self) -> bool:
        return self.loss == "kullback-leibler"


class PoissonNMFBase(Factorization):
    """Non-negative matrix factorization of counts by largest likelihood (Poisson noise).

    Minimizes the generalized Kullback-Leibler divergence by extrapolated expectation-maximization. Components sum to one,
    and a row of weights sums to the counts of its sample. ``transform`` returns weights of largest likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import PoissonNMF
    >>> counts = np.random.default_rng(0).poisson(3.0, size=(50, 12))
    >>> model = PoissonNMF(n_components=3, tol=1e-2, random_state=0).fit(counts)
    >>> np.allclose(model.components_.sum(axis=1), 1)
    True
    """


class MinVolumeBase(Factorization):
    """Non-negative matrix factorization whose components span a small volume.

    Minimizes the squared error plus a weight times the log-determinant of the components, each of which sums to one. Of
    all factorizations that fit, it prefers the one that encloses the samples most tightly.

    Examples
    --------
    >>> from andnmf import MinVolume
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> model = MinVolume(n_components=3, volume_weight=1e-5, tol=1e-3, random_state=0)
    >>> model.fit(data.samples).score(data.samples) > 0.99
    True
    """


class OnlineLDABase(Factorization):
    """Topics by latent Dirichlet allocation with online variational Bayes.

    The components are the topics, each a distribution over words. ``transform``, ``score``, ``perplexity`` and
    ``partial_fit`` are those of scikit-learn's ``LatentDirichletAllocation``: ``transform`` returns the posterior mean of the
    shares of the topics in each document, and ``score`` the variational bound on the log-likelihood. The fitted
    attributes ``doc_topic_prior_``, ``topic_word_prior_``, ``n_batch_iter_`` and ``topic_parameters_`` (its ``components_``:
    the parameters of the topics, not scaled to sum one) are, too.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import OnlineLDA
    >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
    >>> model = OnlineLDA(n_components=3, random_state=0).fit(counts)
    >>> np.allclose(model.components_.sum(axis=1), 1), np.allclose(model.transform(counts).sum(axis=1), 1)
    (True, True)
    """

    #: Number of batches that the topics have learned from.
    n_batch_iter_: int

    def transform(self, X: Any) -> np.ndarray:
        """Compute the posterior mean of the shares of the topics in documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Word counts of documents.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The shares; each row sums to one. Documents without words have equal shares.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import OnlineLDA
        >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
        >>> OnlineLDA(n_components=3, random_state=0).fit(counts).transform(counts[:2]).shape
        (2, 3)
        """
        check_is_fitted(self)
        return _shares(self._weights(self._validated(X, reset=False)))

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit the topics to documents and return their shares; equals ``fit(X).transform(X)``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Word counts of documents.
        y : ignored
            Present by convention.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The shares; each row sums to one.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import OnlineLDA
        >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
        >>> OnlineLDA(n_components=3, random_state=0).fit_transform(counts).shape
        (50, 3)
        """
        with restore_on_failure(self):
            return _shares(self._fit(X))

    def partial_fit(self, X: Any, y: Any = None, *, total_samples: float = 1e6) -> Self:
        """Update the topics with some of the documents, as ``LatentDirichletAllocation.partial_fit`` does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Word counts of some documents; they are cut into batches of ``batch_size``.
        y : ignored
            Present by convention.
        total_samples : float, default=1e6
            Number of documents of all calls together, for which those of each batch stand.

        Returns
        -------
        self
            The updated estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import OnlineLDA
        >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
        >>> model = OnlineLDA(n_components=3, random_state=0)
        >>> model.partial_fit(counts[:25], total_samples=50).partial_fit(counts[25:], total_samples=50).n_batch_iter_
        2
        """
        with restore_on_failure(self):
            first = not hasattr(self, "components_")
            X = self._validated(X, reset=first)
            settings = self._settings()
            resolved = self._rank_and_seed(X, "auto") if first else self._fit_record["settings"]
            settings |= {name: resolved[name] for name in ("rank", "seed")}
            of_all = _settings.number("total_samples", total_samples)
            if of_all <= 0:
                raise ValueError(f"total_samples is {total_samples}, but it must be positive")
            text = json.dumps({"method": self._method, **settings}, allow_nan=False)
            before = 0 if first else self.n_batch_iter_
            topics = None if first else self._topics(X)
            result = _core.lda_learn(as_samples(X), text, topics, of_all, before, threads(self.n_jobs))
            self.components_ = result["components"]
            self.n_components_ = len(self.components_)
            self.n_batch_iter_ = result["batches"]
            self._fit_record = {"settings": settings, "scale": None, "topic_totals": result["topic_totals"]}
        return self

    def score(self, X: Any, y: Any = None) -> float:
        """Return the variational bound on the log-likelihood of documents, as scikit-learn's LDA does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Word counts of documents.
        y : ignored
            Present by convention.

        Returns
        -------
        float
            The bound; larger is better.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import OnlineLDA
        >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
        >>> OnlineLDA(n_components=3, random_state=0).fit(counts).score(counts) < 0
        True
        """
        documents, topics, _ = self._bound(X)
        return documents + topics

    def perplexity(self, X: Any) -> float:
        """Return the perplexity of documents, exp(-bound per word), as scikit-learn's LDA does; smaller is better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Word counts of documents.

        Returns
        -------
        float
            The perplexity; 1 for documents without words.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import OnlineLDA
        >>> counts = np.random.default_rng(0).poisson([9.0, 9.0, 0.1, 0.1], size=(500, 4))
        >>> OnlineLDA(n_components=1, random_state=0).fit(counts).perplexity(counts) < 3
        True
        """
        documents, topics, words = self._bound(X)
        return float(np.exp(-(documents + topics) / words)) if words > 0 else 1.0

    @property
    def topic_parameters_(self) -> np.ndarray:
        """The parameters of the topics' Dirichlet distributions, whose rows are not scaled to sum one."""
        check_is_fitted(self)
        return self.components_ * np.asarray(self._totals(), self.components_.dtype)[:, None]

    @property
    def doc_topic_prior_(self) -> float:
        """The prior of the shares of a document, as the fit used it."""
        return self._prior("document_prior")

    @property
    def topic_word_prior_(self) -> float:
        """The prior of the words of a topic, as the fit used it."""
        return self._prior("topic_prior")

    def _prior(self, name: str) -> float:
        check_is_fitted(self)
        given = self._fit_record["settings"][name]
        return 1 / len(self.components_) if given is None else given

    def _bound(self, X: Any) -> tuple[float, float, float]:
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return _core.lda_bound(as_samples(X), self._settings_text(), self._topics(X), threads(self.n_jobs))

    def _topics(self, X: Any) -> tuple[np.ndarray, list[float]]:
        """The topics in the precision of the samples."""
        return self._components_as_dtype_of(X), self._totals()

    def _totals(self) -> list[float]:
        totals = self._fit_record.get("topic_totals")
        if totals is None:
            raise ValueError("the model is of an earlier version, which did not store its posterior; fit it again")
        return totals

    def _store_result(self, result: dict[str, Any], settings: dict[str, Any]) -> None:
        super()._store_result(result, settings)
        batch = settings["batch"]
        self.n_batch_iter_ = self.n_iter_ * (1 if batch == "all" else -(-len(result["weights"]) // batch["size"]))

    def _should_converge(self) -> bool:
        # The method is meant for a few passes over many documents.
        return False


def _shares(weights: np.ndarray) -> np.ndarray:
    """Each row divided by its sum; rows of zeros become even."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), weights.dtype.type(1 / weights.shape[1]))


class AnchorWordsBase(Factorization):
    """Topics by anchor words, each of which occurs in one topic only.

    The components are the topics, each a distribution over words, computed in one stage from the co-occurrence of words.
    Samples are word counts of documents. ``transform`` returns non-negative least-squares weights as all methods do.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import AnchorWords
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=500, n_features=30, n_components=3, random_state=0)
    >>> topics = AnchorWords(n_components=3, random_state=0).fit(np.round(400 * data.samples)).components_
    >>> np.allclose(topics.sum(axis=1), 1)
    True
    """
