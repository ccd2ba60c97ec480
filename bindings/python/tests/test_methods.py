"""Methods, settings and starts have the same names in Rust, in the command and in Python."""

import importlib.util
import inspect
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import andnmf
from andnmf import _core, _settings
from andnmf._estimators import ESTIMATORS

COMMAND = os.environ.get("ANDNMF_COMMAND")
needs_command = pytest.mark.skipif(COMMAND is None, reason="ANDNMF_COMMAND does not name the built command")
GENERATOR = Path(__file__).parent.parent / "tools" / "generate_estimators.py"
DESCRIPTION = json.loads(_core.methods())
SETTINGS = [(method, setting) for method in DESCRIPTION["methods"] for setting in method["settings"]]


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)


def generator():
    spec = importlib.util.spec_from_file_location("generate_estimators", GENERATOR)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_files_are_up_to_date():
    made = generator()
    for file, contents in made.rendered().items():
        if file.parent.exists():
            assert file.read_text(encoding="utf-8") == contents, f"{file} is out of date; run {made.COMMAND}"


def test_every_method_has_an_estimator():
    assert list(ESTIMATORS) == [method["name"] for method in DESCRIPTION["methods"]]
    for method in DESCRIPTION["methods"]:
        kind = ESTIMATORS[method["name"]]
        assert kind is getattr(andnmf, method["class"]) and method["class"] in andnmf.__all__
        assert kind._method == method["name"]


@pytest.mark.parametrize(("method", "setting"), SETTINGS, ids=lambda part: part["name"])
def test_every_setting_is_a_parameter(method, setting):
    kind = ESTIMATORS[method["name"]]
    assert setting["parameter"] in inspect.signature(kind).parameters
    assert f"{setting['parameter']} : " in kind.__doc__


@needs_command
@pytest.mark.parametrize(("method", "setting"), SETTINGS, ids=lambda part: part["name"])
def test_every_setting_is_an_option(method, setting, tmp_path):
    value = [] if setting["kind"]["type"] == "flag" else [setting["default_text"]]
    rank = [] if setting["name"] == "rank" else ["--rank", 3]
    words = [*rank, "--method", method["name"], f"--{setting['option']}", *value, "--out", tmp_path / "fit"]
    done = run("fit", tmp_path / "missing.npy", *words)
    assert done.returncode == 2 and "there is no such file" in done.stderr, done.stderr


@needs_command
def test_the_help_of_the_command_lists_all_settings_methods_and_starts():
    text = run("fit", "--help-all").stdout
    for _, setting in SETTINGS:
        assert f"--{setting['option']}" in text
    for named in [*DESCRIPTION["methods"], *DESCRIPTION["starts"]]:
        assert named["name"] in text


@needs_command
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("start", [start["name"] for start in DESCRIPTION["starts"]])
@pytest.mark.parametrize("kind", [andnmf.HALS, andnmf.MU], ids=lambda kind: kind.__name__)
def test_a_start_is_the_same_here_and_in_the_command(data, tmp_path, kind, start):
    np.save(tmp_path / "samples.npy", data.samples)
    words = ["--method", kind._method, "--rank", 3, "--stages", 2, "--init", start, "--out", tmp_path / "fit"]
    assert run("fit", tmp_path / "samples.npy", *words).returncode == 0
    model = kind(3, init=start, max_stages=2, random_state=0).fit(data.samples)
    assert np.array_equal(np.load(tmp_path / "fit" / "components.npy"), model.components_)


@needs_command
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_traces_have_the_same_columns_everywhere(data, tmp_path):
    np.save(tmp_path / "samples.npy", data.samples)
    words = ["--method", "hals", "--rank", 3, "--stages", 3, "--out", tmp_path / "fit"]
    assert run("fit", tmp_path / "samples.npy", *words).returncode == 0
    header = (tmp_path / "fit" / "trace.csv").read_text().splitlines()[0].split(",")
    model = andnmf.HALS(3, max_stages=3, random_state=0).fit(data.samples)
    assert header == list(model.trace_) == list(_settings.TRACE_COLUMNS)
    loaded = andnmf.load(tmp_path / "fit")
    assert np.array_equal(loaded.trace_["loss"], model.trace_["loss"]) and model.trace_["loss"][0] > 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_minimum_volume_prefers_tight_components(data):
    def volume(weight):
        model = andnmf.MinVolume(6, volume_weight=weight, max_stages=100, random_state=0).fit(data.samples)
        assert np.allclose(model.components_.sum(axis=1), 1)
        return np.linalg.slogdet(model.components_ @ model.components_.T)[1]

    assert volume(1e-1) < volume(0.0)


def test_anchor_words_finds_topics_of_counts():
    data = andnmf.datasets.make_dir(n_samples=2000, n_features=40, n_components=4, random_state=1)
    model = andnmf.AnchorWords(4, random_state=0).fit(np.round(500 * data.samples))
    assert np.allclose(model.components_.sum(axis=1), 1) and model.components_.min() >= 0
    assert (model.n_iter_, model.stop_reason_) == (1, "converged")
    with pytest.raises(TypeError, match="init"):
        andnmf.AnchorWords(4, init="spa")


def test_rank_suggestions_have_a_table():
    data = andnmf.datasets.make_dir(n_samples=300, n_features=40, n_components=4, noise=0.01, random_state=0)
    suggestion = andnmf.suggest_rank(data.samples, ranks=range(2, 8), random_state=0)
    assert (suggestion.rank, suggestion.verdict) == (4, "good") and repr(suggestion).startswith("rank 4 (good)\n  - ")
    assert suggestion.scores["rank"].tolist() == [2, 3, 4, 5, 6, 7]
    assert {len(column) for column in suggestion.scores.values()} == {6}
    assert suggestion.scores["held_out_error"].argmin() == 2 and np.isfinite(suggestion.scores["unstable_share"]).any()
    quick = andnmf.suggest_rank(data.samples, ranks=[3, 5], stability=False, folds=0, random_state=0)
    assert quick.scores["rank"].tolist() == [3, 5] and np.isnan(quick.scores["held_out_error"]).all()
    with pytest.raises(ValueError, match="ranks is empty"):
        andnmf.suggest_rank(data.samples, ranks=[])
    with pytest.raises(ValueError, match="ranks is 0"):
        andnmf.suggest_rank(data.samples, ranks=range(0, 3))
    with pytest.raises(TypeError, match="stability"):
        andnmf.suggest_rank(data.samples, stability=3)
    with pytest.raises(ValueError, match="noise is 'white'"):
        andnmf.suggest_rank(data.samples, noise="white")


def test_the_rank_of_counts_is_that_of_their_scaled_values():
    rng = np.random.default_rng(0)
    words = rng.poisson(80 * rng.dirichlet(np.full(4, 0.3), 600) @ rng.dirichlet(np.full(100, 0.1), 4))
    suggestion = andnmf.suggest_rank(words, ranks=range(1, 11), stability=False, random_state=0)
    assert suggestion.rank == 4 and suggestion.counts["overdispersion"] < 0.02
    assert andnmf.suggest_rank(words / 3, ranks=range(1, 11), stability=False, random_state=0).counts is None
    assert len(andnmf.PoissonNMF(tol=0.1, random_state=0).fit(words).components_) == 4


@needs_command
def test_rank_suggestions_are_those_of_the_command(tmp_path):
    data = andnmf.datasets.make_dir(n_samples=300, n_features=40, n_components=4, noise=0.01, random_state=0)
    np.save(tmp_path / "samples.npy", data.samples)
    of_command = json.loads(run("suggest-rank", tmp_path / "samples.npy", "--ranks", "2..7", "--fast", "--json").stdout)
    suggestion = andnmf.suggest_rank(data.samples, ranks=range(2, 8), stability=False, random_state=0)
    assert (of_command["rank"], of_command["verdict"], of_command["reasons"]) == (suggestion.rank, suggestion.verdict, suggestion.reasons)
    assert [row["noise_edge"] for row in of_command["scores"]] == suggestion.scores["noise_edge"].tolist()


def test_nnls_solves_least_squares_and_equals_transform(data):
    weights = andnmf.nnls(data.samples, data.truth)
    residual = data.samples - weights @ data.truth
    # KKT conditions: the gradient is zero where a weight is positive, and otherwise non-negative.
    gradient = -residual @ data.truth.T
    scale = np.abs(data.samples @ data.truth.T).max()
    assert weights.min() >= 0 and gradient.min() > -1e-9 * scale and np.abs(gradient * weights).max() < 1e-9 * scale
    model = andnmf.AND(6, random_state=0).fit(data.samples)
    assert np.array_equal(andnmf.nnls(data.samples, model), model.transform(data.samples))
    assert andnmf.nnls(data.samples.astype(np.float32), data.truth).dtype == np.float32
    with pytest.raises(ValueError, match="features"):
        andnmf.nnls(data.samples[:, 1:], data.truth)
