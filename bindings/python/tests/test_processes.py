"""Threads, signals and processes."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import same_bits
from joblib import Parallel, delayed

from andnmf import AND, HALS

#: A fit with an endless stage, and one with endless stages.
ENDLESS_STAGE = {"threshold": 0.1, "batch_size": 1, "inner": 10**12, "max_stages": 1}
ENDLESS_STAGES = {"threshold": "geometric:0.1:1.0000001", "max_stages": 10**9, "tol": 0.0}

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@unix
@pytest.mark.parametrize("endless", [ENDLESS_STAGE, ENDLESS_STAGES], ids=["in a stage", "between stages"])
def test_ctrl_c_interrupts_and_leaves_the_estimator_usable(data, endless):
    model = AND(n_components=6, random_state=0).fit(data.samples)
    before = model.components_
    model.set_params(init=data.init, **endless)
    started = time.monotonic()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(data.samples)
    assert 0.4 < time.monotonic() - started < 10
    assert model.components_ is before and model.transform(data.samples).shape == (600, 6)
    model.set_params(init="auto", threshold="auto", batch_size=None, inner="exact", max_stages=200)
    assert same_bits(model.fit(data.samples).components_, before)


def test_an_exception_in_a_callback_ends_the_fit(data):
    def loud(stage):
        if stage.stage == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        HALS(n_components=3, max_stages=10**9, tol=0, random_state=0, callback=loud).fit(data.samples)


@pytest.mark.parametrize("kind", [HALS, AND], ids=lambda kind: kind.__name__)
def test_a_callback_ends_a_fit_with_its_result(data, kind):
    stages = []

    def enough(stage):
        stages.append(stage)
        return len(stages) == 4

    model = kind(n_components=3, tol=0, random_state=0, callback=enough).fit(data.samples)
    assert model.stop_reason_ == "cancelled" and model.n_search_iter_ + model.n_iter_ == 4
    assert [stage.stage for stage in stages] == [0, 1, 2, 3] == list(model.trace_["stage"])
    assert [stage.change for stage in stages] == list(model.trace_["change"]) and stages[0].max_stages == model.max_stages
    assert model.components_.shape == (3, 60)
    with pytest.raises(TypeError, match="callback is 3, but it must be callable"):
        kind(n_components=3, callback=3).fit(data.samples)


def test_a_callback_sees_the_refit_and_ends_it_alone(data):
    noisy = data.samples + 0.02 * data.samples.mean() * np.random.default_rng(0).standard_normal(data.samples.shape)
    stages = []
    whole = AND(n_components=6, random_state=0, callback=stages.append).fit(noisy)
    refit = [stage.stage for stage in stages if stage.refit]
    assert len(refit) > 1 and refit == [stage.stage for stage in stages[-len(refit):]], "after the fit"
    model = AND(n_components=6, random_state=0, callback=lambda stage: stage.refit).fit(noisy)
    assert model.stop_reason_ == whole.stop_reason_ and same_bits(model.components_, whole.components_)
    assert "unchecked" in [reason["code"] for reason in model.trust_["reasons"]]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [HALS, AND], ids=lambda kind: kind.__name__)
def test_a_bar_has_a_total_and_ends(data, kind, monkeypatch, capsys):
    bars = []

    class Bar:
        n, closed = 0, False

        def __init__(self, name, total):
            self.total = self.first_total = total
            bars.append(self)

        def update(self, count):
            self.n += count
            assert self.n <= self.total

        def set_postfix_str(self, text):
            assert text.count("change") == 1

        def close(self):
            self.closed = True

    monkeypatch.setattr("andnmf._progress._bar", Bar)
    model = kind(n_components=6, max_stages=20, random_state=0, verbose=1).fit(data.samples)
    (bar,) = bars
    assert bar.first_total == 20 and bar.closed and bar.n == bar.total == model.n_search_iter_ + model.n_iter_
    assert capsys.readouterr().out.count("\n") == 1, "the line at the end"
    with pytest.raises(ZeroDivisionError):
        kind(n_components=6, random_state=0, verbose=1, callback=lambda stage: 1 / 0).fit(data.samples)
    assert len(bars) == 2 and bars[1].closed, "also if the fit fails"


def test_other_python_threads_run_during_a_fit(data):
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    AND(n_components=6, init=data.init, **ENDLESS_STAGE, time_limit=1.0, n_jobs=1).fit(data.samples)
    done.set()
    thread.join()
    assert counted[0] > 50


def test_concurrent_fits_equal_sequential_ones(data):
    expected = AND(n_components=6, random_state=0).fit(data.samples).components_
    models = Parallel(n_jobs=2, backend="threading")(
        delayed(AND(n_components=6, random_state=0).fit)(data.samples) for _ in range(4)
    )
    assert all(same_bits(model.components_, expected) for model in models)


def test_any_number_of_threads_gives_the_same_bits(data):
    expected = AND(n_components=6, random_state=0).fit(data.samples).components_
    for n_jobs in (1, 2, 5, -1, -2):
        model = AND(n_components=6, random_state=0, n_jobs=n_jobs).fit(data.samples)
        assert same_bits(model.components_, expected)


def own_threads():
    """The number of threads of fits, by their names."""
    names = []
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/self/task/{task}/comm") as comm:
            names.append(comm.read())
    return sum(name.startswith("andnmf") for name in names)


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_n_jobs_is_the_number_of_threads_and_they_end_with_the_fit(data, n_jobs):
    def none_left():
        deadline = time.monotonic() + 10
        while own_threads() and time.monotonic() < deadline:
            time.sleep(0.01)
        return own_threads() == 0

    counts = []

    def count(stage):
        # A thread sets its name when it starts to run.
        deadline = time.monotonic() + 5
        while own_threads() < n_jobs and time.monotonic() < deadline:
            time.sleep(0.01)
        counts.append(own_threads())

    assert none_left()
    HALS(n_components=3, max_stages=3, tol=0, random_state=0, callback=count, n_jobs=n_jobs).fit(data.samples)
    assert counts == [n_jobs] * 3 and none_left()


def _fit_in_child(samples):
    return AND(n_components=6, random_state=0).fit(samples).components_


@unix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_forked_and_spawned_processes_can_fit(data, method):
    # A forked child does not have the threads of the parent's fit.
    expected = _fit_in_child(data.samples)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(_fit_in_child, [data.samples] * 4).get(timeout=120)
    assert all(same_bits(components, expected) for components in results)


def test_joblib_processes_can_fit(data):
    expected = _fit_in_child(data.samples)
    results = Parallel(n_jobs=2, backend="loky")(delayed(_fit_in_child)(data.samples) for _ in range(3))
    assert all(same_bits(components, expected) for components in results)


def test_the_interpreter_can_exit_while_a_daemon_thread_fits():
    script = (
        "import threading, time, numpy, andnmf\n"
        "fit = andnmf.HALS(2, max_stages=10**9, tol=0, time_limit=3).fit\n"
        "threading.Thread(target=fit, args=(numpy.ones((50, 9)),), daemon=True).start()\n"
        "time.sleep(0.3)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], timeout=60, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
