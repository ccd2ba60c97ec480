"""The snippets of the documentation pass a strict type checker, as in the editor of a user."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import snippets_of

import andnmf

PACKAGE = Path(__file__).parent.parent
ROOT = PACKAGE.parent.parent
PAGES = [
    page
    for page in (ROOT / "README.md", PACKAGE / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.exists() and snippets_of(page)
]
#: Lines that must fail, each with a name that andnmf does not have.
WRONG = """\
model.componets_
model.trust_["verdikt"]
model.top_features(5)[0][0].lifts
model.report(X=X).htm
model.to_frames()
andnmf.AND(4, nois="poisson")
andnmf.AND(4, noise="poison")
andnmf.HALS(4).thresholds_
andnmf.suggest_rank(X).ranks
andnmf.datasets.make_dir().sample
andnmf.plot.map
andnmf.topics.TopicModel(4).top_word
"""
#: What the pages leave to the reader; everything else they import or compute.
GIVEN = """\
from typing import Any

import numpy as np

X: np.ndarray
batches: list[np.ndarray]
adata: Any
"""
#: Packages whose own annotations are missing or wrong: the checker takes all that the modules export which a snippet imports
#: as Any. Not sklearn.base: the estimators inherit from it, and with a base class of type Any every attribute would pass.
UNTYPED = ("dask", "scipy", "sklearn")
SETTINGS = {
    "typeCheckingMode": "strict",
    "stubPath": "stubs",
    "ignore": ["stubs"],
    # pandas brings no stubs, and the types of its methods are partly unknown. An unknown result still fails.
    "reportMissingTypeStubs": "none",
    "reportUnknownMemberType": "none",
    # Each snippet of a page imports what it needs, and shows attributes as bare expressions.
    "reportDuplicateImport": "none",
    "reportUnusedExpression": "none",
}


def file_of(page):
    """The name of the file that has the snippets of a page."""
    return f"{page.parent.name}_{page.stem}.py"


def write_stubs(folder, source):
    """Write empty stubs of the untyped packages that a source imports."""
    for module in re.findall(r"^(?:from|import) ([\w.]+)", source, re.MULTILINE):
        package, *names = module.split(".")
        if package in UNTYPED and module != "sklearn.base":
            # No stub of the package itself, which would hide its other modules.
            stub = folder.joinpath("stubs", package, *names, "__init__.pyi")
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.write_text("from typing import Any\ndef __getattr__(name: str) -> Any: ...\n", encoding="utf-8")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the type checker finds: for each file the faulty lines, with messages."""
    pytest.importorskip("pyright", reason="pyright is not installed; requirements-check.txt has it")
    folder = tmp_path_factory.mktemp("snippets")
    sources = {file_of(page): "\n".join(snippets_of(page)) for page in PAGES}
    sources["wrong.py"] = "import andnmf\nmodel = andnmf.AND(4).fit(X)\n" + WRONG
    for name, source in sources.items():
        (folder / name).write_text(source, encoding="utf-8")
        write_stubs(folder, source)
    # Names in this file are known everywhere, like those of the language.
    (folder / "__builtins__.pyi").write_text(GIVEN, encoding="utf-8")
    settings = SETTINGS | {"extraPaths": [str(Path(andnmf.__file__).parent.parent)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    checker = [sys.executable, "-m", "pyright", "-p", str(folder), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(checker, capture_output=True, text=True, cwd=folder, check=False)
    try:
        diagnostics = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        pytest.skip(f"pyright cannot run here: {done.stderr or done.stdout}")
    faults = {name: {} for name in sources}
    for one in diagnostics:
        name = Path(one["file"]).name
        line = sources[name].splitlines()[one["range"]["start"]["line"]]
        faults[name][line] = f"{one['message']} ({one.get('rule')})"
    return faults


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the pages exist only in a checkout of the project")
def test_there_are_pages_with_snippets():
    assert {"README.md", "python.md", "trust.md", "scale.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_snippets_of_the_page_pass(page, found):
    faults = found[file_of(page)]
    assert not faults, "\n".join(f"{line}\n    {message}" for line, message in faults.items())


def test_wrong_names_fail(found):
    assert list(found["wrong.py"]) == WRONG.splitlines()
