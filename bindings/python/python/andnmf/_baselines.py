"""The other methods, under the same conventions as :class:`andnmf.AND`."""

from __future__ import annotations

from typing import Any, ClassVar

from andnmf import _settings
from andnmf._base import Factorization
from andnmf._settings import Setting

_NONNEGATIVE = Setting("signed", _settings.signed, lambda signed: not signed)
_SWEEPS = Setting("sweeps", _settings.integer)


class HALS(Factorization):
    """Non-negative matrix factorization by hierarchical alternating least squares.

    Finds non-negative weights and components with a small squared error, as scikit-learn's ``NMF`` does by coordinate
    descent. Which of the many such pairs it finds depends on where it begins.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components; ``None`` and ``"auto"`` as for :class:`andnmf.AND`.
    init : str or array of shape (n_components, n_features), default="auto"
        Where to begin, as for :class:`andnmf.AND`.
    sweeps : int, default=2
        Most sweeps over weights and components for one pass over the samples.
    compress : {"auto", "off", "lossless"} or int, default="auto"
        Whether to read the samples in a smaller space.
    nonnegative : bool, default=True
        Whether components must not be negative; samples without any value above zero are then refused. Weights never
        are negative.
    max_stages : int, default=200
        Most passes over the samples.
    tol : float, default=1e-05
        Converged when a pass changes the components by no more than this, relative to their size.
    time_limit, random_state, n_jobs, verbose
        As for :class:`andnmf.AND`.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, trace_, reconstruction_err_, warnings_
        As for :class:`andnmf.AND`.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import HALS
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> HALS(n_components=2, random_state=0, max_stages=2000).fit_transform(X).shape
    (6, 2)
    """

    _method: ClassVar[str] = "hals"
    _translation: ClassVar[dict[str, Setting]] = {
        "sweeps": _SWEEPS,
        "compress": _settings.COMPRESS,
        "nonnegative": _NONNEGATIVE,
        **_settings.COMMON,
    }

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        sweeps: int = 2,
        compress: Any = "auto",
        nonnegative: bool = True,
        max_stages: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.init = init
        self.sweeps = sweeps
        self.compress = compress
        self.nonnegative = nonnegative
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ANLS(Factorization):
    """Non-negative matrix factorization by alternating exact non-negative least squares (block principal pivoting).

    Parameters
    ----------
    n_components, init, compress, nonnegative, max_stages, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`andnmf.HALS`.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, trace_, reconstruction_err_, warnings_
        As for :class:`andnmf.AND`.

    Examples
    --------
    >>> from andnmf import ANLS
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> ANLS(n_components=3, tol=1e-3, random_state=0).fit(data.samples).score(data.samples) > 0.99
    True
    """

    _method: ClassVar[str] = "anls"
    _translation: ClassVar[dict[str, Setting]] = {
        "compress": _settings.COMPRESS,
        "nonnegative": _NONNEGATIVE,
        **_settings.COMMON,
    }

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        compress: Any = "auto",
        nonnegative: bool = True,
        max_stages: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.init = init
        self.compress = compress
        self.nonnegative = nonnegative
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MU(Factorization):
    """Non-negative matrix factorization by multiplicative updates.

    Parameters
    ----------
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        What is minimised; the second is for counts, and needs samples without negative values.
    sweeps : int, default=1
        Updates for one pass over the samples; more than one is the accelerated form.
    n_components, init, compress, nonnegative, max_stages, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`andnmf.HALS`.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, trace_, reconstruction_err_, warnings_
        As for :class:`andnmf.AND`.

    Examples
    --------
    >>> from andnmf import MU
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> model = MU(n_components=3, loss="kullback-leibler", max_stages=500, tol=1e-3, random_state=0)
    >>> model.fit(data.samples).score(data.samples) > 0.99
    True
    """

    _method: ClassVar[str] = "mu"
    _translation: ClassVar[dict[str, Setting]] = {
        "loss": Setting(
            "loss", lambda name, value: _settings.word(name, value, ("frobenius", "kullback-leibler"))
        ),
        "sweeps": _SWEEPS,
        "compress": _settings.COMPRESS,
        "nonnegative": _NONNEGATIVE,
        **_settings.COMMON,
    }

    def __init__(
        self,
        n_components: Any = None,
        *,
        loss: str = "frobenius",
        init: Any = "auto",
        sweeps: int = 1,
        compress: Any = "auto",
        nonnegative: bool = True,
        max_stages: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.loss = loss
        self.init = init
        self.sweeps = sweeps
        self.compress = compress
        self.nonnegative = nonnegative
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.loss == "kullback-leibler"
        return tags


class OnlineLDA(Factorization):
    """Topics by latent Dirichlet allocation with online variational Bayes.

    The components are the topics, each a distribution over words. ``transform`` gives least-squares weights as for all
    methods here, not the posterior of the model: rows add up to about the number of words of a document, and divided by
    their sums they are shares of topics. There is no ``partial_fit``.

    Parameters
    ----------
    document_prior, topic_prior : float or None, default=None
        Priors of topics in documents and of words in topics; ``None`` is 1/n_components.
    kappa : float, default=0.7
        How fast old batches are forgotten, above 0.5 and up to 1.
    tau0 : float, default=10.0
        Slows down the first batches.
    batch_size : int or None, default=128
        Documents after which topics are renewed; ``None`` is all of them.
    sample_scale : float, default=1.0
        How many words a value of 1 stands for: LDA takes values for counts.
    e_step_tol : float, default=1e-3
        A document is done when its topics change by less than this on average.
    e_step_max : int, default=100
        Most iterations for one document.
    max_stages : int, default=10
        Most passes over the documents.
    n_components, init, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`andnmf.HALS`.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, trace_, reconstruction_err_, warnings_
        As for :class:`andnmf.AND`.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import OnlineLDA
    >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
    >>> topics = OnlineLDA(n_components=3, random_state=0).fit(counts).components_
    >>> np.allclose(topics.sum(axis=1), 1)
    True
    """

    _method: ClassVar[str] = "lda"
    _translation: ClassVar[dict[str, Setting]] = {
        "document_prior": Setting("document_prior", _settings.optional_number),
        "topic_prior": Setting("topic_prior", _settings.optional_number),
        "kappa": Setting("kappa", _settings.number),
        "tau0": Setting("tau0", _settings.number),
        "batch_size": _settings.BATCH_SIZE,
        "sample_scale": Setting("sample_scale", _settings.number),
        "e_step_tol": Setting("e_step_tolerance", _settings.number),
        "e_step_max": Setting("e_step_max", _settings.integer),
        **_settings.COMMON,
    }

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        document_prior: float | None = None,
        topic_prior: float | None = None,
        kappa: float = 0.7,
        tau0: float = 10.0,
        batch_size: int | None = 128,
        sample_scale: float = 1.0,
        e_step_tol: float = 1e-3,
        e_step_max: int = 100,
        max_stages: int = 10,
        tol: float = 1e-5,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.init = init
        self.document_prior = document_prior
        self.topic_prior = topic_prior
        self.kappa = kappa
        self.tau0 = tau0
        self.batch_size = batch_size
        self.sample_scale = sample_scale
        self.e_step_tol = e_step_tol
        self.e_step_max = e_step_max
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _should_converge(self) -> bool:
        # A few passes over many documents are what the method is for.
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
