"""What the command can, Python can, and files of one are read by the other."""

import functools
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import andnmf
from andnmf import plot
from andnmf.topics import TopicModel, count_words

COMMAND = os.environ.get("ANDNMF_COMMAND")
needs_command = pytest.mark.skipif(COMMAND is None, reason="ANDNMF_COMMAND does not name the built command")
#: Every command, and where Python has the same. Those without are about the command itself, or about the paper.
COUNTERPARTS = {
    "demo": [],
    "generate": ["datasets.make_dir", "datasets.make_paired"],
    "fit": ["AND.fit", "AND.partial_fit", "AND.save", "AND.to_frame", "AND.top_features"],
    "transform": ["AND.transform", "AND.match_features"],
    "evaluate": ["metrics.recovery", "metrics.correlation_error"],
    "diagnose": ["diagnose"],
    "certify": ["certify"],
    "suggest-rank": ["suggest_rank"],
    "topics": ["topics.TopicModel", "topics.count_words", "metrics.coherence"],
    "images": ["read", "plot.images"],
    "anchor": ["AnchorWords"],
    "reproduce": [],
    "report": ["AND.report"],
    "convert": ["read", "write"],
    "completions": [],
    "manual": [],
}
SUBJECTS = (["apple", "melon", "pear", "grape"], ["moon", "star", "orbit", "galaxy"], ["piano", "violin", "cello", "flute"])


def texts():
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(SUBJECTS[i % 3], 12)) + " and the" for i in range(90)]


def in_package(*words, folder=None):
    """Run the command that the package brings."""
    words = [sys.executable, "-m", "andnmf", *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)


def test_every_command_has_a_counterpart():
    shown = in_package("--help").stdout
    listed = shown.split("Commands:")[1].split("Options:")[0].splitlines()
    names = {line.split()[0] for line in listed if line.startswith("  ") and not line.startswith("    ")} - {"help"}
    assert names == set(COUNTERPARTS)
    for counterparts in COUNTERPARTS.values():
        for path in counterparts:
            assert callable(functools.reduce(getattr, path.split("."), andnmf)), path


@needs_command
def test_the_command_of_the_package_is_the_same_program(data, tmp_path):
    np.save(tmp_path / "samples.npy", data.samples)
    fit = ["fit", "samples.npy", "--rank", "6", "--quiet", "--out"]
    assert in_package(*fit, "here", folder=tmp_path).returncode == 0
    assert subprocess.run([COMMAND, *fit, "there"], cwd=tmp_path, check=False).returncode == 0
    for name in ("components.npy", "weights.npy", "model.safetensors"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    wrong = in_package("fit", "missing.npy", "--rank", "3", "--out", "no", folder=tmp_path)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: missing.npy: there is no such file") and not wrong.stdout
    assert in_package("fti").returncode == 2 and "'fit'" in in_package("fti").stderr
    assert in_package("--version").stdout.strip() == f"andnmf {andnmf.__version__}"


@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl-C")
def test_ctrl_c_ends_the_command_of_the_package_with_its_result(tmp_path):
    noise = np.random.default_rng(0).random((3000, 300))
    np.save(tmp_path / "samples.npy", noise)
    words = "fit samples.npy --rank 30 --method hals --stages 1000000 --tolerance 0 --compress off --out fitted".split()
    words += ["--checkpoint-every", "0"]
    run = subprocess.Popen([sys.executable, "-m", "andnmf", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any((tmp_path / "fitted").glob("checkpoint*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    message = run.communicate(timeout=60)[1]
    assert run.returncode == 130 and "stopped: fitted contains the results so far" in message, message
    assert (tmp_path / "fitted" / "components.npy").exists()


def test_the_command_reports_on_a_folder_saved_from_python(data, tmp_path):
    model = andnmf.AND(6, random_state=0).fit(data.samples)
    model.save(tmp_path / "saved", data.samples)
    done = in_package("report", tmp_path / "saved", "--json")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "saved" / "report.html").read_text(encoding="utf-8")
    model.report(tmp_path / "report.html", data.samples, title="saved")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    assert np.array_equal(np.load(tmp_path / "saved" / "weights.npy"), model.transform(data.samples))
    (tmp_path / "plain").mkdir()
    model.save(tmp_path / "plain")
    assert in_package("report", tmp_path / "plain").returncode == 0, "a report needs no samples"


def test_a_folder_has_everything_that_one_of_the_command_has(data, tmp_path):
    np.save(tmp_path / "samples.npy", data.samples)
    assert in_package("fit", "samples.npy", "--rank", 6, "--out", "fitted", "--quiet", folder=tmp_path).returncode == 0
    model = andnmf.AND(6, random_state=0).fit(data.samples)
    model.save(tmp_path / "saved", data.samples)
    assert sorted(os.listdir(tmp_path / "saved")) == sorted(os.listdir(tmp_path / "fitted"))
    here, there = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("saved", "fitted"))
    of_command = {"start", "out_of_core"}
    assert set(here) == set(there) - of_command
    for name in set(here) - {"seconds", "solver_seconds", "settings", "reconstruction_error", "residual_norm"}:
        assert here[name] == there[name], name
    assert set(here["settings"].items()) <= set(
        (name, value) for name, value in there["settings"].items() if not isinstance(value, (list, dict))
    )
    loaded = andnmf.load(tmp_path / "saved")
    assert (loaded.n_iter_, loaded.ending_, loaded.noise_) == (model.n_iter_, model.ending_, model.noise_)
    assert all(np.array_equal(loaded.trace_[name], model.trace_[name], equal_nan=True) for name in model.trace_)
    with pytest.raises(FileExistsError, match="is not empty; use overwrite=True"):
        model.save(tmp_path / "saved")
    model.save(tmp_path / "saved", overwrite=True)
    assert not (tmp_path / "saved" / "weights.npy").exists(), "they would belong to another fit"
    with pytest.raises(ValueError, match="X must be None for a model file"):
        model.save(tmp_path / "model.safetensors", data.samples)


def test_reports_are_shown_in_notebooks_and_refuse_wrong_options(data):
    model = andnmf.HALS(6, tol=1e-2, random_state=0).fit(data.samples)
    report = model.report(X=data.samples, title="six <parts>")
    assert report.html.startswith("<!") and "<title>six &lt;parts" in report.html
    assert report._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(ValueError, match="shape 7x9 has 63 pixels, but the samples have 60 features"):
        model.report(shape=(7, 9))
    with pytest.raises(ValueError, match="show is 'circles'"):
        model.report(show="circles")


@needs_command
@pytest.mark.parametrize("method", ["and", "lda"])
def test_topics_are_those_of_the_command(tmp_path, method):
    (tmp_path / "texts.txt").write_text("\n".join(texts()))
    words = ["topics", tmp_path / "texts.txt", "--rank", 3, "--method", method, "--top", 4, "--json"]
    found = json.loads(subprocess.run([COMMAND, *map(str, words)], capture_output=True, check=True).stdout)
    model = TopicModel(3, method=method, random_state=0).fit(texts())
    assert [[word["word"] for word in topic["words"]] for topic in found["topics"]] == model.top_words(4)
    assert np.allclose([topic["share"] for topic in found["topics"]], model.shares_)
    if method == "and":
        assert {frozenset(words) for words in model.top_words(4)} == {frozenset(words) for words in SUBJECTS}
    of_file = TopicModel(3, method=method, random_state=0).fit(tmp_path / "texts.txt")
    assert np.array_equal(of_file.model_.components_, model.model_.components_)


def test_other_texts_get_the_weights_of_the_vocabulary_of_the_fit():
    model = TopicModel(3, random_state=0)
    weights = model.fit_transform(texts())
    assert np.allclose(model.transform(texts()), weights)
    few = model.transform(["a violin, a cello and unheard-of words", "unheard-of words"])
    assert (few[0] > 0).sum() == 1 and not few[1].any()
    assert len(plot.words(model)) == 3 and model.trust_ == model.model_.trust_
    assert "violin" in model.report(texts=texts(), title="Three subjects").html
    named = model.set_output(transform="pandas").transform(texts()[:2])
    assert named.columns.tolist() == ["topicmodel0", "topicmodel1", "topicmodel2"]
    frame = model.to_frame(2)
    assert frame.shape == (3, 3) and np.isclose(frame["share"].sum(), 1)
    with pytest.raises(ValueError, match="method is 'plsa'"):
        TopicModel(3, method="plsa").fit(texts())


def test_word_counts_follow_their_options_and_name_wrong_ones():
    assert count_words(texts()).feature_names == sorted(word for words in SUBJECTS for word in words)
    every = count_words(texts(), stop_words="none", max_documents=1.0)
    assert set(every.feature_names or []) - {word for words in SUBJECTS for word in words} == {"and", "the"}
    assert "apple" not in (count_words(texts(), stop_words=["Apple"]).feature_names or [])
    assert len(count_words(texts(), max_words=5).feature_names or []) == 5
    with pytest.raises(ValueError, match="min_documents is 150.0%"):
        count_words(texts(), min_documents=1.5)
    with pytest.raises(TypeError, match="max_documents is '50%', but it must be an integer"):
        count_words(texts(), max_documents="50%")
    with pytest.raises(ValueError, match="stop_words is 'german'"):
        count_words(texts(), stop_words="german")
    with pytest.raises(ValueError, match="texts is empty"):
        count_words([])
    with pytest.raises(FileNotFoundError):
        count_words("no such folder")
