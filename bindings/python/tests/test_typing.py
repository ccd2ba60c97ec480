"""Type hints match the extension and the estimators."""

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import andnmf
from andnmf import _core

HERE = Path(andnmf.__file__).parent


def test_the_stub_has_every_function_with_its_arguments():
    stub = ast.parse((HERE / "_core.pyi").read_text())
    described = {node.name: node.args for node in stub.body if isinstance(node, ast.FunctionDef)}
    compiled = {name: function for name, function in vars(_core).items() if callable(function)}
    assert set(described) == set(compiled)
    for name, arguments in described.items():
        names = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
        assert names == list(inspect.signature(compiled[name]).parameters), name


def test_fit_returns_self_and_attributes_are_annotated(kind):
    assert inspect.signature(kind.fit).return_annotation == "Self"
    known = {name for base in kind.__mro__ for name in vars(base).get("__annotations__", {})}
    of_kind = {"thresholds_", "trust_", "stability_", "n_batches_seen_"} if kind is andnmf.AND else set()
    common = {"components_", "n_components_", "n_features_in_", "n_iter_", "stop_reason_", "ending_", "trace_"}
    assert common | of_kind | {"warnings_", "reconstruction_err_", "feature_names_in_"} <= known


def test_snippets_of_the_documentation_pass_a_strict_type_checker(tmp_path):
    pytest.importorskip("pyright")
    root = HERE.parent.parent.parent.parent
    pages = [root / name for name in ("README.md", "docs/python.md", "docs/command.md", "bindings/python/README.md")]
    if not all(page.exists() for page in pages):
        pytest.skip("the pages exist only in a checkout of the project")
    for page in pages:
        snippets = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        assert snippets, page
        # dask has no types.
        typed = [snippet for snippet in snippets if "import dask" not in snippet]
        before = "import numpy as np\nX: np.ndarray = np.ones((9, 4))\nbatches = [X]\n"
        (tmp_path / f"{page.parent.name}_{page.stem}.py").write_text(before + "\n".join(typed), encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(HERE.parent)], "reportDuplicateImport": "none"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    checker = [sys.executable, "-m", "pyright", "-p", str(tmp_path), "--pythonpath", sys.executable]
    done = subprocess.run(checker, capture_output=True, text=True, cwd=tmp_path, check=False)
    if "0 errors" not in done.stdout and "error:" not in done.stdout:
        pytest.skip(f"pyright cannot run here: {done.stderr or done.stdout}")
    assert done.returncode == 0, done.stdout


def test_the_package_is_marked_as_typed():
    assert (HERE / "py.typed").exists()
