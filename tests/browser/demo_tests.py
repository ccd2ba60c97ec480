"""The page of `andnmf demo`: AND's fit, and a comparison with other methods."""

import json

from page_case import DEMO, PageCase
from page_reader import equals_rounded, parse_number

METHODS = ["AND", "HALS", "ANLS", "MU", "LDA"]


class DemoTests(PageCase):
    def test_and_is_the_best_of_all_methods(self):
        page = self.open(DEMO)
        summary = json.loads((self.pages / DEMO / "summary.json").read_text())
        rows = page.run("[...document.querySelectorAll('#methods tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertEqual([cells[0] for cells in rows], METHODS)
        self.assertEqual(page.texts("#methods tr.best td:first-child"), ["AND"])
        errors = [method["relative_total_correlation_error"] for method in summary["methods"]]
        for cells, error in zip(rows, errors, strict=True):
            self.assertTrue(equals_rounded(parse_number(cells[1]), error), f"{cells}: {error}")
        self.assertLess(errors[0], 1e-9)
        self.assertGreater(min(errors[1:]), 1e-3)
        # A method that finished no stage within its time has no curve.
        drawn = [method["name"] for method in page.data["methods"] if method["curve"]]
        self.assertIn("AND", drawn)
        self.assertEqual(page.run("document.querySelectorAll('#methods [data-series]').length"), len(drawn))

    def test_the_page_shows_the_fit_like_every_other(self):
        page = self.open(DEMO)
        summary = json.loads((self.pages / DEMO / "summary.json").read_text())
        self.assertEqual(page.data["summary"], summary)
        self.assertEqual(page.run("document.querySelector('[data-verdict]').dataset.verdict"), "good")
        sections = page.run("[...document.querySelectorAll('main > section')].map(s => s.id)")
        for part in ("verdict", "summary", "methods", "convergence", "components", "correlation"):
            self.assertIn(part, sections)
        self.assertEqual(len(page.data["components"]["items"]), summary["rank"])
        self.assertGreater(len(page.components()), 0)
