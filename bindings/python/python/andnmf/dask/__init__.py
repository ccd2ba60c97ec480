"""AND on dask: samples that are larger than the memory of a machine, on any dask scheduler.

The samples stay where their blocks are. The components (or directions) of a stage go out to the workers, each block is
folded there by the compiled library on one thread, and the sums are added up along a tree that depends on the blocks
alone: whichever worker is faster, slower, lost or new, the components have the same bits. Small systems are solved by the
process that called ``fit``, which also holds the projected samples (samples × about ``n_components + 10`` values).

>>> import dask.array as da
>>> import andnmf.dask
>>> data = andnmf.datasets.make_paired(n_samples=600, n_features=60, n_components=6, random_state=0)
>>> X = da.from_array(data.samples, chunks=(200, 60))
>>> model = andnmf.dask.AND(n_components=6, random_state=0).fit(X)
>>> andnmf.metrics.correlation_error(model.components_, data.truth) < 1e-6
True
>>> model.transform(X)
dask.array<weights, shape=(600, 6), dtype=float64, chunksize=(200, 6), chunktype=numpy.ndarray>

:func:`andnmf.diagnose` and the functions of :mod:`andnmf.init` take dask arrays, too, and leave them where they are.
"""

from andnmf.dask._estimator import AND, load
from andnmf.dask._samples import DaskSamples

__all__ = ["AND", "DaskSamples", "load"]
