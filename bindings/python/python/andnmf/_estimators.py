"""The estimators.

Generated from the library's description of its methods; do not edit. Regenerate with:
python bindings/python/tools/generate_estimators.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from andnmf._and import ANDBase
from andnmf._base import Factorization
from andnmf._methods import ANLSBase, AnchorWordsBase, HALSBase, MUBase, MinVolumeBase, OnlineLDABase, PoissonNMFBase
from andnmf._names import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Never

    from andnmf._types import Stage

__all__ = [
    "AND",
    "ANLS",
    "AnchorWords",
    "HALS",
    "MU",
    "MinVolume",
    "OnlineLDA",
    "PoissonNMF",
]


class AND(ANDBase):
    """Recover the true components behind non-negative mixtures (alternating non-negative gradient descent).

    Models samples as ``weights @ components`` with non-negative weights. Most factorizations return any pair with a
    small residual; AND recovers the components themselves, even if the weights are strongly correlated. The defaults
    need no tuning: start (initialization) and thresholds come from the data.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    threshold : "auto", str, float, sequence of float or dict, default="auto"
        Thresholds below which decoded weights count as zero. ``"auto"`` chooses them from the data. Anything else runs
        Algorithm 1 of the paper as printed: a schedule as text (``"constant:C"``, ``"geometric:START:RATIO[:FLOOR]"``,
        ``"theory:LAMBDA:R:Q"``, ``"list:A,B,..."``), one value for all stages, or a list of values, the last of which
        applies to all further stages.
    max_stages : int, default=200
        Maximum number of stages. With threshold auto, those of the search for a start have their own limit and are
        counted separately. It must be at least 1.
    inner : {"exact"} or int, default="exact"
        Gradient steps per stage: a number, or the limit of infinitely many (exact). With threshold auto, exact only.
    step : {"safe", "paper"} or float, default="safe"
        Length of a gradient step: one that cannot diverge (safe), 0.5/rank (paper), or a value that multiplies sums
        over samples. With threshold auto, safe only. It must be a positive number, safe or paper.
    batch_size : int or None, default=None
        Number of samples per gradient step. In ``fit`` only with a threshold schedule; ``None`` uses all samples. In
        ``partial_fit``, ``None`` is 16.
    compress : {"auto", "off", "lossless"} or int, default="auto"
        Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always lossless
        (lossless), or by projection on this many leading directions. With threshold auto, auto only.
    noise : {"auto", "gaussian", "poisson"}, default="auto"
        The noise of the samples: gaussian (equal in all values), poisson (counts, whose noise grows with the mean), or
        auto, which recognizes counts. With a threshold schedule and with batches it is gaussian.
    nonnegative : {"auto", True, False}, default="auto"
        Constrain components to be non-negative: ``"auto"`` does so if the samples are non-negative. ``True`` also
        raises ValueError for negative samples.
    tol : float, default=1e-12
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their size,
        and the threshold is at its floor. Changes at the level of rounding always count as convergence; with threshold
        auto, so do changes of 1e-8. It must be zero or a positive number.
    trust : {"auto", "off"}, default="auto"
        The verdict and the error of each component: estimated by refits to simulated samples and by other answers that
        fit as well (auto), or none, which saves about half of the time (off). Without thresholds from the data there is
        none.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The components.
    n_components_, n_features_in_ : int
        Number of components, number of features.
    n_iter_ : int
        Number of stages (outer iterations), at most ``max_stages``.
    n_search_iter_ : int
        Number of stages of the search for a start, which come first in ``trace_``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; only if the samples had column names.
    stop_reason_ : {"converged", "max_stages", "time_limit", "cancelled"}
        Why the fit ended.
    ending_ : {"and", "and+hals", "min-volume", "nmf", "likelihood", "priors", "profiles"}
        The step that produced the components: AND itself, HALS from AND's result, least volume (if weights are rarely
        zero), or NMF (if AND found no reliable components). For counts the last three: steps of likelihood from AND's
        result, plain, with learned priors, or with learned profiles of shares.
    noise_ : {"gaussian", "poisson"}
        The noise that the fit expected: poisson if the samples are counts.
    dispersion_ : float or None
        Mean square of the residuals of counts over their mean: 1 for Poisson noise, more with overdispersion.
    share_mean_ : ndarray of shape (n_components,) or None
        The mean share of each component in the counts of a sample.
    share_covariance_ : ndarray of shape (n_components, n_components) or None
        The covariance of the shares over the samples.
    set_aside_ : ndarray of int
        The numbers of the samples that the fit set aside as outliers (junk, saturated or spiked): they took no part in
        it, and ``transform`` explains them as well as the components can.
    thresholds_ : ndarray of shape (n_components,)
        Thresholds of the last stage.
    trust_ : dict
        Trust summary: ``verdict`` (good, doubtful, poor), ``reasons`` (dicts with ``code``, ``text``, ``advice``,
        ``components``, …), ``component_error`` and ``alternatives``. The verdict is None with a threshold schedule and after
        ``partial_fit`` has updated existing components: such fits are not judged.
    component_error_ : ndarray of shape (n_components, 3)
        Error of each component: the sine of its angle to the true one, as lower end, estimate and upper end. NaN if the fit
        was not judged.
    stability_ : ndarray of shape (n_components,)
        The estimates alone; 0 is stable. NaN if the fit was not judged.
    trace_ : dict of ndarray
        One value per stage: stage, seconds, threshold_min, threshold_median, active_fraction, change, loss. NaN if the
        method does not have it: AND has no loss, the other methods have no thresholds.
    reconstruction_err_ : float
        Frobenius norm of the residual; after ``partial_fit``, that of the last batch.
    warnings_ : list of str
        Warnings of the fit.
    n_batches_seen_ : int
        Number of batches; only after ``partial_fit``.

    Examples
    --------
    >>> from andnmf import AND
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=400, n_features=50, n_components=5, random_state=0)
    >>> model = AND(n_components=5, random_state=0)
    >>> model.fit_transform(data.samples).shape
    (400, 5)
    >>> model.components_.shape, model.stop_reason_
    ((5, 50), 'converged')
    """

    _method: ClassVar[str] = "and"

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        threshold: Any = "auto",
        max_stages: int = 200,
        inner: Literal["exact"] | int = "exact",
        step: Literal["safe", "paper"] | float = "safe",
        batch_size: int | None = None,
        compress: Literal["auto", "off", "lossless"] | int = "auto",
        noise: Literal["auto", "gaussian", "poisson"] = "auto",
        nonnegative: bool | Literal["auto"] = "auto",
        tol: float = 1e-12,
        trust: Literal["auto", "off"] = "auto",
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.threshold = threshold
        self.max_stages = max_stages
        self.inner = inner
        self.step = step
        self.batch_size = batch_size
        self.compress = compress
        self.noise = noise
        self.nonnegative = nonnegative
        self.tol = tol
        self.trust = trust
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class HALS(HALSBase):
    """Non-negative matrix factorization by hierarchical alternating least squares.

    Minimizes the squared error by coordinate descent, as scikit-learn's ``NMF`` does. The result depends on the start
    (initialization).

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    nonnegative : bool, default=True
        Constrain components to be non-negative; samples with negative but no positive values then raise ValueError.
        Weights are always non-negative.
    sweeps : int, default=2
        Maximum number of sweeps over the weights, and over the components, per pass over the samples. Sweeps stop early
        once the weights change little compared to the first sweep of the pass. It must be at least 1.
    compress : {"auto", "off", "lossless"} or int, default="auto"
        Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always lossless
        (lossless), or by projection on this many leading directions.
    max_stages : int, default=200
        Maximum number of stages (outer iterations), each one pass over the samples. It must be at least 1.
    tol : float, default=1e-05
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their norm. It
        must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import HALS
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> HALS(n_components=2, random_state=0, max_stages=2000).fit_transform(X).shape
    (6, 2)
    """

    _method: ClassVar[str] = "hals"

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        nonnegative: bool = True,
        sweeps: int = 2,
        compress: Literal["auto", "off", "lossless"] | int = "auto",
        max_stages: int = 200,
        tol: float = 1e-05,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.nonnegative = nonnegative
        self.sweeps = sweeps
        self.compress = compress
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class ANLS(ANLSBase):
    """Non-negative matrix factorization by alternating exact non-negative least squares (block principal pivoting).

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    nonnegative : bool, default=True
        Constrain components to be non-negative; samples with negative but no positive values then raise ValueError.
        Weights are always non-negative.
    compress : {"auto", "off", "lossless"} or int, default="auto"
        Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always lossless
        (lossless), or by projection on this many leading directions.
    max_stages : int, default=200
        Maximum number of stages (outer iterations), each one pass over the samples. It must be at least 1.
    tol : float, default=1e-05
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their norm. It
        must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

    Examples
    --------
    >>> from andnmf import ANLS
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> ANLS(n_components=3, tol=1e-3, random_state=0).fit(data.samples).score(data.samples) > 0.99
    True
    """

    _method: ClassVar[str] = "anls"

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        nonnegative: bool = True,
        compress: Literal["auto", "off", "lossless"] | int = "auto",
        max_stages: int = 200,
        tol: float = 1e-05,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.nonnegative = nonnegative
        self.compress = compress
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class MU(MUBase):
    """Non-negative matrix factorization by multiplicative updates.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        The loss to minimize: the squared error (frobenius), or the generalized Kullback–Leibler divergence, which is
        for counts and needs non-negative samples.
    nonnegative : bool, default=True
        Constrain components to be non-negative; samples with negative but no positive values then raise ValueError.
        Weights are always non-negative.
    sweeps : int, default=1
        Number of weight updates per pass over the samples, and with the Frobenius loss also of component updates. More
        than one is the accelerated form of Gillis & Glineur (2012): further updates are cheap compared to the pass. It
        must be at least 1.
    compress : {"auto", "off", "lossless"} or int, default="auto"
        Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always lossless
        (lossless), or by projection on this many leading directions.
    max_stages : int, default=200
        Maximum number of stages (outer iterations), each one pass over the samples. It must be at least 1.
    tol : float, default=1e-05
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their norm. It
        must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

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

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        loss: Literal["frobenius", "kullback-leibler"] = "frobenius",
        nonnegative: bool = True,
        sweeps: int = 1,
        compress: Literal["auto", "off", "lossless"] | int = "auto",
        max_stages: int = 200,
        tol: float = 1e-05,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.loss = loss
        self.nonnegative = nonnegative
        self.sweeps = sweeps
        self.compress = compress
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class PoissonNMF(PoissonNMFBase):
    """Non-negative matrix factorization of counts by largest likelihood (Poisson noise).

    Minimizes the generalized Kullback-Leibler divergence by extrapolated expectation-maximization. Components sum to one,
    and a row of weights sums to the counts of its sample. ``transform`` returns weights of largest likelihood.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    sweeps : int, default=2
        Number of updates of the shares per pass over the samples. It must be at least 1.
    passes : int, default=8
        Number of extrapolated passes over the samples per stage; 1 is plain expectation-maximization. It must be at
        least 1.
    max_stages : int, default=50
        Maximum number of stages, each of several passes over the samples. It must be at least 1.
    tol : float, default=0.0001
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their norm. It
        must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import PoissonNMF
    >>> counts = np.random.default_rng(0).poisson(3.0, size=(50, 12))
    >>> model = PoissonNMF(n_components=3, tol=1e-2, random_state=0).fit(counts)
    >>> np.allclose(model.components_.sum(axis=1), 1)
    True
    """

    _method: ClassVar[str] = "poisson-nmf"

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        sweeps: int = 2,
        passes: int = 8,
        max_stages: int = 50,
        tol: float = 0.0001,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.sweeps = sweeps
        self.passes = passes
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class MinVolume(MinVolumeBase):
    """Non-negative matrix factorization whose components span a small volume.

    Minimizes the squared error plus a weight times the log-determinant of the components, each of which sums to one. Of
    all factorizations that fit, it prefers the one that encloses the samples most tightly.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    volume_weight : float, default=0.0001
        Weight of the volume penalty in the first stage, relative to ‖Y‖² / rank. It must be zero or a positive number.
    weight_ratio : float, default=1.0
        Factor applied to the volume weight after every stage: 1 keeps it constant; smaller values reduce it, which
        suits samples with little noise. It must be above 0 and at most 1.
    offset : float, default=0.001
        Offset δ added to the diagonal of the components' Gram matrix, relative to their mean squared length; keeps the
        penalty finite for linearly dependent components. It must be a positive number.
    nonnegative : bool, default=True
        Constrain components to be non-negative; samples with negative but no positive values then raise ValueError.
        Weights are always non-negative.
    sweeps : int, default=2
        Maximum number of updates of the weights, and of the components, per pass over the samples. It must be at least
        1.
    compress : {"auto", "off", "lossless"} or int, default="auto"
        Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always lossless
        (lossless), or by projection on this many leading directions.
    max_stages : int, default=200
        Maximum number of stages (outer iterations), each one pass over the samples. It must be at least 1.
    tol : float, default=1e-05
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their norm. It
        must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

    Examples
    --------
    >>> from andnmf import MinVolume
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> model = MinVolume(n_components=3, volume_weight=1e-5, tol=1e-3, random_state=0)
    >>> model.fit(data.samples).score(data.samples) > 0.99
    True
    """

    _method: ClassVar[str] = "min-volume"

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Any = "auto",
        volume_weight: float = 0.0001,
        weight_ratio: float = 1.0,
        offset: float = 0.001,
        nonnegative: bool = True,
        sweeps: int = 2,
        compress: Literal["auto", "off", "lossless"] | int = "auto",
        max_stages: int = 200,
        tol: float = 1e-05,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.volume_weight = volume_weight
        self.weight_ratio = weight_ratio
        self.offset = offset
        self.nonnegative = nonnegative
        self.sweeps = sweeps
        self.compress = compress
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class OnlineLDA(OnlineLDABase):
    """Topics by latent Dirichlet allocation with online variational Bayes.

    The components are the topics, each a distribution over words. ``transform``, ``score``, ``perplexity`` and
    ``partial_fit`` are those of scikit-learn's ``LatentDirichletAllocation``: ``transform`` returns the posterior mean of the
    shares of the topics in each document, and ``score`` the variational bound on the log-likelihood. The fitted
    attributes ``doc_topic_prior_``, ``topic_word_prior_``, ``n_batch_iter_`` and ``topic_parameters_`` (its ``components_``:
    the parameters of the topics, not scaled to sum one) are, too.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    init : str or array of shape (n_components, n_features), default="auto"
        Start (initialization): ``"auto"``, ``"spa"``, ``"random-samples"``, ``"nndsvd"``, ``"nndsvda"``,
        ``"nndsvdar"``, ``"random"`` (see :mod:`andnmf.init`), or an array of components. ``None`` is ``"auto"``.
    document_prior : float or None, default=None
        Dirichlet prior α of the topic proportions of a document; values below 1 favor few topics per document. None is
        1/rank. It must be a positive number.
    topic_prior : float or None, default=None
        Dirichlet prior η of the word distribution of a topic; values below 1 favor few words per topic. None is 1/rank.
        It must be a positive number.
    kappa : float, default=0.7
        Learning-rate decay, above 0.5 and up to 1: batch t has the learning rate (tau0 + t)^−kappa. Within these bounds
        the topics converge. It must be above 0.5 and at most 1.
    tau0 : float, default=10.0
        Learning-rate offset: larger values slow down the first batches. It must be zero or a positive number.
    batch_size : int or None, default=128
        Batch size in documents: the topics are updated after about this many, as a pass is divided into equal batches.
        All of them is batch variational Bayes, with a learning rate of 1. It must be at least 1 sample, or all.
    e_step_tol : float, default=0.001
        Convergence tolerance of the E-step: a document has converged if the mean change of its γ is below this. It must
        be zero or a positive number.
    e_step_max : int, default=100
        Maximum number of E-step iterations per document. It must be at least 1.
    sample_scale : float, default=1.0
        Factor of every value. LDA interprets values as word counts, which weigh against the priors (like α or η words
        per topic): a document of 100 words counts more than one of 10. For mixtures given as frequencies (rows that sum
        to 1), which would count as a single word, set the number of words that such a row stands for. It must be a
        positive number.
    max_stages : int, default=10
        Maximum number of stages (outer iterations), each one pass over the samples. It must be at least 1.
    tol : float, default=1e-05
        Convergence tolerance: stop when a stage changes the components by no more than this, relative to their norm. It
        must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    warm_start : bool, default=False
        Start from the components of the last fit, if there are as many as ``n_components`` asks for.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import OnlineLDA
    >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 12))
    >>> model = OnlineLDA(n_components=3, random_state=0).fit(counts)
    >>> np.allclose(model.components_.sum(axis=1), 1), np.allclose(model.transform(counts).sum(axis=1), 1)
    (True, True)
    """

    _method: ClassVar[str] = "lda"

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
        e_step_tol: float = 0.001,
        e_step_max: int = 100,
        sample_scale: float = 1.0,
        max_stages: int = 10,
        tol: float = 1e-05,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.init = init
        self.document_prior = document_prior
        self.topic_prior = topic_prior
        self.kappa = kappa
        self.tau0 = tau0
        self.batch_size = batch_size
        self.e_step_tol = e_step_tol
        self.e_step_max = e_step_max
        self.sample_scale = sample_scale
        self.max_stages = max_stages
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.scale = scale
        self.callback = callback


class AnchorWords(AnchorWordsBase):
    """Topics by anchor words, each of which occurs in one topic only.

    The components are the topics, each a distribution over words, computed in one stage from the co-occurrence of words.
    Samples are word counts of documents. ``transform`` returns non-negative least-squares weights as all methods do.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of components. ``None`` and ``"auto"`` use that of ``init`` if it is an array, otherwise the number of
        components above the noise of the samples; if that is unclear, 10 (or the number of samples or features, if
        smaller), with a warning.
    values : {"auto", "counts", "weights"}, default="auto"
        Interpretation of the values: word counts (counts), other weights of any scale (weights), or counts if all are
        whole numbers (auto).
    recover : {"l2", "kl"}, default="l2"
        Distance to minimize when words are expressed as mixtures of the anchors: squared Euclidean (l2), or the
        Kullback–Leibler divergence (kl), which is slower.
    min_documents : int, default=0
        Minimum document frequency of anchors. With 0 every word that occurs can be an anchor. Rare words are far from
        all others by chance, so a corpus that contains rare words needs this: the authors use 100 for about 1500 long
        documents.
    projection : int or None, default=1000
        Dimension of the random projection for the anchor search (the rank, if that is more). With none, or if there are
        no more words than that, the search uses the space of all words. It must be at least 1 dimension, or none.
    tol : float, default=1e-09
        Convergence tolerance: the maximum duality gap of a mixture, relative to the squared norm of the word's row for
        l2, in nats for kl. It must be zero or a positive number.
    time_limit : float or None, default=None
        Time limit in seconds; the best result so far is kept. Raises ValueError if there are no components yet.
    random_state : int, RandomState instance or None, default=None
        Random seed. The same number gives bit-identical results on any number of threads.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.
    verbose : int, default=0
        Show progress: 1 shows a bar (if tqdm is installed, in notebooks and terminals) or some lines, 2 a line per
        stage.
    scale : {"fit", "weights", "components"}, default="fit"
        Scale of components and weights, whose product is the same: as the method leaves them (``"fit"``), weights of
        root mean square 1 (``"weights"``, for classifiers with regularization), or components that sum to 1
        (``"components"``).
    callback : callable or None, default=None
        Called after each stage with a named tuple: ``stage``, the values of ``trace_``, ``max_stages``. If it returns
        ``True``, the fit ends with the best result so far.

    Attributes
    ----------
    components_, n_components_, n_features_in_, n_iter_, stop_reason_, ending_, noise_, trace_, reconstruction_err_,
    warnings_
        As in :class:`andnmf.AND`.

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

    _method: ClassVar[str] = "anchor-words"

    def __init__(
        self,
        n_components: Any = None,
        *,
        values: Literal["auto", "counts", "weights"] = "auto",
        recover: Literal["l2", "kl"] = "l2",
        min_documents: int = 0,
        projection: int | None = 1000,
        tol: float = 1e-09,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        scale: Literal["fit", "weights", "components"] = "fit",
        callback: Callable[[Stage], object] | None = None,
        **other_arguments: Never,
    ):
        if other_arguments:
            refuse(self, other_arguments)
        self.n_components = n_components
        self.values = values
        self.recover = recover
        self.min_documents = min_documents
        self.projection = projection
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.scale = scale
        self.callback = callback


#: Estimators by method.
ESTIMATORS: dict[str, type[Factorization]] = {
    "and": AND,
    "hals": HALS,
    "anls": ANLS,
    "mu": MU,
    "poisson-nmf": PoissonNMF,
    "min-volume": MinVolume,
    "lda": OnlineLDA,
    "anchor-words": AnchorWords,
}
