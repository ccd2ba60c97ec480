"""Accepted samples, and that they are read in place."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import same_bits
from scipy import sparse
from sklearn.utils import get_tags

import andnmf
from andnmf import AND, HALS, OnlineLDA


def fitted(samples, **settings):
    return AND(n_components=6, random_state=0, **settings).fit(samples)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_preserved(data, dtype):
    samples = data.samples.astype(dtype)
    model = fitted(samples)
    assert model.components_.dtype == dtype and model.transform(samples).dtype == dtype
    assert np.dtype(dtype).name in get_tags(model).transformer_tags.preserves_dtype
    assert andnmf.metrics.correlation_error(model.components_, data.truth) < (1e-3 if dtype == np.float32 else 1e-6)


def test_other_numbers_are_converted_to_float64(data):
    whole = np.round(data.samples * 1000)
    expected = fitted(whole).components_
    for other in (whole.astype(np.int32), whole.astype(np.uint16), whole.astype(">f8"), whole.tolist()):
        assert same_bits(fitted(other).components_, expected)


@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda samples: np.repeat(samples, 2, axis=0)[::2],
        lambda samples: np.repeat(samples, 2, axis=1)[:, ::2],
        lambda samples: samples[::-1].copy()[::-1],
    ],
    ids=["column order", "every second row", "every second column", "backwards"],
)
def test_memory_order_does_not_matter(data, layout):
    other = layout(data.samples)
    model = fitted(other)
    assert same_bits(model.components_, fitted(data.samples).components_)
    assert same_bits(model.transform(other), model.transform(data.samples))


def test_unaligned_memory_is_accepted(data):
    raw = np.zeros(data.samples.nbytes + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64).reshape(data.samples.shape)
    unaligned[:] = data.samples
    assert not unaligned.flags.aligned
    assert same_bits(fitted(unaligned).components_, fitted(data.samples).components_)


def test_read_only_and_memory_mapped_samples_are_accepted(data, tmp_path):
    assert not data.samples.flags.writeable
    np.save(tmp_path / "samples.npy", data.samples)
    mapped = np.load(tmp_path / "samples.npy", mmap_mode="r")
    assert same_bits(fitted(mapped).components_, fitted(data.samples).components_)


@pytest.mark.parametrize("form", ["csr_array", "csr_matrix", "csc_array", "coo_array", "lil_array"])
def test_all_sparse_formats_give_the_same_result(data, form):
    expected = fitted(sparse.csr_array(data.samples))
    model = fitted(getattr(sparse, form)(data.samples))
    assert same_bits(model.components_, expected.components_)
    # Sums over stored values alone are rounded differently.
    assert np.allclose(model.transform(data.samples), expected.transform(sparse.csr_array(data.samples)), atol=1e-9)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_both_index_types_are_accepted(data, index):
    samples = sparse.csr_array(data.samples)
    samples.indices, samples.indptr = samples.indices.astype(index), samples.indptr.astype(index)
    assert same_bits(fitted(samples).components_, fitted(sparse.csr_array(data.samples)).components_)


def test_values_stored_twice_count_as_their_sum(data):
    once = sparse.csr_array(data.samples)
    halves = sparse.csr_array((np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), once.indptr * 2), once.shape)
    assert not halves.has_canonical_format
    assert np.allclose(fitted(halves).components_, fitted(once).components_)


def test_sparse_samples_are_never_made_dense():
    # As a dense matrix these would take 240 GB.
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(3000, size=30_000), rng.integers(10_000_000, size=30_000)
    samples = sparse.csr_array((np.ones(30_000), (rows, columns)), shape=(3000, 10_000_000))
    model = OnlineLDA(n_components=2, max_stages=1, random_state=0).fit(samples)
    assert model.transform(samples).shape == (3000, 2)


MEMORY = """
import pathlib, sys
import numpy as np
import andnmf

def peak():
    # Of this process alone; getrusage may report the parent's peak.
    return 1024 * int(pathlib.Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])

samples = np.random.default_rng(0).random((16000, 1000), dtype=np.float32)
andnmf.AND(n_components=2, random_state=0, max_stages=3).fit(samples[:200])
before = peak()
model = andnmf.AND(n_components=2, random_state=0, max_stages=3, n_jobs=2)
model.fit(samples)
model.transform(samples)
print((peak() - before) / samples.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory peak from /proc")
def test_dense_samples_are_not_copied():
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", MEMORY], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 0.5, "of the size of the samples"


def test_errors_name_the_position_of_non_finite_values(kind):
    for samples in (np.ones((5, 4)), sparse.csr_array(np.ones((5, 4)))):
        samples[3, 2] = np.nan
        with pytest.raises(ValueError, match="sample 3, feature 2 is NaN"):
            kind(n_components=2).fit(samples)


def test_new_samples_are_checked_too(data):
    model = fitted(data.samples)
    wrong = data.samples.copy()
    wrong[7, 5] = np.inf
    with pytest.raises(ValueError, match="sample 7, feature 5 is inf"):
        model.transform(wrong)


def test_samples_must_be_a_matrix_of_numbers(kind):
    for wrong, message in [(np.ones(4), "1D array"), (np.ones((2, 2, 2)), "must be a matrix"), (np.ones((0, 3)), "0 sample")]:
        with pytest.raises(ValueError, match=message):
            kind(n_components=1).fit(wrong)


def test_methods_that_need_non_negative_samples_reject_negative_ones():
    samples = np.array([[1.0, 2.0], [3.0, -4.0]])
    with pytest.raises(ValueError, match="Negative values in data: sample 1, feature 1 is -4"):
        OnlineLDA(n_components=1).fit(samples)
    with pytest.raises(ValueError, match="Negative values in data"):
        HALS(n_components=1, init="nndsvd").fit(samples)
    with pytest.raises(ValueError, match="nonnegative is True, but X has negative values"):
        AND(n_components=1, nonnegative=True).fit(samples)


def test_a_fit_starts_from_the_given_components(data):
    one = {"threshold": 0.1, "max_stages": 1, "random_state": 0}
    model = AND(n_components=6, init=data.init, **one).fit(data.samples)
    again = AND(n_components=6, init=data.init.astype(np.float32).tolist(), **one).fit(data.samples)
    assert np.allclose(model.components_, again.components_, atol=1e-5)
    other = AND(n_components=6, init=data.truth, **one).fit(data.samples)
    assert not np.allclose(model.components_, other.components_, atol=1e-3)
    with pytest.raises(ValueError, match="the start must be 6 × 60"):
        AND(n_components=6, init=data.init[:5]).fit(data.samples)
