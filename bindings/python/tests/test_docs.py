"""What the documentation shows is run, and there is an example for everything that is meant for users."""

import inspect
import os
import re
from pathlib import Path

import pytest
from conftest import ESTIMATORS, folder_of_a_fit
from matplotlib import pyplot

import andnmf

PACKAGE = Path(__file__).parent.parent
PAGES = [PACKAGE / "README.md", PACKAGE.parent.parent / "docs" / "python.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page, data, tmp_path, monkeypatch):
    if not page.exists():
        pytest.skip("the page is part of the whole project only")
    snippets = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    fitted = andnmf.AND(6, random_state=0)
    (tmp_path / "fitted").mkdir()
    folder_of_a_fit(fitted, fitted.fit_transform(data.samples), tmp_path / "fitted")
    monkeypatch.chdir(tmp_path)
    names = {"X": data.samples, "batches": [data.samples[:300], data.samples[300:]]}
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, page.name, "exec"), names)
    pyplot.close("all")
    assert (page.name == "README.md") != os.path.exists("model.safetensors")


def public():
    """Everything that is meant for users, by its name."""
    for module in (andnmf, andnmf.datasets, andnmf.init, andnmf.metrics, andnmf.plot):
        for name in module.__all__:
            found = getattr(module, name)
            if callable(found):
                yield f"{module.__name__}.{name}", found
    for kind in ESTIMATORS:
        for name, found in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and found.__module__.startswith("andnmf"):
                yield f"{kind.__name__}.{name}", found


@pytest.mark.parametrize(("name", "found"), list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_everything_has_an_example(name, found):
    assert ">>> " in (found.__doc__ or ""), name


def test_licences_lie_where_wheels_look_for_them():
    assert 'license-files = ["LICENSE-*"]' in (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    assert all((PACKAGE / f"LICENSE-{name}").read_text(encoding="utf-8").strip() for name in ("MIT", "APACHE"))


def test_no_pages_of_the_package_lead_nowhere():
    assert not re.findall(r"\]\((?!https?://|#)", (PACKAGE / "README.md").read_text(encoding="utf-8"))
