"""Fixtures and helpers shared by the tests."""

import json
import re
import signal

import matplotlib
import numpy as np
import pytest

import andnmf
from andnmf._estimators import ESTIMATORS as BY_METHOD

matplotlib.use("Agg")

ESTIMATORS = list(BY_METHOD.values())


def snippets_of(page):
    """The Python snippets of a page of documentation."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="session")
def data():
    """Strongly correlated mixtures of six components."""
    made = andnmf.datasets.make_paired(n_samples=600, n_features=60, n_components=6, random_state=3)
    for array in (made.samples, made.truth, made.weights, made.init):
        array.setflags(write=False)
    return made


@pytest.fixture(params=ESTIMATORS, ids=lambda kind: kind.__name__)
def kind(request):
    """Every estimator in turn."""
    return request.param


@pytest.fixture
def quick(kind):
    """An estimator of that kind that fits quickly."""
    few = {} if kind is andnmf.AND else {"max_stages": 10, "tol": 1.0}
    return kind(n_components=3, random_state=0, **{k: v for k, v in few.items() if k in kind().get_params()})


def same_bits(left, right):
    """True if two arrays have the same type and the same bits."""
    return left.dtype == right.dtype and np.array_equal(left, right)


def write_fit_folder(model, weights, folder, **summary):
    """Write the files that the command ``andnmf fit`` writes."""
    model.save(folder / "model.safetensors")
    np.save(folder / "weights.npy", weights)
    summary = {"stages": 2, "stop_reason": "max_stages", "warnings": ["one"], "residual_norm": 7.5} | summary
    (folder / "summary.json").write_text(json.dumps(summary))
    (folder / "trace.csv").write_text(
        "stage,seconds,threshold_min,threshold_median,active_fraction,change\n0,0.5,,,0.25,1e-3\n1,1.0,,,0.5,1e-4\n"
    )


@pytest.fixture(autouse=True)
def restore_ctrl_c():
    """Shells start background processes with Ctrl-C ignored, and the tests would wait forever."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
