"""AND, but for its parameters, which are generated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from andnmf._base import Factorization, all_or_nothing
from andnmf._input import has_negative
from andnmf._online import next_batch

if TYPE_CHECKING:
    from typing_extensions import Self


class ANDBase(Factorization):
    """Recover the true components behind non-negative mixtures (alternating non-negative gradient descent).

    Samples are taken for ``weights @ components`` with non-negative weights. Where the usual factorizations find any
    pair with a small residual, AND finds the components themselves, also where weights are strongly correlated. By
    default nothing has to be tuned: start and thresholds come from the data.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    n_components_, n_features_in_, n_iter_ : int
        ``n_iter_`` is the number of stages, those of ``trace_``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where the samples had names.
    stop_reason_ : {"converged", "max_stages", "time_limit", "cancelled"}
    thresholds_ : ndarray of shape (n_components,)
        Of the last stage.
    trust_ : dict or None
        ``verdict`` (good, doubtful, poor), ``reasons`` (a dict each: ``code``, ``text``, ``advice``, ``components``, …)
        and ``component_stability``. None exactly where fits do not judge themselves: with a schedule, and once
        ``partial_fit`` has gone on from a start.
    stability_ : ndarray of shape (n_components,) or None
        Estimated error of each component as a sine: 0 is stable. None where ``trust_`` is.
    trace_ : dict of ndarray
        A value per stage: stage, seconds, threshold_min, threshold_median, active_fraction, change and loss; NaN where a
        method has none: AND has no loss, the others have no thresholds.
    reconstruction_err_ : float
        Frobenius norm of what is left of the samples; after ``partial_fit``, of the last batch.
    warnings_ : list of str

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

    # The parameters that the methods below look at.
    threshold: Any
    batch_size: int | None
    nonnegative: Any
    thresholds_: np.ndarray
    trust_: dict[str, Any] | None
    stability_: np.ndarray | None
    n_batches_seen_: int

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on from the components found so far with a further batch of samples: the online form of AND.

        The first batch must be large enough to find a start in (with ``init`` given, any will do). Each further batch is
        one stage: weights are decoded, those below the threshold dropped, and the components moved along the gradient.
        The threshold falls from batch to batch: by the schedule, or with ``threshold="auto"`` by a factor of 1.1 from a
        tenth of each component's largest weights (or from where the fit of the start ended, if that is lower), but not
        below twice the error that negative decoded weights show. ``trust_`` is None from the second batch on. What a
        fit or batches before have left in ``trace_`` goes on; ``reconstruction_err_`` is that of the batch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

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
        with all_or_nothing(self):
            next_batch(self, X)
        return self

    @classmethod
    def _parameters(cls, settings: dict[str, Any]) -> dict[str, Any]:
        found = super()._parameters(settings)
        return found | {"nonnegative": False if settings["signed"] else "auto"}

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        if self.nonnegative is True and settings["threshold"] != "auto":
            raise ValueError("nonnegative is True, but with a threshold schedule components may be negative")
        return settings

    def _fit(self, X: Any) -> np.ndarray:
        if self.batch_size is not None and not self._scheduled():
            raise ValueError(
                f"batch_size is {self.batch_size}, but with threshold='auto' it must be None in fit; other values are "
                "for partial_fit and for threshold schedules"
            )
        for name in ("n_batches_seen_", "_first_threshold"):
            vars(self).pop(name, None)
        return super()._fit(X)

    def _run(self, X: Any, settings: dict[str, Any], start: Any, *, weigh: bool = True) -> dict[str, Any]:
        self._check_samples(X)
        return super()._run(X, settings, start, weigh=weigh)

    def _check_samples(self, X: Any) -> None:
        if self.nonnegative is True and has_negative(X):
            raise ValueError(
                "nonnegative is True, but the samples have negative values; use nonnegative='auto' for such samples"
            )

    def _keep(self, found: dict[str, Any], settings: dict[str, Any]) -> None:
        super()._keep(found, settings)
        self.thresholds_ = found["thresholds"]
        self.trust_ = json.loads(found["trust"])
        self.stability_ = None if self.trust_ is None else np.array(self.trust_["component_stability"])

    def _scheduled(self) -> bool:
        return not (isinstance(self.threshold, str) and self.threshold == "auto")

    def _should_converge(self) -> bool:
        return not self._scheduled()
