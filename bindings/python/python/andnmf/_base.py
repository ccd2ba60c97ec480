"""What all estimators share: the manners of scikit-learn over one compiled fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from andnmf import _core, _settings
from andnmf import init as starts
from andnmf._display import FittedSummary, reason_text
from andnmf._distributed import DistributedSamples, is_dask
from andnmf._input import PRECISIONS, as_samples, read_matrix, read_sample_weight, seed_of, size_of, threads
from andnmf._telling import warn

if TYPE_CHECKING:
    from typing_extensions import Self

#: More components than these are not looked for unasked.
MOST_UNASKED = 50


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Leaves an estimator as it was where a fit fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        # Put back at once, as a second Ctrl-C may come at any time.
        estimator.__dict__ = before
        raise


class Factorization(FittedSummary, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A factorization of samples into non-negative weights times components."""

    _method: ClassVar[str]

    # The parameters that all have; what a fit adds to them.
    n_components: Any
    init: Any
    random_state: Any
    n_jobs: int | None
    verbose: int
    components_: np.ndarray
    n_components_: int
    n_features_in_: int
    feature_names_in_: np.ndarray
    n_iter_: int
    stop_reason_: str
    trace_: dict[str, np.ndarray]
    reconstruction_err_: float
    warnings_: list[str]

    def _settings(self) -> dict[str, Any]:
        """The parameters as the library's settings, without the number of components and the seed."""
        return _settings.of_estimator(self)

    @classmethod
    def _parameters(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """The parameters that such settings come from."""
        return _settings.parameters(cls._method, settings)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples. float32 and float64 are read in place, CSR matrices too; other numbers become float64.
        y : ignored
            There by convention.

        Returns
        -------
        self

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> AND(n_components=3, random_state=0).fit(data.samples).components_.shape
        (3, 30)
        """
        with all_or_nothing(self):
            self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Find the components of samples and return the samples' weights: the same as ``fit(X).transform(X)``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Examples
        --------
        >>> from andnmf import AND
        >>> from andnmf.datasets import make_dir
        >>> data = make_dir(n_samples=200, n_features=30, n_components=3)
        >>> AND(n_components=3, random_state=0).fit_transform(data.samples).shape
        (200, 3)
        """
        with all_or_nothing(self):
            return self._fit(X)

    def transform(self, X: Any) -> np.ndarray:
        """The non-negative least-squares weights of samples under the components found.

        Returns
        -------
        ndarray of shape (n_samples, n_components)

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
        """Samples from weights: ``X @ components_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)

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
        weights = check_array(
            X, accept_sparse="csr", dtype=PRECISIONS, order="C", ensure_all_finite=False, input_name="X"
        )
        if weights.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {weights.shape[1]} weights per sample, but there are {len(self.components_)} components"
            )
        return weights @ self.components_

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of the samples' size that the components explain: 1 - ‖X - WH‖² / ‖X‖². The best is 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

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
            # Squared errors count as often as their rows do.
            root = np.sqrt(read_sample_weight(sample_weight, X))
            weights = root[:, None] * weights
            X = X.multiply(root[:, None]).tocsr() if sparse.issparse(X) else root[:, None] * X
        return 1.0 - self._relative_error(X, weights) ** 2

    def save(self, path: Any, *, overwrite: bool = False) -> None:
        """Write the model to a file that the command ``andnmf`` and :func:`andnmf.load` read.

        Parameters
        ----------
        path : path-like
            By convention ``model.safetensors``.
        overwrite : bool, default=False
            Whether a file that is there may be replaced.

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

        save(self, path, overwrite=overwrite)

    def _weights(self, X: Any) -> np.ndarray:
        return _core.weights(as_samples(X), self._components_like(X), threads(self.n_jobs))

    def _relative_error(self, X: Any, weights: np.ndarray) -> float:
        """What weights and components leave of samples, relative to them."""
        return _core.reconstruction_error(as_samples(X), weights, self._components_like(X), threads(self.n_jobs))

    def _components_like(self, X: Any) -> np.ndarray:
        """The components in the precision of samples."""
        return self.components_.astype(X.dtype, order="C", copy=False)

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if is_dask(X):
            warn(
                f"X is {type(X).__name__} of dask, which {type(self).__name__} brings into the memory of this process; "
                "andnmf.dask.AND leaves it where it is",
                UserWarning,
            )
            X = X.compute()
        # The compiled part looks for NaN and infinity itself, and names the place.
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=PRECISIONS, ensure_all_finite=False
        )

    def _fit(self, X: Any) -> np.ndarray:
        settings = self._settings()
        start = self._start()
        _settings.verbosity(self.verbose)
        X = self._validated(X, reset=True)
        settings |= self._rank_and_seed(X, start)
        # Weights of distributed samples stay where they are.
        found = self._run(X, settings, start, weigh=not isinstance(X, DistributedSamples))
        self._keep(found, settings)
        if isinstance(X, DistributedSamples):
            self.reconstruction_err_ = float(np.sqrt(X.unexplained(self.components_)[0]))
        else:
            self.reconstruction_err_ = found["relative_error"] * size_of(X)
        if self.stop_reason_ == "max_stages" and self._should_converge():
            warn(
                f"{type(self).__name__} did not converge in {self.n_iter_} stages; raise max_stages or tol",
                ConvergenceWarning,
            )
        return found.get("weights")

    def _run(self, X: Any, settings: dict[str, Any], start: Any, *, weigh: bool = True) -> dict[str, Any]:
        start = self._own_start(X, settings, start)
        text = json.dumps({"method": self._method, **settings}, allow_nan=False)
        tell = self._tell if self.verbose else None
        return _core.fit(as_samples(X), text, start, threads(self.n_jobs), tell, weigh)

    def _keep(self, found: dict[str, Any], settings: dict[str, Any]) -> None:
        """Everything that a fit found, as attributes."""
        self.components_ = found["components"]
        self.n_components_ = len(self.components_)
        self.n_iter_ = found["stages"]
        self.stop_reason_ = found["stop_reason"]
        self.trace_ = found["trace"]
        self.warnings_ = found["warnings"]
        seconds = {name: found.get(name) for name in ("solver_seconds", "library_seconds")}
        self._kept = {"settings": settings, "scale": found["scale"], **seconds}

    def _start(self) -> Any:
        """The start: a name, or components."""
        # A method that finds its own start has no such parameter.
        init = getattr(self, "init", None)
        if isinstance(init, str):
            # Names of functions have no hyphens.
            return _settings.word("init", init.replace("_", "-"), _settings.STARTS, " or components")
        return "auto" if init is None else init

    def _own_start(self, X: Any, settings: dict[str, Any], start: Any) -> Any:
        """Components, where they are given or the library has no such start; else the start's name."""
        if not isinstance(start, str):
            return read_matrix(start, "init", X.dtype)
        return starts.random(X, settings["rank"], random_state=settings["seed"]) if start == "random" else start

    def _rank_and_seed(self, X: Any, start: Any) -> dict[str, Any]:
        seed = seed_of(self.random_state)
        return {"rank": self._rank(X, start, seed), "seed": seed}

    def _rank(self, X: Any, start: Any, seed: int) -> int:
        """How many components to look for: what was asked for, what is given, or what stands out from the noise."""
        asked = self.n_components
        if asked is not None and not (isinstance(asked, str) and asked == "auto"):
            return _settings.integer("n_components", asked, ", or None to go by the samples")
        if not isinstance(start, str):
            return len(read_matrix(start, "init", X.dtype))
        text = _core.suggest_rank(as_samples(X), 1, MOST_UNASKED, False, 0, seed, threads(self.n_jobs))
        suggestion = json.loads(text)
        if suggestion["rank"] is not None:
            return suggestion["rank"]
        reason = "; ".join(reason_text(reason) for reason in suggestion["reasons"])
        rank = min(_settings.defaults(self._method)["rank"], *X.shape)
        warn(
            f"n_components is {asked!r}, and the samples do not tell how many there are ({reason.rstrip('.')}): "
            f"{rank} are looked for",
            UserWarning,
        )
        return rank

    def _should_converge(self) -> bool:
        return True

    def _needs_nonnegative(self) -> bool:
        return _settings.METHODS[self._method]["needs_nonnegative"]

    def _tell(self, stage: int, seconds: float, active: float, change: float) -> None:
        print(f"stage {stage}: change {change:.2e}, {active:.1%} of weights active, {seconds:.2f} s", flush=True)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._needs_nonnegative()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
