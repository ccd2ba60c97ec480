"""The explorer: the map of components, the slider of relevance, the selected component and its samples, errors."""

import math

from page_case import BARS, CURVE, FITS, IMAGE, WORDS, PageCase
from page_reader import equals_rounded, parse_number

WIDTHS = (1280, 820, 390)


class ExplorerTests(PageCase):
    def selected(self, page):
        return page.run("Number(document.querySelector('.place.selected').dataset.place)")

    def circles(self, page):
        """Centre and radius of each component on the map."""
        found = page.run("[...document.querySelectorAll('.place')].map(p => [Number(p.dataset.place), ...['cx', 'cy', 'r'].map(name => Number(p.querySelector('circle').getAttribute(name)))])")
        return {k: (x, y, r) for k, x, y, r in found}

    def test_components_come_before_how_they_were_found(self):
        for name in FITS:
            sections = self.open(name).run("[...document.querySelectorAll('main > section')].map(s => s.id).filter(id => id !== 'methods')")
            self.assertEqual(sections[:3], ["verdict", "components", "correlation"])
            self.assertLess(sections.index("components"), sections.index("summary"))

    def test_the_map_has_the_distances_of_its_points_at_every_width(self):
        for name in (*FITS, "many"):
            for width in WIDTHS:
                with self.subTest(page=name, width=width):
                    page = self.open(name, width=width)
                    map_of = page.data["components"]["positions"]
                    drawn = self.circles(page)
                    self.assertEqual(sorted(drawn), map_of["members"])
                    points = dict(zip(map_of["members"], map_of["points"]))
                    ratios = []
                    for first, second in zip(map_of["members"], map_of["members"][1:]):
                        real = math.dist(points[first], points[second])
                        ratios.append(math.dist(drawn[first][:2], drawn[second][:2]) / real)
                    self.assertTrue(all(abs(ratio / ratios[0] - 1) < 0.05 for ratio in ratios), ratios)
                    _, _, across, down = page.run("document.querySelector('.map-plot').getAttribute('viewBox').split(' ').map(Number)")
                    for x, y, r in drawn.values():
                        self.assertTrue(r <= x <= across - r and r <= y <= down - r, (x, y, r))

    def test_areas_are_shares(self):
        page = self.open(IMAGE)
        items = page.data["components"]["items"]
        drawn = self.circles(page)
        unit = drawn[0][2] ** 2 / items[0]["share"]
        for k, (_, _, r) in drawn.items():
            self.assertAlmostEqual(r ** 2 / items[k]["share"] / unit, 1, delta=0.05)

    def test_a_click_on_the_map_selects(self):
        page = self.open(WORDS)
        for k in (7, 12):
            page.click(f"[data-place='{k}'] circle")
            self.assertEqual(self.selected(page), k)
            self.assertIn(page.data["components"]["items"][k]["label"], page.texts("#selected h4")[0])
            self.assertEqual(page.texts("#selected .announced"), [f"Selected: {k} · {page.data['components']['items'][k]['label']}"])

    def test_arrow_keys_walk_over_the_map_and_buttons_along_the_list(self):
        page = self.open(WORDS)
        page.run("document.querySelector('.map-plot').focus()")
        for key, axis, sign in (("ArrowRight", 0, 1), ("ArrowUp", 1, -1), ("ArrowLeft", 0, -1), ("ArrowDown", 1, 1)):
            before = self.selected(page)
            page.press(key)
            after, places = self.selected(page), self.circles(page)
            if after != before:
                self.assertGreater(sign * (places[after][axis] - places[before][axis]), 0, key)
        order = page.components()
        page.click(f"[data-place='{order[0]}'] circle")
        page.click("#selected .steps button:last-child")
        self.assertEqual(self.selected(page), order[1])
        page.click("#selected .steps button:first-child")
        page.click("#selected .steps button:first-child")
        self.assertEqual(self.selected(page), order[-1])

    def test_the_slider_ranks_features_by_relevance(self):
        for name in (WORDS, BARS, CURVE):
            page = self.open(name)
            first_lists = {}
            for weight in (0.0, 0.3, 1.0):
                page.slide("#relevance", weight)
                selected = self.selected(page)
                for number, item in enumerate(page.data["components"]["items"]):
                    wanted = [feature for feature, _, _ in page.ranked(item, weight)]
                    if name != CURVE:
                        self.assertEqual(page.texts(f"[data-component='{number}'] .bars li span:nth-child(2)"), wanted[:10])
                    if number == selected:
                        self.assertEqual(page.texts("#selected .bars li span:nth-child(2)"), wanted[:15])
                        first_lists[weight] = wanted[:15]
                self.assertEqual(page.texts(".slider output")[0], f"{weight:.1f}")
            if name == WORDS:
                self.assertNotEqual(first_lists[0.0], first_lists[1.0])

    def test_top_samples_have_names_weights_and_texts(self):
        page = self.open(WORDS)
        parts = page.data["components"]
        for k in (0, 5):
            page.click(f"[data-place='{k}'] circle")
            page.run("document.querySelector('#selected .samples + button').click()")
            rows = page.run("[...document.querySelectorAll('#selected .samples li')].map(li => [Number(li.dataset.sample), li.querySelector('b').textContent, li.querySelector('.who span').textContent, li.querySelector('.text').textContent])")
            for (sample, name, facts, text), top in zip(rows, parts["items"][k]["top_samples"], strict=True):
                self.assertEqual((sample, name), (top["sample"], parts["samples"]["names"][str(sample)]))
                weight, share = facts.removeprefix("weight ").removesuffix(" of the sample").split(" · ")
                self.assertTrue(equals_rounded(parse_number(weight), top["weight"]))
                self.assertTrue(equals_rounded(parse_number(share), top["share"], digits=3))
                self.assertEqual(text, parts["samples"]["texts"][str(sample)])
            shown = {feature.lower() for feature, _, _ in page.ranked(parts["items"][k])}
            marks = {mark.lower() for mark in page.texts("#selected .text mark")}
            self.assertTrue(marks and marks <= shown, marks - shown)
        page = self.open(BARS)
        top = page.data["components"]["items"][self.selected(page)]["top_samples"]
        self.assertEqual([text.replace("\u202f", "") for text in page.texts("#selected .samples b")], [f"Sample {entry['sample']}" for entry in top[:5]])

    def test_pixels_are_shown_as_a_map(self):
        page = self.open(CURVE)
        picture = page.data["components"]["items"][self.selected(page)]["map"]["image"]
        wanted = page.run(f"[...atob('{picture['pixels']}')].map(c => c.charCodeAt(0))")
        drawn = page.pixels("#selected .weight-map .picture")
        self.assertEqual(len(drawn), 20 * 40)
        brightness = [0.3 * r + 0.59 * g + 0.11 * b for r, g, b in drawn]
        order = sorted(range(len(wanted)), key=lambda i: wanted[i])
        for before, after in zip(order, order[1:]):
            # One level more never looks darker, up to rounding.
            self.assertLessEqual(brightness[before], brightness[after] + 1)
        self.assertGreater(brightness[order[-1]], brightness[order[0]] + 100)
        self.assertFalse(self.open(WORDS).run("!!document.querySelector('.weight-map')"))

    def test_errors_have_intervals(self):
        page = self.open("many")
        marks = page.run("""[...document.querySelectorAll('[data-error]')].map(g => [Number(g.dataset.error), Number(g.querySelector('circle').getAttribute('cy')),
            ...['y1', 'y2'].map(name => Number(g.querySelector('.whisker').getAttribute(name)))])""")
        ticks = page.run("[...document.querySelectorAll('#errors .plot text[text-anchor=end]')].map(t => [t.textContent.replace('≤ ', ''), Number(t.getAttribute('y')) - 4])")
        (w0, y0), (w1, y1) = [(parse_number(text), y) for text, y in (ticks[0], ticks[-1])]
        value = lambda y: w0 * 10 ** ((y - y0) * math.log10(w1 / w0) / (y1 - y0))
        items = page.data["components"]["items"]
        self.assertEqual({mark[0] for mark in marks}, set(range(200)))
        for k, *places in marks:
            error = items[k]["error"]
            for place, end in zip(places, ("estimate", "low", "high"), strict=True):
                self.assertAlmostEqual(value(place) / max(1e-4, error[end]), 1, delta=0.03)
        estimates = [items[mark[0]]["error"]["estimate"] for mark in marks]
        self.assertEqual(estimates, sorted(estimates, reverse=True))
        page.run("document.querySelector('.error-plot').focus()")
        page.press("ArrowRight")
        self.assertTrue(page.texts("#errors .readout")[0].startswith(f"{marks[0][0]} · "))
        self.assertEqual(page.texts(".alternatives li"), ["Components 3 and 4 can trade up to 20 % of word17.", "<b>another</b> answer."])

    def test_the_selected_component_has_the_facts_of_its_error(self):
        page = self.open("many")
        page.click(f"[data-place='{page.components()[0]}'] circle")
        error = page.data["components"]["items"][self.selected(page)]["error"]
        text = page.texts("#selected .facts")[0]
        self.assertTrue(equals_rounded(parse_number(page.texts("#selected [data-fact='stability']")[0]), error["estimate"]))
        low, high = text.split("(")[1].rstrip(")").split(" to ")
        self.assertTrue(equals_rounded(parse_number(low), error["low"]) and equals_rounded(parse_number(high), error["high"]))
