"""Parameters: defaults of the library, and errors for wrong values and types."""

import inspect

import numpy as np
import pytest
from conftest import same_bits

from andnmf import AND, HALS, MU, AnchorWords, MinVolume, OnlineLDA, _settings

SAMPLES = np.random.default_rng(0).random((20, 6))


def test_defaults_are_those_of_the_library(kind):
    """The defaults in signatures equal those of the command."""
    of_library = _settings.defaults(kind._method)
    of_estimator = kind()._settings()
    assert of_estimator == {name: of_library[name] for name in of_estimator}
    left = set(of_library) - set(of_estimator)
    assert left == {"method", "rank", "seed"}, "every setting can be reached from Python"


def test_every_parameter_reaches_the_library(kind):
    shown = set(inspect.signature(kind).parameters)
    python_only = {"n_components", "random_state", "n_jobs", "verbose", "scale", "callback"}
    python_only |= {"init", "warm_start"} if _settings.METHODS[kind._method]["takes_start"] else set()
    assert {setting["parameter"] for setting in _settings.of_method(kind._method)} | python_only == shown


def test_settings_and_parameters_convert_both_ways(kind):
    settings = kind()._settings() | {"rank": 4, "seed": 7}
    parameters = kind._parameters(settings)
    assert kind(**parameters)._settings() | {"rank": 4, "seed": 7} == settings
    assert (parameters["n_components"], parameters["random_state"]) == (4, 7)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_components": 0}, "n_components is 0, but it must be"),
        ({"n_components": -1}, "n_components is -1"),
        ({"max_stages": 0}, "max_stages is 0, but"),
        ({"tol": -1.0}, "tol is -1, but"),
        ({"tol": float("nan")}, "tol is nan, but it must be finite"),
        ({"time_limit": -1}, "time_limit is -1, but"),
        ({"random_state": -1}, "random_state"),
        ({"n_jobs": 0}, "n_jobs is 0, but"),
        ({"init": "nndsvdb"}, "init is 'nndsvdb', but it must be one of auto, spa"),
        ({"compress": "on"}, "compress is 'on', but"),
    ],
    ids=str,
)
def test_wrong_values_are_rejected_with_their_name(wrong, message):
    with pytest.raises(ValueError, match=message):
        AND(**({"n_components": 2} | wrong)).fit(SAMPLES)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threshold": "geometrik:1:2"}, "geometric:START:RATIO"),
        ({"threshold": "theory:a:1:1"}, "'a' is not a number; write theory:LAMBDA:R:Q"),
        ({"threshold": "constant:-1"}, "threshold is -1, but"),
        ({"threshold": -0.5}, "threshold is -0.5, but"),
        ({"threshold": []}, "threshold list is empty, but"),
        ({"threshold": {"schedule": {"sine": 1}}}, "sine"),
        ({"inner": 50}, "inner is 50, but it must be exact with threshold auto"),
        ({"inner": "all"}, "inner is 'all', but it must be exact or a number of steps"),
        ({"step": 0.0, "threshold": 0.1}, "step is 0, but"),
        ({"step": "long", "threshold": 0.1}, "step is 'long', but"),
        ({"batch_size": 0, "threshold": 0.1}, "batch_size is 0, but"),
        ({"compress": 1, "threshold": 0.1}, "compress is 1, but it must be at least the rank"),
        ({"nonnegative": "yes"}, "nonnegative is 'yes', but"),
        ({"nonnegative": True, "threshold": 0.1}, "nonnegative is True, but with a threshold schedule"),
        ({"step": 1e9, "threshold": 0.1, "inner": 5}, "step is 1e9, but in stage 0 steps of .* or more diverge"),
    ],
    ids=str,
)
def test_wrong_values_of_and_are_rejected_with_their_name(wrong, message):
    with pytest.raises(ValueError, match=message):
        AND(n_components=2, **wrong).fit(SAMPLES)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_components": 2.5},
        {"n_components": "many"},
        {"max_stages": "all"},
        {"max_stages": True},
        {"tol": "small"},
        {"time_limit": "1h"},
        {"n_jobs": "all"},
        {"threshold": None},
        {"threshold": [0.1, "low"]},
        {"inner": 1.5},
        {"step": None},
        {"compress": 2.5},
        {"nonnegative": 3},
    ],
    ids=str,
)
def test_wrong_types_are_rejected_with_their_name(wrong):
    (name, _), *_ = wrong.items()
    with pytest.raises(TypeError, match=f"{name} is "):
        AND(**({"n_components": 2} | wrong)).fit(SAMPLES)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (HALS(2, sweeps=0), "sweeps is 0, but"),
        (MU(2, loss="euclid"), "loss is 'euclid', but it must be frobenius or kullback-leibler"),
        (OnlineLDA(2, kappa=0.2), "kappa is 0.2, but"),
        (OnlineLDA(2, sample_scale=-1.0), "sample_scale is -1, but"),
        (OnlineLDA(2, e_step_tol=-1.0), "e_step_tol is -1, but"),
        (MinVolume(2, weight_ratio=2.0), "weight_ratio is 2, but it must be above 0 and at most 1"),
        (AnchorWords(2, projection=0), "projection is 0, but it must be at least 1 dimension, or none"),
        (AnchorWords(2, recover="l1"), "recover is 'l1', but it must be l2 or kl"),
    ],
)
def test_wrong_values_of_the_other_methods_are_rejected(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(SAMPLES)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("constant:0.05", 0.05),
        ("list:0.2,0.1", [0.2, 0.1]),
        ("list:0.2,0.1", np.array([0.2, 0.1])),
        ("geometric:0.2:1.5", {"schedule": {"geometric": {"start": 0.2, "ratio": 1.5, "floor": None}}}),
    ],
)
def test_a_threshold_can_be_given_in_several_forms(data, written, meant):
    def fitted(threshold):
        model = AND(n_components=6, init=data.init, threshold=threshold, max_stages=5, random_state=0)
        return model.fit(data.samples).components_

    assert same_bits(fitted(written), fitted(meant))


def test_numpy_numbers_are_accepted():
    settings = AND(max_stages=np.int64(3), tol=np.float32(0.5), time_limit=np.int32(9))._settings()
    assert (settings["max_stages"], settings["tolerance"], settings["time_limit"]) == (3, 0.5, 9.0)


def test_a_time_limit_stops_a_fit_and_one_that_is_too_short_is_an_error(data):
    endless = {"n_components": 6, "threshold": "geometric:0.1:1.0000001", "max_stages": 10**9, "tol": 0}
    model = AND(**endless, init=data.init, time_limit=0.2).fit(data.samples)
    assert model.stop_reason_ == "time_limit" and model.trace_["seconds"][-1] < 5
    with pytest.raises(ValueError, match="increase time_limit"):
        AND(**endless, time_limit=0).fit(data.samples)


def test_a_seed_fixes_the_result_and_none_varies_it(data):
    def start(random_state):
        model = HALS(2, init="random-samples", max_stages=1, tol=1.0, random_state=random_state)
        return model.fit(data.samples).components_

    assert same_bits(start(4), start(4)) and not np.array_equal(start(4), start(5))
    np.random.seed(0)
    first, second = start(None), start(None)
    assert not np.array_equal(first, second)
    assert same_bits(start(np.random.RandomState(1)), start(np.random.RandomState(1)))
