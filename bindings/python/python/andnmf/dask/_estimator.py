"""AND on dask arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import andnmf
from andnmf._elsewhere import is_dask
from andnmf.dask import _blocks
from andnmf.dask._samples import DaskSamples, blocks_of

if TYPE_CHECKING:
    from typing_extensions import Self


class AND(andnmf.AND):
    """:class:`andnmf.AND` on dask arrays; parameters and attributes are the same.

    ``fit`` leaves the samples where their blocks are, on any dask scheduler, and gives the components that
    :class:`andnmf.AND` gives for the same samples in memory, to rounding: the last bits depend on how samples are cut
    into blocks, and on nothing else. ``transform``, ``fit_transform`` and ``inverse_transform`` of dask arrays are lazy.
    Each pass over the samples computes the array anew: ``persist`` what takes long and fits into the cluster.

    ``n_jobs`` is the number of threads of the calling process. A block is worked on by one thread, so blocks should
    outnumber the threads of the cluster. By default the calling process holds the samples along ``n_components + 10``
    directions; with a threshold schedule and ``compress="off"`` it holds nothing that grows with the samples, which is
    the form for those that even so many directions of are too large.

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
        """Find the components of samples, and their weights as a dask array that is not computed yet.

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
        """The weights of samples; of dask arrays as a dask array that is not computed yet.

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
        if hasattr(X, "to_dask_array"):
            X = X.to_dask_array()
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
        """Samples from weights; of dask arrays as a dask array that is not computed yet.

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
        if X.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {X.shape[1]} weights per sample, but there are {len(self.components_)} components"
            )
        return X @ self.components_

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of the samples' size that the components explain: 1 - ‖X - WH‖² / ‖X‖². Computed at once.

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
            raise ValueError("sample_weight must be None for dask arrays")
        residual, size = self._validated(X, reset=False).residual_and_size(self.components_)
        return 1.0 - residual / (size or 1.0)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on with a further batch of samples; the blocks of a dask array are batches, one after the other.

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
        for parts in blocks_of(X):
            batch = _blocks.joined([part.compute() for part in parts])
            if batch.shape[0]:
                super().partial_fit(batch)
        return self

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if not is_dask(X):
            return super()._validated(X, reset=reset)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        samples = DaskSamples(X)
        if reset:
            self.n_features_in_ = samples.shape[1]
            vars(self).pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)
        else:
            self._check_width(samples)
        return samples

    def _check_width(self, X: Any) -> None:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input"
            )
