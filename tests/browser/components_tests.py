"""Components and their activity: sorting, search, images, curves, histograms."""

import json

from page_case import BARS, CURVE, IMAGE, WORDS, PageCase
from page_reader import equals_rounded, parse_number


class ComponentsTests(PageCase):
    def test_every_order_sorts(self):
        keys = {
            "share": lambda pair: -pair[1]["share"],
            "active": lambda pair: -pair[1]["activity"]["active_share"],
            "unstable": lambda pair: -pair[1]["stability"],
            "number": lambda pair: pair[0],
        }
        for name in (WORDS, CURVE):
            page = self.open(name)
            items = list(enumerate(page.data["components"]["items"]))
            options = page.run("[...document.querySelectorAll('#components select option')].map(o => o.value)")
            self.assertEqual(set(options), {*keys, "name"})
            for order, key in keys.items():
                with self.subTest(page=name, order=order):
                    page.choose("#components select", order)
                    expected = [number for number, _ in sorted(items, key=key)]
                    self.assertEqual(page.components(), expected)
                    self.assertEqual(page.activities(), expected)
        page = self.open(WORDS)
        page.choose("#components select", "name")
        self.assertEqual(page.run("""(() => { const names = [...document.querySelectorAll('#components h3 span:last-child')].map(e => e.textContent);
            return names.length > 1 && names.every((name, i) => i === 0 || names[i - 1].localeCompare(name) <= 0); })()"""), True)

    def test_search_finds_names_and_features(self):
        page = self.open(WORDS)
        items = page.data["components"]["items"]
        for wanted in (page.ranked(items[5])[0][0], page.ranked(items[3])[25][0], "<script>", "no such word"):
            with self.subTest(wanted=wanted):
                page.search(wanted)
                expected = {k for k, item in enumerate(items) if any(wanted.lower() in text.lower() for text in [item["label"], str(k), *page.names_of(item)])}
                self.assertEqual(set(page.components()), expected)
                self.assertIn(f"{len(expected)} of 20", page.texts("#components .count")[0])
                marks = page.texts("#components .card mark")
                self.assertEqual({mark.lower() for mark in marks}, {wanted.lower()} if expected else set())
                self.assertEqual(page.run("[...document.querySelectorAll('[data-component]')].filter(c => !c.querySelector('mark')).length"), 0)
        page.search("")
        self.assertEqual(len(page.components()), 20)

    def test_bars_have_the_length_and_number_of_their_features(self):
        for name in (WORDS, BARS):
            page = self.open(name)
            for number, item in enumerate(page.data["components"]["items"]):
                card = f"[data-component='{number}']"
                if page.run(f"!!document.querySelector(\"{card} button.plain\")"):
                    page.run(f"document.querySelector(\"{card} button.plain\").click()")
                rows = page.run(f"""[...document.querySelectorAll("{card} .bars li")].map(row => [row.children[1].textContent,
                    row.children[2].textContent, row.children[3].textContent, row.children[0].getBoundingClientRect().width / row.getBoundingClientRect().width])""")
                ranked = page.ranked(item)
                self.assertEqual([row[0] for row in rows], [feature for feature, _, _ in ranked])
                largest = max(abs(value) for _, value, _ in item["features"])
                for (_, text, times, length), (_, value, lift) in zip(rows, ranked):
                    self.assertTrue(equals_rounded(parse_number(text), value), f"{text} for {value}")
                    self.assertAlmostEqual(parse_number(times.removesuffix("×")) / lift, 1, delta=0.06)
                    self.assertAlmostEqual(length, abs(value) / largest, delta=0.01)
            if name == BARS:
                negative = sum(value < 0 for item in page.data["components"]["items"] for _, value, _ in page.ranked(item))
                self.assertGreater(negative, 0)
                self.assertEqual(page.run("document.querySelectorAll('.card .bars .negative').length"), negative)

    def test_images_have_the_pixels_of_the_data(self):
        page = self.open(IMAGE)
        for number, item in enumerate(page.data["components"]["items"]):
            wanted = page.run(f"[...atob({json.dumps(item['picture']['image']['pixels'])})].map(c => c.charCodeAt(0))")
            drawn = page.pixels(f"[data-component='{number}'] canvas")
            self.assertEqual(drawn, [(grey, grey, grey) for grey in wanted])
            self.assertGreater(len(set(wanted)), 5)

    def test_curves_run_through_their_values(self):
        page = self.open(CURVE)
        for number, item in enumerate(page.data["components"]["items"]):
            values = item["picture"]["curve"]["values"]
            path = page.run(f"""document.querySelector("[data-component='{number}'] path.line").getAttribute('d')""")
            places = [[float(part) for part in point.split()] for point in path[1:].split("L")]
            self.assertEqual(len(places), len(values))
            lowest, highest = min(y for _, y in places), max(y for _, y in places)
            least, most = min(values), max(values)
            zero = page.run(f"""Number(document.querySelector("[data-component='{number}'] .grid").getAttribute('y1'))""")
            self.assertAlmostEqual((highest - zero) / (highest - lowest), -least / (most - least), delta=0.01)
            for (_, y), value in zip(places, values):
                self.assertAlmostEqual((highest - y) / (highest - lowest), (value - least) / (most - least), delta=0.01)
            self.assertTrue(all(a[0] < b[0] for a, b in zip(places, places[1:])))
        x, y, width, height = page.box("[data-component='0'] svg")
        self.browser.mouse("mouseMoved", x + width / 2, y + height / 2)
        page.settle()
        readout = page.texts("[data-component='0'] p.muted")[0]
        value, place = (parse_number(part) for part in readout.split(" at "))
        at = min(range(300), key=lambda i: abs(page.data["components"]["axis"][i] - place))
        self.assertAlmostEqual(at, 150, delta=4)
        self.assertTrue(equals_rounded(value, page.data["components"]["items"][0]["picture"]["curve"]["values"][at]), readout)

    def test_histograms_count_every_sample(self):
        page = self.open(WORDS)
        n_samples = page.data["components"]["n_samples"]
        for number, item in enumerate(page.data["components"]["items"]):
            activity = item["activity"]
            card = f"[data-activity='{number}']"
            titles = page.texts(f"{card} title")
            solid = [parse_number(title.split(": ")[1].split(" ")[0]) for title in titles]
            pale = [parse_number(title.split(", and ")[1].split(" ")[0]) if ", and " in title else 0 for title in titles]
            self.assertEqual((solid, pale), (activity["counts"], activity["below"]))
            self.assertEqual(sum(solid) + sum(pale) + activity["zeros"], n_samples)
            heights = page.run(f"""[...document.querySelectorAll("{card} .column:not(.below)")].map(c => Number(c.getAttribute('height')))""")
            self.assertEqual(heights.index(max(heights)), activity["counts"].index(max(activity["counts"])))
            threshold = page.texts(f"{card} [data-fact='threshold']")[0]
            self.assertTrue(equals_rounded(parse_number(threshold), activity["threshold"]), threshold)
            place = page.run(f"""Number(document.querySelector("{card} .threshold").getAttribute('x1'))""")
            self.assertAlmostEqual(place, max(1, 220 * activity["threshold"] / activity["largest"]), delta=0.1)

    def test_hundreds_of_components_are_shown_in_parts(self):
        page = self.open("many")
        self.assertEqual(len(page.components()), 24)
        page.click("#components .more button")
        self.assertEqual(len(page.components()), 48)
        page.click("#components .more button:nth-child(2)")
        self.assertEqual(sorted(page.components()), list(range(200)))
        self.assertEqual(page.texts("[data-component='7'] .nothing"), ["All values are zero."])
        self.assertEqual(page.run("document.querySelectorAll('#components .card .unstable').length"),
                         sum(score > 0.1 for score in page.data["summary"]["trust"]["component_stability"]))
