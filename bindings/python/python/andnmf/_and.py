"""The hand-written part of :class:`andnmf.AND`; its parameters are generated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from andnmf._base import Factorization, restore_on_failure
from andnmf._input import has_negative
from andnmf._online import fit_batch
from andnmf._types import with_all_keys

if TYPE_CHECKING:
    from typing_extensions import Self

    from andnmf._types import Trust


class ANDBase(Factorization):
    """Recover the true components behind non-negative mixtures (alternating non-negative gradient descent).

    Models samples as ``weights @ components`` with non-negative weights. Most factorizations return any pair with a
    small residual; AND recovers the components themselves, even if the weights are strongly correlated. The defaults
    need no tuning: start (initialization) and thresholds come from the data.

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

    # Parameters that the methods below read, and fitted attributes.
    threshold: Any
    batch_size: int | None
    nonnegative: Any
    thresholds_: np.ndarray
    trust_: Trust
    stability_: np.ndarray
    component_error_: np.ndarray
    n_batches_seen_: int
    dispersion_: float | None
    set_aside_: np.ndarray
    share_mean_: np.ndarray | None
    share_covariance_: np.ndarray | None

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the components with a batch of samples (online AND).

        The first batch must be large enough to compute a start from, unless ``init`` is an array. Every further batch is
        one stage: decode the weights, drop those below the threshold, move the components along the gradient. The
        threshold decreases from batch to batch: by the schedule, or with ``threshold="auto"`` by a factor of 1.1,
        starting at a tenth of each component's largest weights (or at the last threshold of the preceding fit, if
        lower) and staying above twice the error estimated from negative decoded weights. The verdict of ``trust_`` is None
        from the second batch on, ``trace_`` continues that of earlier fits and batches, and ``reconstruction_err_`` is that of
        this batch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A batch of samples.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=2000, n_features=50, n_components=5, random_state=0)
        >>> model = AND(n_components=5, random_state=0)
        >>> for start in range(0, 2000, 500):
        ...     model = model.partial_fit(data.samples[start : start + 500])
        >>> model.n_batches_seen_
        4
        """
        with restore_on_failure(self):
            fit_batch(self, X)
        return self

    @classmethod
    def _parameters(cls, settings: dict[str, Any]) -> dict[str, Any]:
        return super()._parameters(settings) | {"nonnegative": False if settings["signed"] else "auto"}

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        if self.nonnegative is True and settings["threshold"] != "auto":
            raise ValueError(
                "nonnegative is True, but with a threshold schedule components may be negative; use nonnegative='auto'"
            )
        return settings

    def _fit(self, X: Any) -> np.ndarray:
        if self.batch_size is not None and not self._has_schedule():
            raise ValueError(
                f"batch_size is {self.batch_size}, but with threshold='auto' it must be None in fit; set it for "
                "partial_fit or with a threshold schedule"
            )
        for name in ("n_batches_seen_", "_first_threshold"):
            vars(self).pop(name, None)
        return super()._fit(X)

    def _run(self, X: Any, settings: dict[str, Any], start: Any, *, with_weights: bool = True) -> dict[str, Any]:
        self._check_samples(X)
        return super()._run(X, settings, start, with_weights=with_weights)

    def _check_samples(self, X: Any) -> None:
        if self.nonnegative is True and has_negative(X):
            raise ValueError(
                "nonnegative is True, but X has negative values; use nonnegative='auto'"
            )

    def _store_result(self, result: dict[str, Any], settings: dict[str, Any]) -> None:
        super()._store_result(result, settings)
        self.thresholds_ = result["thresholds"]
        self._store_trust(json.loads(result["trust"]))
        report = json.loads(result["report"]) or {}
        self._evidence = report
        self.set_aside_ = np.array(report.get("set_aside", []), dtype=np.int64)
        counts = report.get("counts")
        self.dispersion_ = counts["dispersion"] if counts else None
        self.share_mean_ = np.array(counts["mean_shares"]) if counts else None
        self.share_covariance_ = np.array(counts["share_covariance"]) if counts else None

    def _store_trust(self, trust: Trust | None) -> None:
        """Store a trust summary; None is that of a fit that was not judged."""
        self.trust_ = with_all_keys(trust)
        scores = self.trust_["component_stability"]
        self.stability_ = np.array(scores) if scores else np.full(len(self.components_), np.nan)
        errors = self.trust_["component_error"]
        self.component_error_ = np.array(errors) if errors else np.full((len(self.components_), 3), np.nan)

    def _scale_thresholds(self, sizes: np.ndarray) -> None:
        # Automatic thresholds are shares of the largest weight.
        if self._has_schedule():
            self.thresholds_ = self.thresholds_ * sizes

    def _has_schedule(self) -> bool:
        return not (isinstance(self.threshold, str) and self.threshold == "auto")

    def _should_converge(self) -> bool:
        return not self._has_schedule()
