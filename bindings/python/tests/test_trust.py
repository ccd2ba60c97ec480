"""Errors of components, and fits without a verdict."""

import json

import numpy as np
import pytest

import andnmf
from andnmf.datasets import make_dir


@pytest.fixture(scope="module")
def noisy():
    return make_dir(n_samples=400, n_features=50, n_components=5, noise=0.03, random_state=0)


def test_each_component_has_an_interval_for_its_error(noisy):
    model = andnmf.AND(5, random_state=0).fit(noisy.samples)
    low, estimate, high = model.component_error_.T
    assert model.component_error_.shape == (5, 3)
    assert (low <= estimate).all() and (estimate <= high).all() and (high <= 1).all()
    assert np.array_equal(estimate, model.stability_)
    assert np.array_equal(model.component_error_, model.trust_["component_error"])


def test_intervals_survive_a_file(noisy, tmp_path):
    model = andnmf.AND(5, random_state=0).fit(noisy.samples)
    model.save(tmp_path / "model.safetensors")
    loaded = andnmf.load(tmp_path / "model.safetensors")
    assert np.array_equal(loaded.component_error_, model.component_error_)
    assert json.dumps(loaded.trust_) == json.dumps(model.trust_)


def test_trust_can_be_turned_off(noisy):
    checked = andnmf.AND(5, random_state=0).fit(noisy.samples)
    model = andnmf.AND(5, trust="off", random_state=0).fit(noisy.samples)
    assert np.array_equal(model.components_, checked.components_)
    assert model.trust_["verdict"] is None and set(model.trust_) == set(checked.trust_) >= {"component_error", "alternatives"}
    assert np.isnan(model.component_error_).all() and model.component_error_.shape == (5, 3)
    with pytest.raises(ValueError, match="trust"):
        andnmf.AND(5, trust="maybe").fit(noisy.samples)
