"""Model files, shared with the command."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import write_fit_folder, same_bits
from matplotlib import pyplot

import andnmf
from andnmf import AND, HALS, plot
from andnmf._estimators import ESTIMATORS

COMMAND = os.environ.get("ANDNMF_COMMAND")
needs_command = pytest.mark.skipif(COMMAND is None, reason="ANDNMF_COMMAND does not name the built command")


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_loaded_model_equals_the_saved_one(quick, data, tmp_path, dtype):
    samples = data.samples.astype(dtype)
    quick.fit(samples).save(tmp_path / "model.safetensors")
    same = andnmf.load(tmp_path)
    assert type(same) is type(quick) and same_bits(same.components_, quick.components_)
    assert same_bits(same.transform(samples), quick.transform(samples))
    not_saved = ("n_jobs", "verbose", "init")
    saved, loaded = quick.get_params(), same.get_params()
    for name in set(saved) - set(not_saved):
        assert saved[name] == loaded[name]
    same.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "model.safetensors").read_bytes()


def test_the_trust_summary_is_saved(data, tmp_path):
    model = AND(n_components=6, random_state=0).fit(data.samples)
    model.save(tmp_path / "model.safetensors")
    same = andnmf.load(tmp_path / "model.safetensors")
    assert same.trust_ == model.trust_ and same_bits(same.thresholds_, model.thresholds_)
    assert same_bits(same.stability_, model.stability_)


def test_settings_other_than_the_defaults_are_saved(data, tmp_path):
    settings = {"threshold": [0.2, 0.1], "inner": 7, "step": 1e-4, "batch_size": 50, "compress": "off", "max_stages": 3}
    model = AND(n_components=6, init=data.init, random_state=0, **settings).fit(data.samples)
    model.save(tmp_path / "model.safetensors")
    same = andnmf.load(tmp_path).set_params(init=data.init)
    assert same_bits(same.fit(data.samples).components_, model.components_)


def test_feature_names_are_saved(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.samples, columns=[f"word {j}" for j in range(60)])
    model = AND(n_components=6, random_state=0).fit(frame)
    model.save(tmp_path / "model.safetensors")
    same = andnmf.load(tmp_path)
    assert list(same.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        same.transform(frame[frame.columns[::-1]])


def test_files_are_replaced_only_on_request(data, tmp_path):
    model = AND(n_components=6, random_state=0).fit(data.samples)
    file = tmp_path / "model.safetensors"
    model.save(file)
    with pytest.raises(FileExistsError, match="model.safetensors"):
        model.save(file)
    model.save(file, overwrite=True)


def test_errors_name_the_wrong_file(data, tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.safetensors"):
        andnmf.load(tmp_path / "nothing.safetensors")
    (tmp_path / "text.safetensors").write_text("no model at all, but long enough to have a head")
    with pytest.raises(ValueError, match="text.safetensors"):
        andnmf.load(tmp_path / "text.safetensors")
    model = AND(n_components=6, random_state=0).fit(data.samples)
    model.components_[2, 3] = np.nan
    with pytest.raises(ValueError, match="finite"):
        model.save(tmp_path / "model.safetensors")
    assert not (tmp_path / "model.safetensors").exists()


def test_online_models_can_be_saved(data, tmp_path):
    model = AND(n_components=6, init=data.init, random_state=0).partial_fit(data.samples)
    model.save(tmp_path / "model.safetensors")
    assert same_bits(andnmf.load(tmp_path).components_, model.components_)


@needs_command
@pytest.mark.parametrize("method", [*ESTIMATORS])
def test_models_of_the_command_are_loaded(data, tmp_path, method):
    np.save(tmp_path / "samples.npy", data.samples)
    run("fit", tmp_path / "samples.npy", "--rank", 3, "--method", method, "--out", tmp_path / "fit", "--quiet")
    model = andnmf.load(tmp_path / "fit")
    assert same_bits(model.components_, np.load(tmp_path / "fit" / "components.npy"))
    weights = np.load(tmp_path / "fit" / "weights.npy")
    if method == "lda":
        # The command writes how many words a topic has in a document, scikit-learn's transform returns shares.
        words = weights.sum(axis=1, keepdims=True)
        assert np.allclose(model.transform(data.samples) * words, weights, rtol=1e-9)
    else:
        assert same_bits(model.transform(data.samples), weights)
    summary = json.loads((tmp_path / "fit" / "summary.json").read_text())
    assert (model.n_iter_, model.stop_reason_) == (summary["stages"], summary["stop_reason"])
    assert model.warnings_ == summary["warnings"]
    expected = summary["reconstruction_error"] * np.linalg.norm(data.samples)
    assert np.isclose(model.reconstruction_err_, expected, rtol=1e-6) and expected > 0.1
    assert len(model.trace_["stage"]) == model.n_iter_ + summary["search_stages"]
    assert method == "and" or summary["search_stages"] == 0
    assert type(model) is ESTIMATORS[method] and (method == "and") == hasattr(model, "stability_")
    plot.convergence(model)
    pyplot.close("all")


def test_a_folder_has_the_attributes_of_the_run_and_a_file_does_not(data, tmp_path):
    model = AND(n_components=6, random_state=0)
    write_fit_folder(model, model.fit_transform(data.samples), tmp_path)
    same = andnmf.load(tmp_path)
    assert (same.n_iter_, same.stop_reason_, same.warnings_) == (2, "max_stages", ["one"])
    assert list(same.trace_["stage"]) == [0, 1] and same.trace_["stage"].dtype == np.int64
    assert list(same.trace_["change"]) == [1e-3, 1e-4] and np.isnan(same.trace_["threshold_min"]).all()
    assert same.reconstruction_err_ == 7.5
    assert "2 (max stages)" in same._repr_html_()
    alone = andnmf.load(tmp_path / "model.safetensors")
    assert not hasattr(alone, "trace_") and not hasattr(alone, "n_iter_")
    assert same.partial_fit(data.samples).n_iter_ == 3
    assert alone.partial_fit(data.samples).n_iter_ == 1 == len(alone.trace_["stage"])


def test_errors_name_the_wrong_file_of_a_folder(data, tmp_path):
    model = AND(n_components=6, random_state=0)
    write_fit_folder(model, model.fit_transform(data.samples), tmp_path, warnings=None)
    with pytest.raises(ValueError, match="summary.json: not a file that andnmf fit has written"):
        andnmf.load(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    write_fit_folder(model, model.transform(data.samples), tmp_path)
    (tmp_path / "trace.csv").write_text("stage,seconds\n0\n")
    with pytest.raises(ValueError, match="trace.csv: not a file that andnmf fit has written"):
        andnmf.load(tmp_path)


@needs_command
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", [AND(n_components=6, random_state=5), HALS(n_components=3, random_state=5)])
def test_the_command_fits_the_same_model_and_reads_it(data, tmp_path, model):
    """Equal seeds give bit-identical fits."""
    model.fit(data.samples).save(tmp_path / "model.safetensors")
    np.save(tmp_path / "samples.npy", data.samples)
    weights = tmp_path / "weights.npy"
    run("transform", tmp_path / "model.safetensors", tmp_path / "samples.npy", "--out", weights, "--quiet")
    assert same_bits(np.load(weights), model.transform(data.samples))
    words = ["--rank", model.n_components, "--method", model._method, "--seed", 5, "--out", tmp_path / "fit", "--quiet"]
    run("fit", tmp_path / "samples.npy", *words)
    assert same_bits(np.load(tmp_path / "fit" / "components.npy"), model.components_)
    summary = json.loads((tmp_path / "fit" / "summary.json").read_text())
    error = summary["reconstruction_error"] * np.linalg.norm(data.samples)
    assert np.isclose(error, model.reconstruction_err_, rtol=1e-9)


@needs_command
@pytest.mark.parametrize("kind", ["dir", "ctm", "ctm-released", "neg", "binary", "decay", "paired"])
def test_datasets_are_those_of_the_command(tmp_path, kind):
    sizes = {"samples": 30, "features": 20, "rank": 4, "seed": 9}
    words = [word for name, value in sizes.items() for word in (f"--{name}", value)]
    run("generate", kind, *words, "--out", tmp_path / "data", "--quiet")
    make = getattr(andnmf.datasets, f"make_{kind.replace('-', '_')}")
    made = make(n_samples=30, n_features=20, n_components=4, random_state=9)
    for name in ("samples", "truth", "weights", "init"):
        assert same_bits(made[name], np.load(tmp_path / "data" / f"{name}.npy"))
