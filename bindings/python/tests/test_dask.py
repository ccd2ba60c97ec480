"""AND on dask arrays compared with AND in memory, with schedulers in this process."""

import pickle
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import andnmf
from andnmf import _core
from andnmf._distributed import is_dask

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import andnmf.dask  # noqa: E402

RANK = 6


def samples(noise=0.0, n=900):
    make = andnmf.datasets.make_dir
    return make(n_samples=n, n_features=80, n_components=RANK, random_state=1, noise=noise).samples


def distance(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def in_blocks(X, rows=(100, 250, 550), **kwargs):
    return da.from_array(X, chunks=(rows, X.shape[1]), **kwargs)


def sparse_blocks(X, rows=(100, 250, 550)):
    blocks = np.split(X, np.cumsum(rows)[:-1])
    lazy = [
        da.from_delayed(dask.delayed(sparse.csr_matrix)(block), block.shape, meta=sparse.csr_matrix((0, 0)))
        for block in blocks
    ]
    return da.concatenate(lazy)


# Sums in another order differ by rounding. With this noise the fit ends with many HALS iterations in single precision,
# which amplify the difference.
HALS_TOLERANCE = 1e-4


@pytest.mark.parametrize(("noise", "close"), [(0.0, 1e-10), (0.01, HALS_TOLERANCE)])
def test_the_components_are_those_of_samples_in_memory(noise, close):
    X = samples(noise)
    here = andnmf.AND(RANK, random_state=0).fit(X)
    there = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X))
    assert distance(there.components_, here.components_) < close
    assert there.trust_["verdict"] == here.trust_["verdict"]
    assert there.n_features_in_ == 80 and there.stop_reason_ == "converged"
    size = np.linalg.norm(X)
    # At the optimum, the error depends quadratically on the components.
    assert abs(there.reconstruction_err_ - here.reconstruction_err_) < max(1e-9, close**2) * size
    assert abs(there.score(in_blocks(X)) - here.score(X)) < max(1e-9, close**2)


def test_sparse_blocks_give_the_components_of_a_sparse_matrix():
    X = np.where(samples() > 0.01, samples(), 0)
    here = andnmf.AND(RANK, random_state=0).fit(sparse.csr_matrix(X))
    lazy = sparse_blocks(X)
    there = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert distance(there.components_, here.components_) < 1e-10
    assert_allclose(there.transform(lazy).compute(), there.transform(sparse.csr_matrix(X)), atol=1e-12)


def test_schedules_give_the_components_of_samples_in_memory():
    X = samples()
    settings = {"threshold": "geometric:0.1:1.1", "compress": "off", "max_stages": 30, "init": "spa"}
    here = andnmf.AND(RANK, random_state=0, **settings).fit(X)
    there = andnmf.dask.AND(RANK, random_state=0, **settings).fit(in_blocks(X))
    assert distance(there.components_, here.components_) < 1e-10
    assert there.trust_["verdict"] is None


def test_all_schedulers_give_the_same_bits():
    X = in_blocks(samples(0.01))
    components = []
    for scheduler in ["synchronous", "threads", "processes"]:
        with dask.config.set(scheduler=scheduler):
            components.append(andnmf.dask.AND(RANK, random_state=0).fit(X).components_)
    assert_array_equal(components[0], components[1])
    assert_array_equal(components[0], components[2])


def test_single_precision_is_preserved():
    X = samples().astype(np.float32)
    lazy = in_blocks(X)
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert model.components_.dtype == np.float32
    weights = model.transform(lazy)
    assert weights.dtype == np.float32 and weights.compute().dtype == np.float32
    assert distance(model.components_, andnmf.AND(RANK, random_state=0).fit(X).components_) < 1e-4


def test_features_may_be_chunked_and_block_sizes_unknown_or_zero():
    X = samples()
    expected = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X)).components_
    cut = da.from_array(X, chunks=((100, 250, 550), (30, 50)))
    model = andnmf.dask.AND(RANK, random_state=0).fit(cut)
    assert_array_equal(model.components_, expected)
    assert model.transform(cut).compute().shape == (900, RANK)
    unknown = in_blocks(X, rows=(100, 250, 500, 50))
    # Sizes of blocks are unknown after boolean indexing; the last block is empty.
    unknown = unknown[da.from_array(np.arange(900) < 850, chunks=((100, 250, 500, 50),))]
    assert np.isnan(unknown.shape[0])
    model = andnmf.dask.AND(RANK, random_state=0).fit(unknown)
    here = andnmf.AND(RANK, random_state=0).fit(X[:850])
    assert distance(model.components_, here.components_) < 1e-10
    assert model.transform(unknown).compute().shape == (850, RANK)


def recorded(X):
    """A dask array, and a list that grows with each computed block."""
    computed = []

    def record(block):
        computed.append(len(block))
        return block

    return in_blocks(X).map_blocks(record, dtype=X.dtype, meta=np.empty((0, 0))), computed


def test_transforms_are_lazy():
    X = samples()
    lazy, computed = recorded(X)
    model = andnmf.dask.AND(RANK, random_state=0)
    weights = model.fit_transform(lazy)
    after_fit = len(computed)
    back = model.inverse_transform(weights)
    assert len(computed) == after_fit
    assert weights.chunks == ((100, 250, 550), (RANK,)) and weights.compute().min() >= 0
    assert distance(back.compute(), X) < 1e-9
    assert len(computed) > after_fit


def test_passes_over_the_samples_are_few():
    lazy, computed = recorded(samples(0.01))
    with dask.config.set(scheduler="synchronous"):
        andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    # One pass to inspect the blocks, at most ten of the fit, one for the residual.
    assert len(computed) / 3 <= 12


def test_dataframes_provide_feature_names(tmp_path):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    X = samples()
    frame = pd.DataFrame(X, columns=[f"word{i}" for i in range(80)])
    frame.to_parquet(tmp_path / "samples.parquet")
    lazy = dd.read_parquet(tmp_path / "samples.parquet").repartition(npartitions=3)
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert list(model.feature_names_in_[:2]) == ["word0", "word1"]
    for call in (model.transform, model.score):
        with pytest.raises(ValueError, match="feature names should match"):
            call(lazy[lazy.columns[::-1]])
    batches = andnmf.dask.AND(RANK, random_state=0).partial_fit(lazy)
    assert list(batches.feature_names_in_[:2]) == ["word0", "word1"] and batches.n_batches_seen_ == 3
    missing = dd.from_pandas(frame.convert_dtypes(), npartitions=2)
    assert_allclose(andnmf.dask.AND(RANK, random_state=0).fit(missing).components_, model.components_, atol=1e-9)
    numbers = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    assert not hasattr(andnmf.dask.AND(RANK, random_state=0).fit(numbers), "feature_names_in_")
    weights = dd.from_pandas(pd.DataFrame(model.transform(lazy).compute()), npartitions=2)
    assert distance(model.inverse_transform(weights).compute(), X) < 1e-9
    assert distance(model.components_, andnmf.AND(RANK, random_state=0).fit(X).components_) < 1e-10
    assert model.transform(lazy).compute().shape == (900, RANK)


def test_zarr_arrays_are_accepted(tmp_path):
    pytest.importorskip("zarr")
    X = samples()
    in_blocks(X, rows=(300, 300, 300)).to_zarr(str(tmp_path / "samples.zarr"))
    lazy = da.from_zarr(str(tmp_path / "samples.zarr"))
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert distance(model.components_, andnmf.AND(RANK, random_state=0).fit(X).components_) < 1e-10


def test_initializations_and_diagnoses_equal_those_of_samples_in_memory():
    X = samples(0.01)
    lazy = in_blocks(X)
    assert_array_equal(andnmf.init.spa(lazy, 4), andnmf.init.spa(X, 4))
    assert_array_equal(
        andnmf.init.random_samples(lazy, 4, random_state=3), andnmf.init.random_samples(X, 4, random_state=3)
    )
    assert_allclose(andnmf.init.random(lazy, 4, random_state=3), andnmf.init.random(X, 4, random_state=3))
    here, there = andnmf.diagnose(X, n_components=RANK), andnmf.diagnose(lazy, n_components=RANK)
    assert there.verdict == here.verdict
    assert there["residual"] == pytest.approx(here["residual"], rel=HALS_TOLERANCE / 100)
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    judged = andnmf.diagnose(lazy, model=model)
    in_memory = andnmf.diagnose(X, model=model)
    assert (judged.verdict, judged.reasons) == (in_memory.verdict, in_memory.reasons)
    assert judged["residual"] == pytest.approx(in_memory["residual"], rel=1e-9)


def test_the_number_of_components_is_chosen_from_the_samples():
    assert andnmf.dask.AND(random_state=0).fit(in_blocks(samples())).n_components_ == RANK


@pytest.mark.parametrize("start", ["spa", "random-samples", "random", "nndsvd", "nndsvda", "nndsvdar"])
def test_every_start_equals_that_of_samples_in_memory(start):
    X = samples()
    settings = {"init": start, "random_state": 0, "max_stages": 30}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, there = andnmf.AND(RANK, **settings).fit(X), andnmf.dask.AND(RANK, **settings).fit(in_blocks(X))
    assert distance(there.components_, here.components_) < 1e-9


def test_estimators_can_be_cloned_pickled_saved_and_used_in_pipelines(tmp_path):
    lazy = in_blocks(samples())
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    weights = model.transform(lazy).compute()
    assert type(clone(model)) is andnmf.dask.AND and not hasattr(clone(model), "components_")
    assert_array_equal(pickle.loads(pickle.dumps(model)).transform(lazy).compute(), weights)
    model.save(tmp_path / "model.safetensors")
    loaded = andnmf.dask.load(tmp_path)
    assert type(loaded) is andnmf.dask.AND and loaded.trust_ == model.trust_
    assert_array_equal(loaded.transform(lazy).compute(), weights)
    piped = make_pipeline(andnmf.dask.AND(RANK, random_state=0)).fit(lazy)
    assert is_dask(piped.transform(lazy))
    assert not hasattr(model, "set_output"), "it would compute lazy results"
    with pytest.warns(UserWarning, match=r"loads into memory; use andnmf\.dask\.AND"):
        brought = andnmf.AND(RANK, random_state=0).fit(lazy)
    assert_array_equal(brought.components_, andnmf.AND(RANK, random_state=0).fit(samples()).components_)


def test_partial_fit_uses_blocks_as_batches():
    X = samples(n=2000)
    rows = (500,) * 4
    there = andnmf.dask.AND(RANK, random_state=0).partial_fit(in_blocks(X, rows))
    here = andnmf.AND(RANK, random_state=0)
    for batch in np.split(X, 4):
        here.partial_fit(batch)
    assert_array_equal(there.components_, here.components_)


def test_arrays_in_memory_give_the_same_as_the_other_estimator():
    X = samples()
    here, there = andnmf.AND(RANK, random_state=0), andnmf.dask.AND(RANK, random_state=0)
    assert_array_equal(there.fit_transform(X), here.fit_transform(X))
    assert_array_equal(there.inverse_transform(there.transform(X)), here.inverse_transform(here.transform(X)))
    assert there.score(X) == here.score(X)


def test_wrong_samples_are_rejected():
    X = samples()
    X[350, 7] = np.nan
    with pytest.raises(ValueError, match="sample 350, feature 7 is NaN"):
        andnmf.dask.AND(RANK).fit(in_blocks(X))
    X = np.where(np.isnan(X), 0, X)
    X[420, 3] = np.inf
    with pytest.raises(ValueError, match="sample 420, feature 3 is inf"):
        andnmf.dask.AND(RANK).fit(sparse_blocks(X))
    with pytest.raises(ValueError, match="real numbers"):
        andnmf.dask.AND(RANK).fit(in_blocks(samples().astype(complex)))
    with pytest.raises(ValueError, match="X must be 2-D"):
        andnmf.dask.AND(RANK).fit(da.ones(10, chunks=5))
    model = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(samples()))
    for call in (model.transform, model.score):
        with pytest.raises(ValueError, match="expecting 80 features"):
            call(da.ones((10, 79), chunks=5))
    with pytest.raises(ValueError, match="negative values"):
        andnmf.dask.AND(RANK, nonnegative=True).fit(in_blocks(samples() - 0.5))
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(in_blocks(samples()), sample_weight=np.ones(900))
    with pytest.raises(ValueError, match="batch_size"):
        andnmf.dask.AND(RANK, threshold=0.1, batch_size=20).fit(in_blocks(samples()))
    for call in (model.fit, model.transform, model.partial_fit):
        with pytest.raises(ValueError, match="real numbers"):
            dask.compute(call(in_blocks(samples().astype(complex))))
        with pytest.raises(ValueError, match="masked"):
            dask.compute(call(da.ma.masked_less(in_blocks(samples()), 0.01)))
        with pytest.raises(ValueError, match="X must be 2-D"):
            call(da.ones((4, 5, 80), chunks=2))
        with pytest.raises(TypeError, match="must be a dask array or DataFrame"):
            call(dask.delayed(samples)())
    with pytest.raises(ValueError, match="X must be 2-D"):
        model.inverse_transform(da.ones(RANK, chunks=2))


def test_errors_number_samples_across_all_blocks():
    X = samples()
    model = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X))
    before = model.components_
    X[420, 7] = np.nan
    with pytest.raises(ValueError, match="sample 420, feature 7 is NaN"):
        model.transform(in_blocks(X)).compute()
    with pytest.raises(ValueError, match="sample 420, feature 7 is NaN"):
        model.partial_fit(in_blocks(X))
    assert model.components_ is before and not hasattr(model, "n_batches_seen_")
    with pytest.raises(ValueError, match="X has no samples"):
        model.partial_fit(da.ones((0, 80)))


def test_blocks_that_change_between_computations_are_rejected():
    calls = []

    def shrinks(block):
        calls.append(1)
        return block if len(calls) < 6 else block[1:]

    X = samples()
    lazy = in_blocks(X).map_blocks(shrinks, dtype=X.dtype, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="block of 550 samples now has 549"):
        andnmf.dask.AND(RANK, random_state=0).fit(lazy)


def test_ctrl_c_interrupts_a_pass():
    """In a process of its own: the blocks take a minute, the signal comes after seconds."""
    script = """
import time, dask.array as da, numpy as np, andnmf.dask
X = da.from_array(np.random.default_rng(0).random((60, 20)), chunks=(6, 20))
slow = X.map_blocks(lambda block: time.sleep(6) or block, dtype=float, meta=np.empty((0, 0)))
model = andnmf.dask.AND(3)
print("started", flush=True)
try:
    with __import__("dask").config.set(scheduler="synchronous"):
        model.fit(slow)
except KeyboardInterrupt:
    print("stopped", hasattr(model, "components_"), flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    assert process.communicate(timeout=40)[0] == "stopped False\n"
    assert time.monotonic() - started < 20


def test_errors_of_workers_are_raised():
    calls = []

    def fails_later(block):
        calls.append(1)
        if len(calls) > 4:
            raise OSError("the disk is gone")
        return block

    X = samples()
    lazy = in_blocks(X).map_blocks(fails_later, dtype=X.dtype, meta=np.empty((0, 0)))
    model = andnmf.dask.AND(RANK, random_state=0)
    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(lazy)
    assert not hasattr(model, "components_")


def test_bytes_of_queries_are_validated():
    X = samples(n=50)
    sums, rows = _core.execute(X, 0, "sizes.f64", b"", b"", 1)
    sizes = np.frombuffer(rows).reshape(50, 2)
    assert_allclose(sizes[:, 0], X.sum(axis=1))
    assert_allclose(sizes[:, 1], np.linalg.norm(X, axis=1))
    left, right = (_core.execute(X[part], 0, "sizes.f64", b"", b"", 1) for part in (slice(0, 7), slice(7, 50)))
    assert len(_core.merge("sizes.f64", left[0], right[0])) == len(sums)
    assert left[1] + right[1] == rows
    with pytest.raises(RuntimeError, match="ends too early"):
        _core.merge("sizes.f64", sums[:-1], sums)
    with pytest.raises(RuntimeError, match="there is no query 'sizes.f32'"):
        _core.execute(X, 0, "sizes.f32", b"", b"", 1)


def test_tasks_raise_only_exceptions():
    """A panic of Rust is a BaseException, for which a cluster would wait forever."""
    unaligned = np.frombuffer(bytearray(8 * 12 + 1), dtype=np.uint8)[1:].view(float).reshape(3, 4)
    assert not unaligned.flags.aligned

    class Panic(BaseException):
        pass

    def work(fails):
        if fails:
            raise Panic("internal error")
        return fails

    from andnmf.dask._blocks import only_exceptions

    assert only_exceptions(work)(False) is False
    with pytest.raises(RuntimeError, match="Panic: internal error"):
        only_exceptions(work)(True)
    model = andnmf.dask.AND(2, random_state=0).fit(da.from_array(np.eye(4) + 1, chunks=2))
    assert model.transform(da.from_array(unaligned, chunks=(2, 4))).compute().shape == (3, 2)
