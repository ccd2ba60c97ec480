"""AND on dask arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_feature_names, check_is_fitted

import andnmf
from andnmf._base import restore_on_failure
from andnmf._distributed import is_dask
from andnmf.dask import _blocks
from andnmf.dask._samples import DaskSamples, as_array, blocks_of, is_frame

if TYPE_CHECKING:
    from typing_extensions import Self


class AND(andnmf.AND, auto_wrap_output_keys=None):
    """:class:`andnmf.AND` for dask arrays and DataFrames.

    Parameters and attributes are those of :class:`andnmf.AND`, except: ``batch_size`` must be None in ``fit``, ``score``
    takes no ``sample_weight``, and there is no ``set_output``, which would compute lazy results.

    ``fit`` processes the blocks where they are, with any dask scheduler. The components equal those of
    :class:`andnmf.AND` up to rounding; the last bits depend on the block sizes and on nothing else. ``transform``,
    ``fit_transform`` and ``inverse_transform`` of dask arrays are lazy. Each pass over the samples recomputes the array:
    ``persist`` it if that is slow and the cluster has enough memory.

    ``n_jobs`` is the number of threads of the calling process. One thread processes one block, so use more blocks than
    the cluster has threads. By default the calling process holds the samples projected on about ``n_components + 10``
    directions. If that is too much memory, use a threshold schedule and ``compress="off"``: the calling process then
    holds nothing that grows with the number of samples.

    Examples
    --------
    >>> import dask.array as da
    >>> import andnmf.dask
    >>> data = andnmf.datasets.make_dir(n_samples=400, n_features=50, n_components=5, random_state=0)
    >>> X = da.from_array(data.samples, chunks=(100, 50))
    >>> model = andnmf.dask.AND(n_components=5, random_state=0)
    >>> model.fit_transform(X).compute().shape
    (400, 5)
    >>> model.components_.shape, model.stop_reason_
    ((5, 50), 'converged')
    """

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit the components to samples and return the samples' weights, lazily.

        Parameters
        ----------
        X : dask array, DataFrame or array-like of shape (n_samples, n_features)
            The samples.
        y : ignored
            Present by convention.

        Returns
        -------
        dask array or ndarray of shape (n_samples, n_components)
            The weights; a lazy dask array if ``X`` is a dask collection.

        Examples
        --------
        >>> import dask.array as da
        >>> import andnmf.dask
        >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
        >>> X = da.from_array(data.samples, chunks=(50, 30))
        >>> andnmf.dask.AND(n_components=3, random_state=0).fit_transform(X).shape
        (200, 3)
        """
        if not is_dask(X):
            return super().fit_transform(X)
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> Any:
        """Compute the weights of samples by non-negative least squares, lazily.

        Parameters
        ----------
        X : dask array, DataFrame or array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        dask array or ndarray of shape (n_samples, n_components)
            The weights; a lazy dask array if ``X`` is a dask collection.

        Examples
        --------
        >>> import dask.array as da
        >>> import andnmf.dask
        >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
        >>> X = da.from_array(data.samples, chunks=(50, 30))
        >>> andnmf.dask.AND(n_components=3, random_state=0).fit(X).transform(X).numblocks
        (4, 1)
        """
        if not is_dask(X):
            return super().transform(X)
        check_is_fitted(self)
        self._check_names(X, reset=False)
        X = _matrix(X)
        self._check_width(X)
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        components = self.components_.astype(dtype, order="C", copy=False)
        return X.map_blocks(
            _blocks.weights,
            components,
            dtype=dtype,
            chunks=(X.chunks[0], (len(components),)),
            meta=np.empty((0, 0), dtype),
            name=None,
            token="weights",
        )

    def inverse_transform(self, X: Any) -> Any:
        """Reconstruct samples from weights, lazily.

        Parameters
        ----------
        X : dask array, DataFrame or array-like of shape (n_samples, n_components)
            The weights.

        Returns
        -------
        dask array or ndarray of shape (n_samples, n_features)
            The reconstructed samples; a lazy dask array if ``X`` is a dask collection.

        Examples
        --------
        >>> import dask.array as da
        >>> import andnmf.dask
        >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
        >>> X = da.from_array(data.samples, chunks=(50, 30))
        >>> model = andnmf.dask.AND(n_components=3, random_state=0)
        >>> bool(abs(model.inverse_transform(model.fit_transform(X)) - X).max().compute() < 1e-9)
        True
        """
        if not is_dask(X):
            return super().inverse_transform(X)
        check_is_fitted(self)
        X = _matrix(X)
        if X.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {X.shape[1]} columns, but it must have {len(self.components_)}, one per component"
            )
        return X @ self.components_

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the explained fraction of the samples, 1 - ‖X - WH‖² / ‖X‖²; computed immediately.

        Parameters
        ----------
        X : dask array, DataFrame or array-like of shape (n_samples, n_features)
            The samples.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weight of each sample; must be None for dask collections.

        Returns
        -------
        float
            The explained fraction.

        Examples
        --------
        >>> import dask.array as da
        >>> import andnmf.dask
        >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
        >>> X = da.from_array(data.samples, chunks=(50, 30))
        >>> round(andnmf.dask.AND(n_components=3, random_state=0).fit(X).score(X), 6)
        1.0
        """
        if not is_dask(X):
            return super().score(X, y, sample_weight)
        check_is_fitted(self)
        if sample_weight is not None:
            raise ValueError("sample_weight must be None if X is a dask collection")
        residual, size = self._validated(X, reset=False).squared_residual(self.components_)
        return 1.0 - residual / (size or 1.0)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the components with batches of samples: the blocks of a dask array, one after the other.

        Parameters
        ----------
        X : dask array, DataFrame or array-like of shape (n_samples, n_features)
            The samples.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> import dask.array as da
        >>> import andnmf.dask
        >>> data = andnmf.datasets.make_dir(n_samples=2000, n_features=50, n_components=5, random_state=0)
        >>> X = da.from_array(data.samples, chunks=(500, 50))
        >>> andnmf.dask.AND(n_components=5, random_state=0).partial_fit(X).n_batches_seen_
        4
        """
        if not is_dask(X):
            return super().partial_fit(X)
        seen = 0
        with restore_on_failure(self):
            for batch in _batches(X):
                if batch.shape[0] == 0:
                    continue
                _blocks.raise_if_non_finite(_blocks.find_non_finite(_blocks.join_parts([batch])), seen)
                super().partial_fit(batch)
                seen += batch.shape[0]
            if not seen:
                raise ValueError("X has no samples, but at least one is required")
        return self

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if not is_dask(X):
            return super()._validated(X, reset=reset)
        if self.batch_size is not None:
            raise ValueError(
                f"batch_size is {self.batch_size}, but for dask collections it must be None in fit; use partial_fit to "
                "process blocks as batches"
            )
        self._check_names(X, reset=reset)
        samples = DaskSamples(X)
        if reset:
            self.n_features_in_ = samples.shape[1]
        else:
            self._check_width(samples)
        return samples

    def _check_names(self, X: Any, *, reset: bool) -> None:
        """Store or compare the column names of a DataFrame, as scikit-learn does."""
        if is_frame(X):
            _check_feature_names(self, X._meta, reset=reset)
        elif reset:
            vars(self).pop("feature_names_in_", None)

    def _check_width(self, X: Any) -> None:
        # If dask does not know the width, the blocks are checked later.
        if X.shape[1] != self.n_features_in_ and not np.isnan(X.shape[1]):
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input"
            )


def _matrix(X: Any) -> Any:
    """X as a 2-D dask array."""
    X = as_array(X)
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D, but the dask array has shape {X.shape}")
    return X


def _batches(X: Any) -> Iterator[Any]:
    """Compute the blocks one after the other: DataFrames with their names, or arrays."""
    if is_frame(X):
        yield from (part.compute() for part in X.to_delayed())
    else:
        yield from (_blocks.join_parts([part.compute() for part in parts]) for parts in blocks_of(X))


def load(path: Any) -> AND:
    """Load a model file of AND as an estimator for dask arrays.

    Parameters
    ----------
    path : path-like
        The file, or the folder of a fit; see :func:`andnmf.load`.

    Returns
    -------
    andnmf.dask.AND
        The fitted estimator.

    Examples
    --------
    >>> import os, tempfile
    >>> import dask.array as da
    >>> import andnmf.dask
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
    >>> X = da.from_array(data.samples, chunks=(50, 30))
    >>> model = andnmf.dask.AND(n_components=3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.safetensors"))
    ...     andnmf.dask.load(folder).transform(X).shape
    (200, 3)
    """
    loaded = andnmf.load(path)
    if type(loaded) is not andnmf.AND:
        raise TypeError(f"{path}: a model of {type(loaded).__name__}, but andnmf.dask supports only AND; use andnmf.load")
    model = AND(**loaded.get_params())
    vars(model).update(vars(loaded))
    return model
