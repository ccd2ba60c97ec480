"""Line charts: what they draw, and how they react to mouse and keyboard."""

from page_case import BARS, CURVE, WORDS, PageCase
from page_reader import equals_rounded, parse_number


class ChartsTests(PageCase):
    def test_the_chart_shows_the_trace(self):
        page = self.open(WORDS)
        trace = page.data["trace"]
        for measure in ("relative_correlation_error", "change", "active_fraction"):
            for along in ("stage", "seconds"):
                with self.subTest(measure=measure, along=along):
                    page.choose("#convergence label:nth-child(1) select", measure)
                    page.choose("#convergence label:nth-child(2) select", along)
                    places, values = page.curve_values("#convergence", 0)
                    kept = [(x, y) for x, y in zip(trace[along], trace[measure]) if y > 0]
                    self.assertEqual(len(values), len(kept))
                    for (x, y), place, value in zip(kept, places, values):
                        self.assertAlmostEqual(place, x, delta=0.01 * max(trace[along]))
                        self.assertAlmostEqual(value / y, 1, delta=0.1)

    def test_thresholds_use_the_second_axis(self):
        page = self.open(WORDS)
        for series, column in ((1, "threshold_median"), (2, "threshold_min")):
            _, values = page.curve_values("#convergence", series, right=True)
            for value, expected in zip(values, page.data["trace"][column], strict=True):
                self.assertAlmostEqual(value / expected, 1, delta=0.1)
        page = self.open(BARS)
        self.assertEqual(page.run("document.querySelectorAll('#convergence [data-series]').length"), 1)

    def test_the_rank_curve_marks_the_chosen_number(self):
        page = self.open(CURVE)
        suggestion = page.data["summary"]["rank_suggestion"]
        places, values = page.curve_values("#rank", 0)
        kept = [score for score in suggestion["scores"] if score["first_left_out"]]
        for place, value, score in zip(places, values, kept, strict=True):
            self.assertAlmostEqual(place, score["rank"], delta=0.1)
            self.assertAlmostEqual(value / score["first_left_out"], 1, delta=0.1)
        (first, x0), *_, (last, x1) = page.ticks("#rank", "middle")
        at = page.run("Number(document.querySelector('#rank .threshold').getAttribute('x1'))")
        self.assertAlmostEqual(first + (at - x0) * (last - first) / (x1 - x0), suggestion["rank"], delta=0.1)
        self.assertIn(f"{suggestion['rank']} chosen", page.texts("#rank .plot .title"))
        rows = page.run("[...document.querySelectorAll('#rank tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        for cells, score in zip(rows, suggestion["scores"], strict=True):
            self.assertTrue(equals_rounded(parse_number(cells[4]), score["held_out_error"]), cells)

    def test_hovering_shows_the_stage_under_the_mouse(self):
        page = self.open(WORDS)
        trace = page.data["trace"]
        x, y, width, height = page.box("#convergence .plot")
        for share in (0.2, 0.5, 0.8):
            self.browser.mouse("mouseMoved", x + share * width, y + height / 2)
            page.settle()
            lines = page.texts("#convergence .tip strong, #convergence .tip b")
            stage = int(lines[0].removeprefix("Stage "))
            self.assertAlmostEqual(stage, (share * width - 58) / (width - 116) * trace["stage"][-1], delta=1)
            columns = ("relative_correlation_error", "threshold_median", "threshold_min")
            for text, column in zip(lines[1:], columns, strict=True):
                self.assertTrue(equals_rounded(parse_number(text), trace[column][stage]), f"{text} for {column} {stage}")
        self.browser.mouse("mouseMoved", 5, 5)
        page.settle()
        self.assertTrue(page.run("document.querySelector('#convergence .tip').hidden"))

    def test_dragging_zooms_and_the_button_resets_the_zoom(self):
        page = self.open(WORDS)
        whole = page.ticks("#convergence", "middle")
        x, y, width, height = page.box("#convergence .plot")
        self.browser.mouse("mouseMoved", x + 0.4 * width, y + 80)
        self.browser.mouse("mousePressed", x + 0.4 * width, y + 80, "left")
        self.browser.mouse("mouseMoved", x + 0.6 * width, y + 90, "left")
        self.browser.mouse("mouseReleased", x + 0.6 * width, y + 90, "left")
        page.settle()
        last = page.data["trace"]["stage"][-1]
        zoomed = page.ticks("#convergence", "middle")
        self.assertTrue(zoomed and all(0.35 * last < value < 0.65 * last for value, _ in zoomed), zoomed)
        page.click("#convergence .reset")
        self.assertEqual(page.ticks("#convergence", "middle"), whole)

    def test_the_chart_reacts_to_the_keyboard(self):
        page = self.open(WORDS)
        whole = page.ticks("#convergence", "middle")
        page.run("document.querySelector('#convergence .plot').focus()")
        for _ in range(3):
            page.press("ArrowRight")
        self.assertEqual(page.texts("#convergence .tip strong"), ["Stage 2"])
        page.press("ArrowLeft")
        self.assertEqual(page.texts("#convergence .tip strong"), ["Stage 1"])
        page.press("+")
        self.assertNotEqual(page.ticks("#convergence", "middle"), whole)
        page.press("Escape")
        self.assertEqual(page.ticks("#convergence", "middle"), whole)

    def test_methods_have_their_figures_and_curves(self):
        page = self.open(WORDS)
        rows = page.run("[...document.querySelectorAll('#methods tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        for cells, method in zip(rows, page.data["methods"], strict=True):
            self.assertEqual(cells[0], method["name"])
            self.assertTrue(equals_rounded(parse_number(cells[1]), method["error"]), cells)
            self.assertTrue(equals_rounded(parse_number(cells[2]), method["seconds"], digits=3), cells)
            self.assertIn(method["note"], cells[3])
        best = min(page.data["methods"], key=lambda method: method["error"])["name"]
        self.assertEqual(page.texts("#methods tr.best td:first-child"), [best])
        for series, method in enumerate(page.data["methods"]):
            _, values = page.curve_values("#methods", series)
            for value, (_, error) in zip(values, method["curve"], strict=True):
                self.assertAlmostEqual(value / error, 1, delta=0.1)
