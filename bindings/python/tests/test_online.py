"""Online fits: samples arrive in batches."""

import numpy as np
import pytest
from conftest import same_bits
from scipy import sparse

import andnmf
from andnmf import AND
from andnmf.datasets import make_ctm, make_neg
from andnmf.metrics import correlation_error


def batches(samples, size=100):
    return [samples[start : start + size] for start in range(0, samples.shape[0], size)]


@pytest.fixture(scope="module")
def stream():
    return make_ctm(n_samples=8000, n_features=60, n_components=6, random_state=1)


def test_a_given_start_converges_to_the_truth(stream):
    model = AND(n_components=6, init=stream.init, random_state=0)
    errors = []
    for batch in batches(stream.samples):
        model.partial_fit(batch)
        errors.append(correlation_error(model.components_, stream.truth))
    assert errors[-1] < 0.1 * correlation_error(stream.init, stream.truth) and errors[-1] < errors[20]
    assert model.n_batches_seen_ == model.n_iter_ == len(errors) == 80
    assert {len(column) for column in model.trace_.values()} == {80}


def test_further_batches_do_not_degrade_the_start_of_the_first(stream):
    model = AND(n_components=6, random_state=0)
    for batch in batches(stream.samples, 500):
        model.partial_fit(batch)
    assert correlation_error(model.components_, stream.truth) < 1e-6
    assert model.transform(stream.samples).min() >= 0 and model.score(stream.samples) > 1 - 1e-9


def test_thresholds_decrease_from_batch_to_batch(stream):
    model = AND(n_components=6, init=stream.init, random_state=0)
    for batch in batches(stream.samples)[:10]:
        model.partial_fit(batch)
    thresholds = model.trace_["threshold_min"]
    assert (np.diff(thresholds) < 0).all()
    assert np.isclose(thresholds[0], 0.1) and list(model.trace_["stage"]) == list(range(10))


def test_each_batch_is_one_step_of_the_schedule(stream):
    def thresholds(threshold):
        model = AND(n_components=6, init=stream.init, threshold=threshold, random_state=0)
        for batch in batches(stream.samples)[:4]:
            model.partial_fit(batch)
        return list(model.trace_["threshold_min"])

    assert np.allclose(thresholds("geometric:0.4:2:0.15"), [0.4, 0.2, 0.15, 0.15])
    assert np.allclose(thresholds([0.3, 0.1]), [0.3, 0.1, 0.1, 0.1])
    assert np.allclose(thresholds(0.7), 0.7)
    with pytest.raises(ValueError, match="samples of all stages"):
        thresholds("theory:1:1:1")


def test_a_batch_of_all_samples_equals_one_stage_of_fit(stream):
    settings = {"n_components": 6, "init": stream.init, "threshold": 0.1, "batch_size": 50, "random_state": 3}
    whole = AND(**settings, max_stages=1, compress="off").fit(stream.samples)
    assert same_bits(AND(**settings).partial_fit(stream.samples).components_, whole.components_)


def test_batches_can_continue_a_fit_and_a_new_fit_resets_them(stream):
    model = AND(n_components=6, random_state=0).fit(stream.samples[:1000])
    whole = model.components_.copy()
    model.partial_fit(stream.samples[1000:1500])
    assert model.n_batches_seen_ == 1 and model.trust_["verdict"] is None
    assert correlation_error(model.components_, stream.truth) < 1e-6
    model.fit(stream.samples[:1000])
    assert not hasattr(model, "n_batches_seen_") and same_bits(model.components_, whole)


def error_of(model, samples):
    return np.linalg.norm(samples - model.inverse_transform(model.transform(samples)))


@pytest.mark.parametrize("first_method", ["fit", "partial_fit"])
def test_the_trace_continues_from_batch_to_batch(stream, first_method):
    noisy = stream.samples + 0.01 * np.random.default_rng(0).random(stream.samples.shape)
    model = getattr(AND(n_components=6, random_state=0), first_method)(noisy[:500])
    before = model.trace_
    assert np.isclose(model.reconstruction_err_, error_of(model, noisy[:500])) and model.reconstruction_err_ > 0.1
    for batch in batches(noisy[500:800]):
        model.partial_fit(batch)
        assert np.isclose(model.reconstruction_err_, error_of(model, batch))
    assert model.n_iter_ == len(before["stage"]) + 3 == len(model.trace_["seconds"])
    assert np.array_equal(model.trace_["stage"], np.arange(model.n_iter_)) and len(before["stage"]) > 10
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    assert np.array_equal(model.trace_["change"][:-3], before["change"])


def test_batch_size_can_be_set_for_partial_fit(stream, tmp_path):
    def fitted(**size):
        model = AND(n_components=6, random_state=0, **size)
        for batch in batches(stream.samples[:1500], 500):
            model.partial_fit(batch)
        return model

    usual, same, other = fitted(), fitted(batch_size=16), fitted(batch_size=100)
    assert same_bits(usual.components_, same.components_)
    assert not np.array_equal(usual.components_, other.components_)
    assert correlation_error(other.components_, stream.truth) < 1e-6
    other.save(tmp_path / "model.safetensors")
    assert same_bits(andnmf.load(tmp_path).components_, other.components_)
    with pytest.raises(ValueError, match="batch_size is 0, but"):
        fitted(batch_size=0)


def test_sparse_batches_in_single_precision_equal_dense_ones(stream):
    dense = AND(n_components=6, init=stream.init, random_state=0)
    thin = AND(n_components=6, init=stream.init, random_state=0)
    for batch in batches(stream.samples.astype(np.float32))[:5]:
        dense.partial_fit(batch)
        thin.partial_fit(sparse.csr_array(batch))
    assert dense.components_.dtype == np.float32
    assert np.allclose(dense.components_, thin.components_, atol=1e-4 * np.abs(dense.components_).max())


def test_components_are_non_negative_if_samples_are(stream):
    below = stream.init - 0.1 * stream.init.max()
    model = AND(n_components=6, init=below, random_state=0).partial_fit(stream.samples[:400])
    assert below.min() < 0 and model.components_.min() >= 0
    free = AND(n_components=6, init=below, nonnegative=False, random_state=0).partial_fit(stream.samples[:400])
    assert free.components_.min() < 0
    signed = make_neg(n_samples=2000, n_features=40, n_components=4, random_state=0)
    model = AND(n_components=4, random_state=0)
    for batch in batches(signed.samples, 500):
        model.partial_fit(batch)
    assert model.components_.min() < 0 and correlation_error(model.components_, signed.truth) < 1e-3


def test_batches_must_have_the_features_of_the_first(stream):
    model = AND(n_components=6, random_state=0).partial_fit(stream.samples[:500])
    with pytest.raises(ValueError, match="is expecting 60 features"):
        model.partial_fit(stream.samples[500:600, :50])
