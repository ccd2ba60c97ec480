"""AND on dask arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_feature_names, check_is_fitted

import andnmf
from andnmf._base import all_or_nothing
from andnmf._distributed import is_dask
from andnmf.dask import _blocks
from andnmf.dask._samples import DaskSamples, as_array, blocks_of, is_frame

if TYPE_CHECKING:
    from typing_extensions import Self


class AND(andnmf.AND, auto_wrap_output_keys=None):
    """:class:`andnmf.AND` on dask arrays; parameters and attributes are the same, but for ``batch_size``, which must be
    None in ``fit``, ``sample_weight``, and ``set_output``, which would compute what is lazy.

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
        X = _matrix(X)
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
        residual, size = self._validated(X, reset=False).unexplained(self.components_)
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
        seen = 0
        with all_or_nothing(self):
            for batch in _batches(X):
                if batch.shape[0] == 0:
                    continue
                _blocks.refuse_wrong(_blocks.first_wrong(_blocks.joined([batch])), seen)
                super().partial_fit(batch)
                seen += batch.shape[0]
            if not seen:
                raise ValueError("there are no samples in any block; at least one is needed")
        return self

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if not is_dask(X):
            return super()._validated(X, reset=reset)
        if self.batch_size is not None:
            raise ValueError(
                f"batch_size is {self.batch_size}, but for dask arrays it must be None in fit; partial_fit takes blocks as "
                "batches"
            )
        self._check_names(X, reset=reset)
        samples = DaskSamples(X)
        if reset:
            self.n_features_in_ = samples.shape[1]
        else:
            self._check_width(samples)
        return samples

    def _check_names(self, X: Any, *, reset: bool) -> None:
        """Keeps the names of features of a DataFrame, or refuses other ones, as scikit-learn does."""
        if is_frame(X):
            _check_feature_names(self, X._meta, reset=reset)
        elif reset:
            vars(self).pop("feature_names_in_", None)

    def _check_width(self, X: Any) -> None:
        # Where dask does not know the width, the blocks will tell.
        if X.shape[1] != self.n_features_in_ and not np.isnan(X.shape[1]):
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input"
            )


def _matrix(X: Any) -> Any:
    """A dask array of rows and columns."""
    X = as_array(X)
    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns, but the dask array has shape {X.shape}")
    return X


def _batches(X: Any) -> Iterator[Any]:
    """The blocks of samples, one after the other in this process: frames with their names, or arrays."""
    if is_frame(X):
        yield from (part.compute() for part in X.to_delayed())
    else:
        yield from (_blocks.joined([part.compute() for part in parts]) for parts in blocks_of(X))


def load(path: Any) -> AND:
    """An estimator for dask arrays from a model file, be it saved by this one, by :class:`andnmf.AND` or by the command.

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
    found = andnmf.load(path)
    if type(found) is not andnmf.AND:
        raise TypeError(f"{path} holds a model of {type(found).__name__}, but only AND is there for dask arrays")
    model = AND(**found.get_params())
    vars(model).update(vars(found))
    return model
