"""Code in the documentation runs, and every public function has an example."""

import inspect
import os
import re
from pathlib import Path

import pytest
from conftest import ESTIMATORS, snippets_of, write_fit_folder
from matplotlib import pyplot

import andnmf

PACKAGE = Path(__file__).parent.parent
ROOT = PACKAGE.parent.parent
PAGES = [PACKAGE / "README.md", ROOT / "README.md", ROOT / "docs" / "python.md", *(ROOT / "docs" / name for name in ("trust.md", "fields.md"))]


class Cells:
    """A stand-in for AnnData, which need not be installed."""

    __module__ = "anndata"

    def __init__(self, X):
        self.X, self.obsm, self.varm = X, {}, {}
        self.obs_names = [f"cell {i}" for i in range(X.shape[0])]
        self.var_names = [f"gene {j}" for j in range(X.shape[1])]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_snippets_run(page, data, tmp_path, monkeypatch):
    if not page.exists():
        pytest.skip("the page exists only in a checkout of the project")
    snippets = snippets_of(page)
    fitted = andnmf.AND(6, random_state=0)
    (tmp_path / "fitted").mkdir()
    write_fit_folder(fitted, fitted.fit_transform(data.samples), tmp_path / "fitted")
    monkeypatch.chdir(tmp_path)
    names = {"X": data.samples, "batches": [data.samples[:300], data.samples[300:]], "adata": Cells(data.samples)}
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, page.name, "exec"), names)
    pyplot.close("all")
    assert (page.name == "python.md") == os.path.exists("model.safetensors")


def public():
    """Public functions and methods by name."""
    for module in (andnmf, andnmf.datasets, andnmf.init, andnmf.metrics, andnmf.plot):
        for name in module.__all__:
            function = getattr(module, name)
            if callable(function):
                yield f"{module.__name__}.{name}", function
    for kind in ESTIMATORS:
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and function.__module__.startswith("andnmf"):
                yield f"{kind.__name__}.{name}", function


@pytest.mark.parametrize(("name", "function"), list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_everything_has_an_example(name, function):
    assert ">>> " in (function.__doc__ or ""), name


def test_wheels_include_the_licences():
    assert 'license-files = ["LICENSE-*"]' in (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    assert all((PACKAGE / f"LICENSE-{name}").read_text(encoding="utf-8").strip() for name in ("MIT", "APACHE"))


def test_the_readme_has_no_relative_links():
    assert not re.findall(r"\]\((?!https?://|#)", (PACKAGE / "README.md").read_text(encoding="utf-8"))
