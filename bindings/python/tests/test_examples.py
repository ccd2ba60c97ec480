"""The examples run on built-in data."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, folder, *words):
    clean = {name: value for name, value in os.environ.items() if name != "ANDNMF_DATA"}
    script = [sys.executable, str(EXAMPLES / f"{name}.py"), *words]
    return subprocess.run(script, cwd=folder, env=clean, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "ran_on", "written"),
    [
        ("topics", "synthetic documents", None),
        ("faces", "handwritten digits", "faces.png"),
        ("unmixing", "a synthetic scene", "unmixing.png"),
    ],
)
def test_examples_run_on_built_in_data(tmp_path, name, ran_on, written):
    done = run(name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(ran_on) and "\n| AND |" in done.stdout
    if name == "unmixing":
        # The mean error of the abundances.
        (of_and,) = [line for line in done.stdout.splitlines() if line.startswith("| AND |")]
        assert float(of_and.split("|")[3]) < 0.01, of_and
    assert [file.name for file in tmp_path.iterdir()] == ([written] if written else [])


@pytest.mark.parametrize("name", ["topics", "faces", "unmixing"])
def test_missing_data_are_reported(tmp_path, name):
    done = run(name, tmp_path, "missing")
    assert done.returncode == 1 and done.stderr.startswith("missing: no ")
