"""Base class of all estimators: scikit-learn's interface around the compiled fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from andnmf import _core, _settings
from andnmf import init as starts
from andnmf._containers import unwrap
from andnmf._display import FittedSummary, reason_text
from andnmf._distributed import DistributedSamples, is_dask
from andnmf._input import PRECISIONS, as_samples, read_matrix, read_sample_weight, resolve_seed, frobenius_norm, threads
from andnmf._names import hint
from andnmf._progress import Progress, print_end
from andnmf._results import FittedResults, name_columns
from andnmf._warnings import warn

if TYPE_CHECKING:
    from typing_extensions import Self

    from andnmf._types import Noise, Stage, StopReason

#: Values of the parameter ``scale``.
SCALES = ("fit", "weights", "components")
#: Largest number of components that ``n_components=None`` considers.
MAX_AUTO_COMPONENTS = 50


@contextmanager
def restore_on_failure(estimator: Any) -> Iterator[None]:
    """Restore the estimator if a fit fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        # One assignment: a second Ctrl-C may come at any time.
        estimator.__dict__ = before
        raise


class Factorization(FittedResults, FittedSummary, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A factorization of samples into non-negative weights and components."""

    _method: ClassVar[str]

    # Parameters of all estimators, and fitted attributes.
    n_components: Any
    init: Any
    random_state: Any
    n_jobs: int | None
    verbose: int
    callback: Callable[[Stage], object] | None
    scale: str
    components_: np.ndarray
    n_components_: int
    n_features_in_: int
    feature_names_in_: np.ndarray
    n_iter_: int
    n_search_iter_: int
    stop_reason_: StopReason
    ending_: str
    noise_: Noise
    trace_: dict[str, np.ndarray]
    reconstruction_err_: float
    warnings_: list[str]

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        # Arguments that are there to be refused are no parameters, for help and for scikit-learn.
        shown = [one for one in signature(cls.__init__).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        cls.__signature__ = Signature(shown[1:])  # type: ignore[attr-defined]

    def _settings(self) -> dict[str, Any]:
        """The parameters as settings of the library, without the rank and the seed."""
        return _settings.of_estimator(self)

    @classmethod
    def _parameters(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """The parameters that correspond to settings of the library."""
        return _settings.parameters(cls._method, settings)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the components to samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples. Arrays and CSR matrices of float32 and float64 are read in place; other numbers are converted
            to float64.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            The fitted estimator.

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> AND(n_components=3, random_state=0).fit(data.samples).components_.shape
        (3, 30)
        """
        with restore_on_failure(self):
            self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit the components to samples and return the samples' weights; equals ``fit(X).transform(X)``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : ignored
            Present by convention.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The weights, all non-negative.

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> AND(n_components=3, random_state=0).fit_transform(data.samples).shape
        (200, 3)
        """
        with restore_on_failure(self):
            return self._fit(X)

    def transform(self, X: Any) -> np.ndarray:
        """Compute the weights of samples.

        By non-negative least squares; after a fit to counts with Poisson noise, by largest likelihood.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The weights, all non-negative.

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> model = AND(n_components=3, random_state=0).fit(data.samples[:150])
        >>> weights = model.transform(data.samples[150:])
        >>> weights.shape, bool(weights.min() >= 0)
        ((50, 3), True)
        """
        check_is_fitted(self)
        return self._weights(self._validated(X, reset=False))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Reconstruct samples from weights: ``X @ components_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components)
            The weights.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The reconstructed samples; a DataFrame with the names of the features after ``set_output``.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> model = AND(n_components=3, random_state=0)
        >>> weights = model.fit_transform(data.samples)
        >>> np.allclose(model.inverse_transform(weights), data.samples)
        True
        """
        check_is_fitted(self)
        table = unwrap(X)
        weights = check_array(
            table.values, accept_sparse="csr", dtype=PRECISIONS, order="C", ensure_all_finite=False, input_name="X"
        )
        if weights.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {weights.shape[1]} columns, but it must have {len(self.components_)}, one per component"
            )
        return name_columns(self, weights @ self.components_, table)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the explained fraction of the samples, 1 - ‖X - WH‖² / ‖X‖²; the best value is 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weight of each sample in both norms.

        Returns
        -------
        float
            The explained fraction.

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> round(AND(n_components=3, random_state=0).fit(data.samples).score(data.samples), 6)
        1.0
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        weights = self._weights(X)
        if sample_weight is not None:
            # Scaling rows by the square root weights their squared errors.
            root = np.sqrt(read_sample_weight(sample_weight, X))
            weights = root[:, None] * weights
            X = X.multiply(root[:, None]).tocsr() if sparse.issparse(X) else root[:, None] * X
        return 1.0 - self._relative_error(X, weights) ** 2

    def save(self, path: Any, X: Any = None, *, overwrite: bool = False) -> None:
        """Save the model to a file or folder that :func:`andnmf.load` and the command ``andnmf`` read.

        Parameters
        ----------
        path : path-like
            A file that ends in ``.safetensors``, or a folder for the files that ``andnmf fit`` writes.
        X : array-like or sparse matrix of shape (n_samples, n_features), optional
            The samples, whose weights the folder then has as well.
        overwrite : bool, default=False
            Replace an existing file, or the results in a folder.

        Examples
        --------
        >>> import os, tempfile, andnmf
        >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
        >>> model = andnmf.AND(n_components=3, random_state=0).fit(data.samples)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "model.safetensors"))
        ...     andnmf.load(folder).components_.shape
        (3, 30)
        """
        from andnmf._model_file import save

        save(self, path, X, overwrite=overwrite)

    def _weights(self, X: Any) -> np.ndarray:
        components = self._components_as_dtype_of(X)
        return _core.weights(as_samples(X), components, threads(self.n_jobs), self._weighs_counts())

    def _weighs_counts(self) -> bool:
        """Whether weights are those of largest likelihood of counts rather than of least squares."""
        return self._fit_record["settings"].get("noise") == "poisson"

    def _relative_error(self, X: Any, weights: np.ndarray) -> float:
        """The relative reconstruction error."""
        return _core.reconstruction_error(as_samples(X), weights, self._components_as_dtype_of(X), threads(self.n_jobs))

    def _components_as_dtype_of(self, X: Any) -> np.ndarray:
        """The components in the precision of the samples."""
        return self.components_.astype(X.dtype, order="C", copy=False)

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if is_dask(X):
            warn(
                f"X is a dask {type(X).__name__}, which {type(self).__name__} loads into memory; use andnmf.dask.AND to "
                "process it block by block",
                UserWarning,
            )
            X = X.compute()
        table = unwrap(X)
        X, named = table.values, table.feature_names
        if named is not None and not reset and hasattr(self, "feature_names_in_"):
            X = self._select(X, named)
            named = list(self.feature_names_in_)
        # The extension checks for NaN and infinity itself, and names sample and feature.
        how = {"accept_sparse": "csr", "dtype": PRECISIONS, "ensure_all_finite": False}
        if named is None:
            return validate_data(self, X, reset=reset, **how)
        # Names that scikit-learn cannot see.
        X = check_array(X, estimator=self, **how)
        if reset:
            self.n_features_in_ = X.shape[1]
            self.feature_names_in_ = np.array(named, dtype=object)
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_}")
        return X

    def _fit(self, X: Any) -> np.ndarray:
        settings = self._settings()
        start = self._start()
        _settings.verbosity(self.verbose)
        _settings.choice("scale", self.scale, SCALES)
        before = self._components_to_continue()
        X = self._validated(X, reset=True)
        if before is not None and before.shape[1] == X.shape[1]:
            start = before
        settings |= self._rank_and_seed(X, start)
        # The weights of distributed samples are computed by the workers, lazily.
        result = self._run(X, settings, start, with_weights=not isinstance(X, DistributedSamples))
        self._store_result(result, settings)
        print_end(self)
        if isinstance(X, DistributedSamples):
            self.reconstruction_err_ = float(np.sqrt(X.squared_residual(self.components_)[0]))
        else:
            self.reconstruction_err_ = result["relative_error"] * frobenius_norm(X)
        if self.stop_reason_ == "max_stages" and self._should_converge():
            warn(
                f"{type(self).__name__} did not converge in {self.n_iter_} stages; increase max_stages or tol",
                ConvergenceWarning,
            )
        return self._rescale(result.get("weights"))

    def _components_to_continue(self) -> np.ndarray | None:
        """The components of the last fit, if ``warm_start`` is set and their number is still wanted."""
        if not _settings.flag("warm_start", getattr(self, "warm_start", False)) or not hasattr(self, "components_"):
            return None
        return self.components_ if self.n_components in (None, "auto", len(self.components_)) else None

    def _rescale(self, weights: np.ndarray | None) -> np.ndarray | None:
        """Scale components and weights as ``scale`` says; their product stays the same."""
        if self.scale == "fit":
            return weights
        if self.scale == "components":
            sizes = np.abs(self.components_).sum(axis=1)
        elif weights is None:
            raise ValueError("scale is 'weights', but the weights of distributed samples are lazy; use 'fit' or 'components'")
        else:
            sizes = 1 / np.maximum(np.sqrt(np.mean(np.square(weights), axis=0)), np.finfo(weights.dtype).tiny)
            sizes[~weights.any(axis=0)] = 1
        sizes = np.where(sizes > 0, sizes, 1).astype(self.components_.dtype)
        self.components_ = self.components_ / sizes[:, None]
        self._scale_thresholds(sizes)
        return None if weights is None else weights * sizes

    def _scale_thresholds(self, sizes: np.ndarray) -> None:
        """Thresholds in units of the weights follow their scale."""

    def _run(self, X: Any, settings: dict[str, Any], start: Any, *, with_weights: bool = True) -> dict[str, Any]:
        start = self._resolve_start(X, settings, start)
        text = json.dumps({"method": self._method, **settings}, allow_nan=False)
        progress = Progress(self, settings)
        try:
            return _core.fit(as_samples(X), text, start, threads(self.n_jobs), progress.on_stage(), with_weights)
        finally:
            progress.close()

    def _store_result(self, result: dict[str, Any], settings: dict[str, Any]) -> None:
        """Store the result of a fit as attributes."""
        self.components_ = result["components"]
        self.n_components_ = len(self.components_)
        self.n_iter_ = result["stages"]
        self.n_search_iter_ = result["search_stages"]
        self.stop_reason_ = result["stop_reason"]
        self.ending_ = result["ending"]
        self.trace_ = result["trace"]
        self.warnings_ = result["warnings"]
        names = ("solver_seconds", "library_seconds", "relative_error", "passes")
        run = {name: result.get(name) for name in names}
        self.noise_ = "poisson" if result.get("poisson") else "gaussian"
        if self.noise_ == "poisson":
            settings = settings | {"noise": "poisson"}
        self._fit_record = {"settings": settings, "scale": result["scale"], **run}

    def _start(self) -> Any:
        """The start: a name, or components."""
        # Some methods have no parameter `init`.
        init = getattr(self, "init", None)
        if isinstance(init, str):
            # "random_samples" is accepted as well, the name of the function in andnmf.init.
            return _settings.choice("init", init.replace("_", "-"), _settings.STARTS, " or an array of components")
        return "auto" if init is None else init

    def _resolve_start(self, X: Any, settings: dict[str, Any], start: Any) -> Any:
        """The start as the library takes it: a name or components (``"random"`` is computed here)."""
        if not isinstance(start, str):
            return read_matrix(start, "init", X.dtype)
        return starts.random(X, settings["rank"], random_state=settings["seed"]) if start == "random" else start

    def _rank_and_seed(self, X: Any, start: Any) -> dict[str, Any]:
        seed = resolve_seed(self.random_state)
        return {"rank": self._rank(X, start, seed), "seed": seed}

    def _rank(self, X: Any, start: Any, seed: int) -> int:
        """The number of components: ``n_components``, that of ``init``, or the one that the samples suggest."""
        requested = self.n_components
        if requested is not None and not (isinstance(requested, str) and requested == "auto"):
            return _settings.integer("n_components", requested, ", or None to choose it from the samples")
        if not isinstance(start, str):
            return len(read_matrix(start, "init", X.dtype))
        text = _core.suggest_rank(as_samples(X), 1, MAX_AUTO_COMPONENTS, False, 0, seed, threads(self.n_jobs))
        suggestion = json.loads(text)
        if suggestion["rank"] is not None:
            return suggestion["rank"]
        reason = "; ".join(reason_text(reason) for reason in suggestion["reasons"])
        rank = min(_settings.defaults(self._method)["rank"], *X.shape)
        warn(
            f"n_components is {requested!r}, but the samples do not determine the number of components "
            f"({reason.rstrip('.')}); using {rank}; set n_components to choose another number",
            UserWarning,
        )
        return rank

    def _should_converge(self) -> bool:
        return True

    def _needs_nonnegative(self) -> bool:
        return _settings.METHODS[self._method]["needs_nonnegative"]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a name of another library is refused with the one to use.

        Parameters
        ----------
        **params : dict
            Parameters of the estimator.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> from andnmf import AND
        >>> AND().set_params(max_stages=50).max_stages
        50
        """
        known = self.get_params(deep=False)
        for name in params:
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name}: {hint(type(self), name)}")
        return super().set_params(**params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._needs_nonnegative()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
