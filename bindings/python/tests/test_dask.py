"""AND on dask arrays beside AND on the same samples in memory, on schedulers within this process."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import andnmf

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


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_the_components_are_those_of_samples_in_memory(noise):
    X = samples(noise)
    here = andnmf.AND(RANK, random_state=0).fit(X)
    there = andnmf.dask.AND(RANK, random_state=0).fit(in_blocks(X))
    assert apart(there.components_, here.components_) < 1e-10
    assert there.trust_["verdict"] == here.trust_["verdict"]
    assert there.n_features_in_ == 80 and there.stop_reason_ == "converged"
    size = np.linalg.norm(X)
    assert abs(there.reconstruction_err_ - here.reconstruction_err_) < 1e-9 * size
    assert abs(there.score(in_blocks(X)) - here.score(X)) < 1e-9


def test_sparse_blocks_give_the_components_of_a_sparse_matrix():
    X = np.where(samples() > 0.01, samples(), 0)
    here = andnmf.AND(RANK, random_state=0).fit(sparse.csr_matrix(X))
    lazy = sparse_blocks(X)
    there = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    assert apart(there.components_, here.components_) < 1e-6
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


def test_transforms_are_lazy():
    looked = []

    def noticed(block):
        looked.append(len(block))
        return block

    X = samples()
    lazy = in_blocks(X).map_blocks(noticed, dtype=X.dtype, meta=np.empty((0, 0)))
    model = andnmf.dask.AND(RANK, random_state=0)
    weights = model.fit_transform(lazy)
    after_fit = len(looked)
    back = model.inverse_transform(weights)
    assert len(looked) == after_fit
    assert weights.chunks == ((100, 250, 550), (RANK,)) and weights.compute().min() >= 0
    assert apart(back.compute(), X) < 1e-9
    assert len(looked) > after_fit


def test_passes_over_the_samples_are_few():
    looked = []

    def noticed(block):
        looked.append(len(block))
        return block

    lazy = in_blocks(samples(0.01)).map_blocks(noticed, dtype=float, meta=np.empty((0, 0)))
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
    assert there["residual"] == pytest.approx(here["residual"], rel=1e-9)
    model = andnmf.dask.AND(RANK, random_state=0).fit(lazy)
    judged = andnmf.diagnose(lazy, model=model)
    beside = andnmf.diagnose(X, model=model)
    assert (judged.verdict, judged.reasons) == (beside.verdict, beside.reasons)
    assert judged["residual"] == pytest.approx(beside["residual"], rel=1e-9)


def test_the_number_of_components_is_found():
    assert andnmf.dask.AND(random_state=0).fit(in_blocks(samples())).n_components_ == RANK


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
    with pytest.raises(RuntimeError, match="the disk is gone"):
        model.fit(lazy)
    assert not hasattr(model, "components_")


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
