"""Distributed AND on dask, for samples larger than memory, with any dask scheduler.

Samples stay on the workers. In each stage the workers receive the components and process their blocks on one thread
each; the sums are merged along a tree that depends on the blocks alone, so slow, lost or added workers do not change a
bit of the result. The process that calls ``fit`` solves the small systems and holds the projected samples (n_samples ×
about ``n_components + 10`` values).

>>> import dask.array as da
>>> import andnmf.dask
>>> data = andnmf.datasets.make_paired(n_samples=600, n_features=60, n_components=6, random_state=0)
>>> X = da.from_array(data.samples, chunks=(200, 60))
>>> model = andnmf.dask.AND(n_components=6, random_state=0).fit(X)
>>> andnmf.metrics.correlation_error(model.components_, data.truth) < 1e-6
True
>>> model.transform(X)
dask.array<weights, shape=(600, 6), dtype=float64, chunksize=(200, 6), chunktype=numpy.ndarray>

:func:`andnmf.diagnose` and the functions of :mod:`andnmf.init` accept dask arrays as well.
"""

from andnmf.dask._estimator import AND, load
from andnmf.dask._samples import DaskSamples

__all__ = ["AND", "DaskSamples", "load"]
