"""Scripts for scikit-learn's NMF run with the estimators of this package."""

import warnings

import numpy as np
import pytest
from conftest import same_bits
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import andnmf
from andnmf import AND, ANLS, HALS, MU, init
from andnmf._input import frobenius_norm
from andnmf.metrics import correlation_error


@pytest.mark.parametrize("name", ["random", "random_samples", "nndsvd", "nndsvda", "nndsvdar", "spa", None])
def test_every_init_of_nmf_is_accepted(data, name):
    model = AND(n_components=6, init=name, random_state=0).fit(data.samples)
    assert correlation_error(model, data.truth) < 1e-6
    batches = AND(n_components=6, init=name, threshold=0.05, random_state=0).partial_fit(data.samples)
    assert batches.components_.shape == (6, 60)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("random", lambda X: init.random(X, 3, random_state=4)),
        ("random_samples", lambda X: init.random_samples(X, 3, random_state=4)),
        ("nndsvda", lambda X: init.nndsvd(X, 3, fill="mean", random_state=4)),
        ("nndsvdar", lambda X: init.nndsvd(X, 3, fill="random", random_state=4)),
    ],
)
def test_a_named_start_equals_that_of_its_function(data, name, start):
    def fitted(start):
        return HALS(3, init=start, max_stages=2, compress="off", random_state=4).fit(data.samples).components_

    assert same_bits(fitted(name), fitted(start(data.samples)))


def test_random_starts_have_the_scale_of_those_of_nmf():
    samples = np.random.default_rng(0).random((50, 4000)) * 7
    sizes = init.random(samples, 4, random_state=0).mean(), init.random(sparse.csr_array(samples), 4).mean()
    expected = np.sqrt(samples.mean() / 4) * np.sqrt(2 / np.pi)
    assert np.allclose(sizes, expected, rtol=0.03)
    assert init.random(samples, 4).min() >= 0 and init.random(np.zeros((3, 5)), 2).max() > 0
    narrow = init.nndsvd(samples, 3, fill="random", random_state=0)
    assert narrow.min() > 0 and (narrow < 0.01 * samples.mean()).any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_n_components_auto_equals_none(data):
    assert AND("auto", random_state=0).fit(data.samples).n_components_ == 6
    noise = np.random.default_rng(0).random((30, 8))
    with pytest.warns(UserWarning, match="n_components is 'auto', but the samples do not determine") as caught:
        AND("auto", random_state=0).fit(noise)
    assert "table" not in str(caught[0].message)
    with pytest.raises(TypeError, match="must be an integer, or None to choose it from the samples"):
        AND("some").fit(data.samples)


@pytest.mark.parametrize("n_components", ["auto", None])
def test_init_determines_the_number_of_components(data, n_components):
    assert AND(n_components, init=data.init[:4], random_state=0).fit(data.samples).n_components_ == 4


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_inverse_transform_accepts_sparse_weights(data, form):
    model = AND(6, random_state=0)
    weights = model.fit_transform(data.samples)
    again = model.inverse_transform(form(weights))
    assert type(again) is np.ndarray and np.allclose(again, model.inverse_transform(weights))
    with pytest.raises(ValueError, match="X has 3 columns, but it must have 6, one per component"):
        model.inverse_transform(form(weights[:, :3]))


@pytest.mark.parametrize("kind", [HALS, ANLS, MU])
@pytest.mark.parametrize("start", ["auto", "random-samples", "random"])
def test_samples_without_a_positive_value_are_rejected(kind, start):
    below = -np.random.default_rng(0).random((20, 6))
    for samples in (below, sparse.csr_array(below)):
        with pytest.raises(ValueError, match="no value is above zero"):
            kind(2, init=start).fit(samples)
    assert kind(2, nonnegative=False, max_stages=500, tol=1e-3, random_state=0).fit(below).score(below) > 0.5
    assert kind(2).fit(np.zeros((5, 3))).components_.shape == (2, 3)


def warnings_of(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return {(warning.category, warning.filename) for warning in caught}


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_warnings_point_to_the_users_line(data, method):
    few = {"max_stages": 2, "tol": 0, "random_state": 0}
    alone = getattr(HALS(3, **few), method)
    expected = {(ConvergenceWarning, __file__)}
    assert warnings_of(lambda: alone(data.samples)) == expected
    pipeline = make_pipeline(FunctionTransformer(), HALS(3, **few))
    assert warnings_of(lambda: getattr(pipeline, method)(data.samples)) == expected
    noise = np.random.default_rng(0).random((30, 8))
    assert (UserWarning, __file__) in warnings_of(lambda: getattr(HALS(**few), method)(noise))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_reconstruction_error_does_not_overflow_or_underflow(data):
    """Squares of these samples are outside the range of single precision."""
    noisy = data.samples + 1e-3 * np.random.default_rng(0).random(data.samples.shape)
    for size, values in [(1e20, data.samples), (1e-30, data.samples), (1e15, noisy), (1.0, noisy)]:
        samples = (values * size).astype(np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            model = AND(6, random_state=0).fit(samples)
        residual = samples.astype(float) - model.transform(samples).astype(float) @ model.components_.astype(float)
        # Without noise the residual is rounding, to which products in single precision add.
        near = 1e-2 if values is noisy else 5e-2
        assert np.isclose(model.reconstruction_err_ / size, np.linalg.norm(residual / size), rtol=near)
        assert model.reconstruction_err_ > 1e-9 * size
    assert np.isclose(frobenius_norm(sparse.csr_array(noisy * 1e200)), 1e200 * np.linalg.norm(noisy))
    assert np.isclose(frobenius_norm(np.asfortranarray(noisy) * -1e-200), 1e-200 * np.linalg.norm(noisy))


def test_scores_with_sample_weights_work_with_scipy_1_10(data, monkeypatch):
    for name in ("diags_array", "eye_array", "block_array", "random_array"):
        monkeypatch.delattr(sparse, name, raising=False)
    model = AND(3, random_state=0).fit(data.samples)
    count = np.arange(600) % 3
    for form in (sparse.csr_array, sparse.csr_matrix):
        score = model.score(form(data.samples), sample_weight=count)
        assert np.isclose(score, model.score(data.samples, sample_weight=count))
    with pytest.raises(ValueError, match="sample_weight is zero for every sample"):
        model.score(data.samples, sample_weight=np.zeros(600))


def test_zero_samples_have_a_verdict(tmp_path):
    model = AND(3, random_state=0).fit(np.zeros((20, 5)))
    reason = model.trust_["reasons"][0]
    assert model.trust_["verdict"] == "poor" and reason["code"] == "zero-samples"
    assert "all samples are zero" in reason["text"] and reason["advice"] and reason["components"] == []
    assert model.stability_.tolist() == [1.0] * 3 and model.reconstruction_err_ == 0
    model.save(tmp_path / "model.safetensors")
    assert andnmf.load(tmp_path).trust_ == model.trust_


def test_a_fit_that_was_stopped_has_a_verdict(data):
    model = AND(6, init=data.init, time_limit=1e-9, random_state=0)
    try:
        model.fit(data.samples)
    except ValueError as error:
        assert "increase time_limit" in str(error)
        pytest.skip("the fit had no components yet")
    assert model.stop_reason_ == "time_limit"
    assert model.trust_["verdict"] == "poor" and model.trust_["reasons"][0]["code"] == "stopped"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_and_has_all_fitted_attributes_of_nmf(data):
    names = {name for name in vars(NMF(6).fit(data.samples)) if name.endswith("_")}
    assert names <= {name for name in vars(AND(6).fit(data.samples)) if name.endswith("_")}
