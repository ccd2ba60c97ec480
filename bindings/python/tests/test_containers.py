"""Objects that hold samples: recognized, or refused at once."""

import sys
import types

import numpy as np
import pytest
from conftest import same_bits
from scipy import sparse

from andnmf import AND, nnls, suggest_rank

NAMES = [f"gene {j}" for j in range(60)]


def fitted(X):
    return AND(6, random_state=0).fit(X)


@pytest.fixture
def annotated(monkeypatch):
    """A stand-in for AnnData, which need not be installed: iterating over it never ends."""
    module = types.ModuleType("anndata")

    class AnnData:
        def __init__(self, X, var_names, obs_names=None):
            self.X, self.var_names = X, np.array(var_names, dtype=object)
            self.obs_names = obs_names or [f"cell {i}" for i in range(X.shape[0])]

        def __getitem__(self, index):
            return self

        def __len__(self):
            return 10**9

    AnnData.__module__ = "anndata"
    module.AnnData = AnnData
    monkeypatch.setitem(sys.modules, "anndata", module)
    return AnnData


def test_annotated_data_are_their_matrix_with_names(data, annotated):
    expected = fitted(data.samples)
    model = fitted(annotated(data.samples, NAMES))
    assert same_bits(model.components_, expected.components_) and list(model.feature_names_in_) == NAMES
    turned = annotated(np.hstack([data.samples[:, ::-1], np.ones((600, 1))]), [*NAMES[::-1], "other"])
    assert same_bits(model.transform(turned), model.transform(annotated(data.samples, NAMES)))
    frame = model.to_frame(turned)
    assert frame.index[:2].tolist() == ["cell 0", "cell 1"]
    of_sparse = fitted(annotated(sparse.csr_matrix(data.samples), NAMES))
    assert np.allclose(of_sparse.transform(annotated(sparse.csc_matrix(data.samples), NAMES)).sum(), expected.transform(data.samples).sum())
    with pytest.raises(ValueError, match="lacks features of the model: gene 59"):
        model.transform(annotated(data.samples[:, :59], NAMES[:59]))


def test_real_annotated_data_fit(data):
    anndata, pandas = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    cells = anndata.AnnData(sparse.csr_matrix(data.samples), var=pandas.DataFrame(index=NAMES))
    assert list(fitted(cells).feature_names_in_) == NAMES


def test_masked_arrays_are_refused_if_values_are_masked(data):
    masked = np.ma.MaskedArray(data.samples, mask=np.zeros_like(data.samples, dtype=bool))
    assert same_bits(fitted(masked).components_, fitted(data.samples).components_)
    masked.mask[3, 4] = True
    for work in (fitted, lambda X: nnls(X, data.truth), suggest_rank):
        with pytest.raises(ValueError, match="X is a masked array with 1 of 36000 values masked; fill them"):
            work(masked)


def test_lazy_frames_are_collected(data):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(data.samples, schema=NAMES)
    assert same_bits(fitted(frame.lazy()).components_, fitted(frame).components_)
    assert list(fitted(frame.lazy()).feature_names_in_) == NAMES


def test_data_arrays_have_names(data):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(data.samples, dims=("cell", "gene"), coords={"gene": NAMES})
    model = fitted(array)
    assert list(model.feature_names_in_) == NAMES and same_bits(model.transform(array), model.transform(array[:, ::-1]))
    with pytest.raises(ValueError, match="DataArray with the dimensions cell, gene, band"):
        fitted(array.expand_dims({"band": 2}, axis=2))
    with pytest.raises(TypeError, match="xarray Dataset; pass one of its variables"):
        fitted(array.to_dataset(name="counts"))


def test_a_cube_is_refused_with_the_shape_to_use(data):
    cube = data.samples.reshape(20, 30, 60)
    with pytest.raises(ValueError, match=r"X has the shape \(20, 30, 60\).*X.reshape\(-1, 60\)"):
        fitted(cube)
    assert same_bits(fitted(cube.reshape(-1, 60)).components_, fitted(data.samples).components_)


def test_arrays_of_other_libraries_are_read(data):
    strict = pytest.importorskip("array_api_strict")
    assert same_bits(fitted(strict.asarray(data.samples)).components_, fitted(data.samples).components_)


def test_other_objects_are_refused_at_once():
    class Endless:
        def __getitem__(self, index):
            return self

        def __len__(self):
            return 10**9

    for wrong in (Endless(), 3, None, {"a": 1}, iter([[1.0]])):
        with pytest.raises((TypeError, ValueError), match="must be a matrix of samples|Expected 2D|NoneType"):
            fitted(wrong)
