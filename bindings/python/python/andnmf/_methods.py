"""Hand-written parts of the other estimators: descriptions, examples, exceptions. Parameters are generated."""

from __future__ import annotations

from typing import Any

from andnmf._base import Factorization


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

    def _weighs_counts(self) -> bool:
        return True


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

    The components are the topics, each a distribution over words. ``transform`` returns non-negative least-squares
    weights as all methods here do, not the posterior of the model: a row sums to about the number of words of the
    document; divide it by its sum to get topic proportions. There is no ``partial_fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import OnlineLDA
    >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
    >>> topics = OnlineLDA(n_components=3, random_state=0).fit(counts).components_
    >>> np.allclose(topics.sum(axis=1), 1)
    True
    """

    def _should_converge(self) -> bool:
        # The method is meant for a few passes over many documents.
        return False


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
