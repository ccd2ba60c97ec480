"""A fit that fails or is interrupted leaves the estimator unchanged."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from andnmf import AND, HALS

NOT_A_NUMBER = np.full((5, 60), np.nan)

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals of Unix")


def interrupted(fit, samples, after=0.3):
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        fit(samples)


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_first_fit_that_fails_leaves_an_estimator_unfitted(quick, data, method):
    with pytest.raises(ValueError, match="is NaN"):
        getattr(quick, method)(NOT_A_NUMBER)
    assert not [name for name in vars(quick) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        quick.transform(data.samples)
    assert "Not fitted" in quick._repr_html_()


@pytest.mark.parametrize("before", [False, True], ids=["first batch", "a later batch"])
def test_a_batch_that_fails_changes_nothing(data, before):
    model = AND(6, random_state=0)
    if before:
        model.partial_fit(data.samples[:300]).partial_fit(data.samples[300:])
    state = vars(model).copy()
    with pytest.raises(ValueError, match="is NaN"):
        model.partial_fit(NOT_A_NUMBER)
    assert vars(model) == state and hasattr(model, "n_batches_seen_") == before


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_later_fit_that_fails_keeps_the_first_result(quick, data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.samples, columns=[f"word {j}" for j in range(60)])
    quick.fit(frame)
    state = vars(quick).copy()
    with pytest.raises(ValueError, match="is NaN"):
        quick.fit(NOT_A_NUMBER[:, :7])
    assert vars(quick) == state and quick.n_features_in_ == 60
    assert list(quick.feature_names_in_) == list(frame.columns)
    assert quick.transform(frame).shape == (600, 3)


def test_a_fit_that_fails_does_not_forget_batches(data):
    model = AND(6, random_state=0).partial_fit(data.samples[:300]).partial_fit(data.samples[300:])
    with pytest.raises(ValueError, match="is NaN"):
        model.fit(NOT_A_NUMBER)
    assert model.n_batches_seen_ == 2 and model._first_threshold > 0


@unix
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ctrl_c_in_a_fit_with_other_features_keeps_the_first_result(data):
    wide = np.random.default_rng(0).random((3000, 500))
    model = HALS(3, random_state=0)
    model.set_params(max_stages=10**9, tol=0)
    interrupted(model.fit, wide)
    with pytest.raises(NotFittedError):
        model.transform(wide)
    model.set_params(max_stages=3).fit(data.samples)
    interrupted(model.set_params(max_stages=10**9).fit, wide)
    assert model.n_features_in_ == 60 and model.transform(data.samples).shape == (600, 3)


@unix
def test_ctrl_c_interrupts_an_initialization():
    from andnmf.init import nndsvd

    samples = np.random.default_rng(0).random((30_000, 1000), dtype=np.float32)

    def seconds(search):
        started = time.monotonic()
        search()
        return time.monotonic() - started

    def search(samples):
        nndsvd(samples, 50, random_state=0, n_jobs=1)

    whole = seconds(lambda: search(samples))
    assert seconds(lambda: interrupted(search, samples, whole / 10)) < 0.7 * whole
