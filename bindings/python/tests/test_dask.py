"""AND on dask arrays beside AND on the same samples in memory, on schedulers within this process."""

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


def apart(a, b):
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


# Sums in another order differ in their last digits. Under this noise the fit ends by a long run of HALS, which is in single
# precision and carries such differences on.
BY_HALS = 1e-4


@pytest.mark.parametrize(("noise", "close"), [(0.0, 1e-10), (0.01, BY_HALS)])
def test_the_components_are_those_of_samples_in_memory(noise, close):
    X = samples(noise)
    here = andnmf.AND(RANK, random_state=0).fit(X)
    there = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X))
    assert apart(there.components_, here.components_) < close
    assert there.trust_["verdict"] == here.trust_["verdict"]
    assert there.n_features_in_ == 80 and there.stop_reason_ == "converged"
    size = np.linalg.norm(X)
    # What fits best hardly fits worse beside it.
    assert abs(there.reconstruction_err_ - here.reconstruction_err_) < max(1e-9, close**2) * size
    assert abs(there.score(in_blocks(X)) - here.score(X)) < max(1e-9, close**2)


def test_sparse_blocks_give_the_components_of_a_sparse_matrix():
    X = np.where(samples() > 0.01, samples(), 0)
    here = andnmf.AND(RANK, random_state=0).fit(sparse.csr_matrix(X))
    lazy = sparse_blocks(X)
    there = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert apart(there.components_, here.components_) < 1e-10
    assert_allclose(there.transform(lazy).compute(), there.transform(sparse.csr_matrix(X)), atol=1e-12)


def test_schedules_need_nothing_of_the_size_of_the_samples():
    X = samples()
    settings = {"threshold": "geometric:0.1:1.1", "compress": "off", "max_stages": 30, "init": "spa"}
    here = andnmf.AND(RANK, random_state=0, **settings).fit(X)
    there = andnmf.dask.AND(RANK, random_state=0, **settings).fit(in_blocks(X))
    assert apart(there.components_, here.components_) < 1e-10
    assert there.trust_ is None


def test_the_scheduler_decides_no_bit():
    X = in_blocks(samples(0.01))
    found = []
    for scheduler in ["synchronous", "threads", "processes"]:
        with dask.config.set(scheduler=scheduler):
            found.append(andnmf.dask.AND(RANK, random_state=0).fit(X).components_)
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


def test_single_precision_stays_single():
    X = samples().astype(np.float32)
    lazy = in_blocks(X)
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert model.components_.dtype == np.float32
    weights = model.transform(lazy)
    assert weights.dtype == np.float32 and weights.compute().dtype == np.float32
    assert apart(model.components_, andnmf.AND(RANK, random_state=0).fit(X).components_) < 1e-4


def test_features_may_be_cut_and_rows_unknown_and_blocks_empty():
    X = samples()
    expected = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X)).components_
    cut = da.from_array(X, chunks=((100, 250, 550), (30, 50)))
    model = andnmf.dask.AND(RANK, random_state=0).fit(cut)
    assert_array_equal(model.components_, expected)
    assert model.transform(cut).compute().shape == (900, RANK)
    unknown = in_blocks(X, rows=(100, 250, 500, 50))
    # Which samples are left is only known once they are looked at: none of the last block.
    unknown = unknown[da.from_array(np.arange(900) < 850, chunks=((100, 250, 500, 50),))]
    assert np.isnan(unknown.shape[0])
    model = andnmf.dask.AND(RANK, random_state=0).fit(unknown)
    here = andnmf.AND(RANK, random_state=0).fit(X[:850])
    assert apart(model.components_, here.components_) < 1e-10
    assert model.transform(unknown).compute().shape == (850, RANK)


def watched(X):
    """A dask array, and a list that grows by each block that is computed."""
    looked = []

    def noticed(block):
        looked.append(len(block))
        return block

    return in_blocks(X).map_blocks(noticed, dtype=X.dtype, meta=np.empty((0, 0))), looked


def test_transforms_are_lazy():
    X = samples()
    lazy, looked = watched(X)
    model = andnmf.dask.AND(RANK, random_state=0)
    weights = model.fit_transform(lazy)
    after_fit = len(looked)
    back = model.inverse_transform(weights)
    assert len(looked) == after_fit
    assert weights.chunks == ((100, 250, 550), (RANK,)) and weights.compute().min() >= 0
    assert apart(back.compute(), X) < 1e-9
    assert len(looked) > after_fit


def test_passes_over_the_samples_are_few():
    lazy, looked = watched(samples(0.01))
    with dask.config.set(scheduler="synchronous"):
        andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    # A look through all blocks at the beginning, at most ten passes, and what the components leave.
    assert len(looked) / 3 <= 12


def test_dataframes_bring_their_names(tmp_path):
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
    assert apart(model.inverse_transform(weights).compute(), X) < 1e-9
    assert apart(model.components_, andnmf.AND(RANK, random_state=0).fit(X).components_) < 1e-10
    assert model.transform(lazy).compute().shape == (900, RANK)


def test_zarr(tmp_path):
    pytest.importorskip("zarr")
    X = samples()
    in_blocks(X, rows=(300, 300, 300)).to_zarr(str(tmp_path / "samples.zarr"))
    lazy = da.from_zarr(str(tmp_path / "samples.zarr"))
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert apart(model.components_, andnmf.AND(RANK, random_state=0).fit(X).components_) < 1e-10


def test_starts_and_diagnoses_leave_samples_where_they_are():
    X = samples(0.01)
    lazy = in_blocks(X)
    assert_array_equal(andnmf.init.spa(lazy, 4), andnmf.init.spa(X, 4))
    assert_array_equal(
        andnmf.init.random_samples(lazy, 4, random_state=3), andnmf.init.random_samples(X, 4, random_state=3)
    )
    assert_allclose(andnmf.init.random(lazy, 4, random_state=3), andnmf.init.random(X, 4, random_state=3))
    here, there = andnmf.diagnose(X, n_components=RANK), andnmf.diagnose(lazy, n_components=RANK)
    assert there.verdict == here.verdict
    assert there["residual"] == pytest.approx(here["residual"], rel=BY_HALS / 100)
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    judged = andnmf.diagnose(lazy, model=model)
    beside = andnmf.diagnose(X, model=model)
    assert (judged.verdict, judged.reasons) == (beside.verdict, beside.reasons)
    assert judged["residual"] == pytest.approx(beside["residual"], rel=1e-9)


def test_the_number_of_components_is_found():
    assert andnmf.dask.AND(random_state=0).fit(in_blocks(samples())).n_components_ == RANK


@pytest.mark.parametrize("start", ["spa", "random-samples", "random", "nndsvd", "nndsvda", "nndsvdar"])
def test_every_start_by_name(start):
    X = samples()
    settings = {"init": start, "random_state": 0, "max_stages": 30}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, there = andnmf.AND(RANK, **settings).fit(X), andnmf.dask.AND(RANK, **settings).fit(in_blocks(X))
    assert apart(there.components_, here.components_) < 1e-9


def test_estimators_are_copied_kept_and_put_into_pipelines(tmp_path):
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
    assert not hasattr(model, "set_output"), "it would compute what is lazy"
    with pytest.warns(UserWarning, match=r"andnmf\.dask\.AND leaves it"):
        brought = andnmf.AND(RANK, random_state=0).fit(lazy)
    assert_array_equal(brought.components_, andnmf.AND(RANK, random_state=0).fit(samples()).components_)


def test_batches_are_blocks():
    X = samples(n=2000)
    rows = (500,) * 4
    there = andnmf.dask.AND(RANK, random_state=0).partial_fit(in_blocks(X, rows))
    here = andnmf.AND(RANK, random_state=0)
    for batch in np.split(X, 4):
        here.partial_fit(batch)
    assert_array_equal(there.components_, here.components_)


def test_arrays_in_memory_are_fitted_as_ever():
    X = samples()
    here, there = andnmf.AND(RANK, random_state=0), andnmf.dask.AND(RANK, random_state=0)
    assert_array_equal(there.fit_transform(X), here.fit_transform(X))
    assert_array_equal(there.inverse_transform(there.transform(X)), here.inverse_transform(here.transform(X)))
    assert there.score(X) == here.score(X)


def test_what_is_wrong_is_said_with_its_place():
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
    with pytest.raises(ValueError, match="rows and columns"):
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
        with pytest.raises(ValueError, match="rows and columns"):
            call(da.ones((4, 5, 80), chunks=2))
        with pytest.raises(TypeError, match="dask array or DataFrame"):
            call(dask.delayed(samples)())
    with pytest.raises(ValueError, match="rows and columns"):
        model.inverse_transform(da.ones(RANK, chunks=2))


def test_the_place_of_a_wrong_value_is_that_among_all_samples():
    X = samples()
    model = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X))
    before = model.components_
    X[420, 7] = np.nan
    with pytest.raises(ValueError, match="sample 420, feature 7 is NaN"):
        model.transform(in_blocks(X)).compute()
    with pytest.raises(ValueError, match="sample 420, feature 7 is NaN"):
        model.partial_fit(in_blocks(X))
    assert model.components_ is before and not hasattr(model, "n_batches_seen_")
    with pytest.raises(ValueError, match="no samples"):
        model.partial_fit(da.ones((0, 80)))


def test_blocks_that_change_are_refused():
    calls = []

    def shrinks(block):
        calls.append(1)
        return block if len(calls) < 6 else block[1:]

    X = samples()
    lazy = in_blocks(X).map_blocks(shrinks, dtype=X.dtype, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="block of 550 samples has 549 by now"):
        andnmf.dask.AND(RANK, random_state=0).fit(lazy)


def test_ctrl_c_ends_a_pass():
    """In a process of its own: the blocks take a minute, the signal comes after seconds."""
    script = """
import time, dask.array as da, numpy as np, andnmf.dask
X = da.from_array(np.random.default_rng(0).random((60, 20)), chunks=(6, 20))
slow = X.map_blocks(lambda block: time.sleep(6) or block, dtype=float, meta=np.empty((0, 0)))
model = andnmf.dask.AND(3)
print("begun", flush=True)
try:
    with __import__("dask").config.set(scheduler="synchronous"):
        model.fit(slow)
except KeyboardInterrupt:
    print("stopped", hasattr(model, "components_"), flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.communicate(timeout=40)[0] == "stopped False\n"
    assert time.monotonic() - began < 20


def test_errors_of_workers_are_told():
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


def test_queries_are_bytes_that_are_checked():
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


def test_tasks_end_in_exceptions_and_nothing_else():
    """As of a panic, which is none of Python's and for which a cluster would wait for ever."""
    unaligned = np.frombuffer(bytearray(8 * 12 + 1), dtype=np.uint8)[1:].view(float).reshape(3, 4)
    assert not unaligned.flags.aligned

    class Panic(BaseException):
        pass

    def work(fails):
        if fails:
            raise Panic("out of all order")
        return fails

    from andnmf.dask._blocks import ordinary

    assert ordinary(work)(False) is False
    with pytest.raises(RuntimeError, match="Panic: out of all order"):
        ordinary(work)(True)
    model = andnmf.dask.AND(2, random_state=0).fit(da.from_array(np.eye(4) + 1, chunks=2))
    assert model.transform(da.from_array(unaligned, chunks=(2, 4))).compute().shape == (3, 2)
