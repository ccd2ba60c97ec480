"""Links and paths in the documentation lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(page for pattern in ("*.md", "docs/**/*.md", "bindings/python/*.md") for page in ROOT.glob(pattern))
# Pages shorten paths of sources: they are looked for in these folders, too.
SOURCES = [ROOT, ROOT / "crates", *ROOT.glob("crates/*"), *ROOT.glob("crates/*/src"), *ROOT.glob("crates/*/src/*"),
           ROOT / "bindings/python", ROOT / "bindings/python/python/andnmf"]
SOURCE_FILE = re.compile(r"[\w.-]+(/[\w.-]+)*/[\w-]+\.(rs|py|md|toml|R|svg|html|css|js)")
TOP_FOLDER = re.compile(r"(bench|bindings|crates|docs|fuzz|tests)/[\w./-]*")

pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are part of the whole project only")


def without_code_blocks(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """The fragments by which headings of a page can be linked, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", without_code_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code_blocks(page)):
        path, _, fragment = target.partition("#")
        if "://" in target:
            continue
        file = page.parent / unquote(path) if path else page
        if not file.exists() or (fragment and fragment not in anchors(file)):
            yield target


def missing_paths(page):
    for span in re.findall(r"`([^`\n]+)`", without_code_blocks(page)):
        path = span.split()[0].rstrip(",;:")
        # Capitals alone stand for a name that the reader fills in.
        if re.search(r"\b[A-Z]{3,}\b", path) or not (SOURCE_FILE.fullmatch(path) or TOP_FOLDER.fullmatch(path)):
            continue
        if not any((folder / path).exists() for folder in [page.parent, *SOURCES]):
            yield path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_paths_of_pages_exist(page):
    assert not [*broken_links(page), *missing_paths(page)]
