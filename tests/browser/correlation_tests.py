"""Correlations: the heat map, the list of pairs, and the graph of strong pairs."""

import math

from page_case import WORDS, PageCase
from page_reader import equals_rounded, parse_number

#: The measure and the order of the heat map.
MEASURE, ORDER = "#correlation label:nth-child(1) select", "#correlation label:nth-child(2) select"


class CorrelationTests(PageCase):
    def cell(self, page, size, row, column):
        """The middle of a cell on the screen."""
        x, y, width, height = page.box("#correlation .map image")
        return x + (column + 0.5) * width / size, y + (row + 0.5) * height / size

    def readout(self, page):
        return page.texts("#correlation .correlation .readout")[0]

    def test_the_heat_map_shows_the_cell_under_the_mouse(self):
        page = self.open(WORDS)
        found = page.data["correlations"]
        size = len(found["members"])
        for arrangement, order in (("clustered", found["order"]), ("number", list(range(size)))):
            page.choose(ORDER, arrangement)
            for row, column in ((1, 0), (0, 1), (size - 1, 4)):
                self.browser.mouse("mouseMoved", *self.cell(page, size, row, column))
                page.settle()
                first, second = max(order[row], order[column]), min(order[row], order[column])
                self.assertTrue(equals_rounded(parse_number(page.texts(".readout b")[0]), found["lower"][first][second], 0.0006))
                for member in (order[row], order[column]):
                    self.assertIn(page.data["components"]["items"][found["members"][member]]["label"], self.readout(page))

    def test_covariances_are_correlations_times_deviations(self):
        page = self.open(WORDS)
        found = page.data["correlations"]
        size, order = len(found["members"]), found["order"]
        page.choose(MEASURE, "covariance")
        self.browser.mouse("mouseMoved", *self.cell(page, size, 3, 1))
        page.settle()
        first, second = max(order[3], order[1]), min(order[3], order[1])
        expected = found["lower"][first][second] * found["deviations"][first] * found["deviations"][second]
        self.assertTrue(equals_rounded(parse_number(page.texts(".readout b")[0]), expected))
        largest = max(found["deviations"]) ** 2
        self.assertTrue(equals_rounded(parse_number(page.texts("#correlation .ramp span")[1]), largest))

    def test_the_heat_map_is_painted_by_correlation_and_theme(self):
        page = self.open(WORDS)
        found = page.data["correlations"]
        size, order = len(found["members"]), found["order"]
        light = page.pixels(".map image")
        strong = weak = None
        for row in range(size):
            for column in range(row):
                first, second = max(order[row], order[column]), min(order[row], order[column])
                value = found["lower"][first][second]
                blue = light[row * size + column][2] - light[row * size + column][0]
                if value > 0.6:
                    strong = min(blue, strong if strong is not None else blue)
                elif abs(value) < 0.02:
                    weak = max(blue, weak if weak is not None else blue)
        self.assertGreater(strong, weak + 40)
        page.click("nav button")
        self.assertEqual(page.run("document.documentElement.dataset.theme"), "dark")
        self.assertNotEqual(page.pixels(".map image"), light)
        page.click("nav button")
        self.assertEqual(page.pixels(".map image"), light)

    def test_the_axes_name_their_components(self):
        for width in (1280, 820, 390):
            page = self.open(WORDS, width=width)
            found = page.data["correlations"]
            size = len(found["members"])
            top, _, _, side = self.run_box(page)
            rows = page.run("[...document.querySelectorAll('.map text[text-anchor=end]')].map(t => [t.textContent, Number(t.getAttribute('y'))])")
            self.assertGreaterEqual(len(rows), size / 2)
            for text, y in rows:
                row = int((y - top) / (side / size))
                self.assertEqual(int(text.split(" ")[0]), found["members"][found["order"][row]], f"{width}: {text}")
            columns = page.run("[...document.querySelectorAll('.map text[text-anchor=middle]:not(.title)')].map(t => Number(t.textContent))")
            self.assertTrue(set(columns) <= set(found["members"]) and len(columns) >= 4)

    def run_box(self, page):
        return page.run("['y', 'x', 'width', 'height'].map(name => Number(document.querySelector('.map image').getAttribute(name)))")

    def test_pairs_are_listed_and_select_their_cell(self):
        page = self.open(WORDS)
        rows = page.run("[...document.querySelectorAll('.pairs tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        pairs = page.data["correlations"]["pairs"][:12]
        for cells, pair in zip(rows, pairs, strict=True):
            self.assertTrue(equals_rounded(parse_number(cells[1]), pair["correlation"], 0.0006), cells)
            self.assertIn(page.data["components"]["items"][pair["first"]]["label"], cells[0])
            self.assertIn(page.data["components"]["items"][pair["second"]]["label"], cells[0])
        page.click(".pairs tr:nth-child(2) button")
        self.assertTrue(equals_rounded(parse_number(page.texts(".readout b")[0]), pairs[1]["correlation"], 0.0006))
        page.run("document.querySelector('.map .plot').focus()")
        before = self.readout(page)
        page.press("ArrowDown")
        self.assertNotEqual(self.readout(page), before)

    def test_the_graph_has_the_pairs_above_its_slider(self):
        page = self.open(WORDS)
        found = page.data["correlations"]
        values = {(found["members"][j], found["members"][i]): value for i, row in enumerate(found["lower"]) for j, value in enumerate(row)}
        for limit in (0.3, 0.65, 1.0):
            with self.subTest(limit=limit):
                page.slide("#pair-limit", limit)
                drawn = page.run("[...document.querySelectorAll('.arc')].map(a => [...a.dataset.pair.split(' ').map(Number), Number(a.getAttribute('stroke-width')), a.classList.contains('negative')])")
                expected = {pair: value for pair, value in values.items() if abs(value) >= limit}
                self.assertEqual({(first, second) for first, second, _, _ in drawn}, set(expected))
                for first, second, width, negative in drawn:
                    self.assertAlmostEqual(width, 0.6 + 5 * values[first, second] ** 2, delta=0.01)
                    self.assertEqual(negative, values[first, second] < 0)
                nodes = page.run("[...document.querySelectorAll('.node')].map(n => Number(n.dataset.node))")
                self.assertEqual(set(nodes), {k for pair in expected for k in pair})
                self.assertEqual(len(nodes), len(set(nodes)))

    def test_the_names_around_the_graph_are_within_it(self):
        for width in (1280, 820, 390):
            page = self.open(WORDS, width=width)
            outside = page.run("""(() => { const frame = document.querySelector('.pair-plot').getBoundingClientRect();
                return [...document.querySelectorAll('.pair-plot text')].map(t => t.getBoundingClientRect())
                    .filter(b => b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1).length; })()""")
            self.assertEqual(outside, 0, width)
            angles = page.run("""(() => { const [, , w, h] = document.querySelector('.pair-plot').getAttribute('viewBox').split(' ').map(Number);
                return [...document.querySelectorAll('.node circle')].map(c => Math.atan2(c.getAttribute('cy') - h / 2, c.getAttribute('cx') - w / 2)); })()""")
            gaps = [(after - before) % (2 * math.pi) for before, after in zip(angles, angles[1:])]
            self.assertTrue(all(abs(gap - gaps[0]) < 0.02 for gap in gaps), gaps)
