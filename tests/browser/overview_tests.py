"""The whole page: themes, screen sizes, verdict, summary, navigation, escaping of names."""

import json

from page_case import BARS, FITS, WORDS, PageCase
from page_reader import equals_rounded, parse_number


class OverviewTests(PageCase):
    def test_every_page_fits_every_screen_in_both_themes(self):
        for folder in sorted(self.pages.iterdir()):
            for width in (1280, 820, 390):
                for dark in (False, True):
                    with self.subTest(page=folder.name, width=width, dark=dark):
                        page = self.open(folder.name, width=width, dark=dark)
                        self.assertEqual(page.run("document.documentElement.dataset.theme"), "dark" if dark else "light")
                        self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)
                        self.assertEqual(page.texts("h1"), [page.data["title"]])
                        shown = page.run("document.body.innerText")
                        for word in ("NaN", "undefined", "Infinity", "[object"):
                            self.assertNotIn(word, shown)
                        self.assertEqual(self.browser.messages, [])
                        self.assertEqual(len([url for url in self.browser.requests if not url.startswith("data:")]), 1)

    def test_the_page_does_not_grow_with_the_samples(self):
        page = self.open("large")
        self.assertEqual(page.data["components"]["n_samples"], 100_000)
        self.assertLess((self.pages / "large" / "report.html").stat().st_size, 1_000_000)
        # Cards of all components are made on request only.
        self.assertLess(page.run("document.querySelectorAll('*').length"), 15_000)

    def test_figures_are_those_of_the_summary_file(self):
        for name in FITS:
            with self.subTest(page=name):
                page = self.open(name)
                summary = json.loads((self.pages / name / "summary.json").read_text())
                self.assertEqual(page.data["summary"], summary)
                shown = page.run("Object.fromEntries([...document.querySelectorAll('[data-figure]')].map(e => [e.dataset.figure, e.textContent]))")
                expected = {key: summary[key] for key in ("rank", "n_samples", "n_features", "stages", "seconds", "reconstruction_error")}
                expected["recovery"] = summary["recovery"]["relative_total_correlation_error"]
                self.assertEqual(set(shown), set(expected))
                for key, value in expected.items():
                    self.assertTrue(equals_rounded(parse_number(shown[key]), value, digits=3 if key == "seconds" else 4), f"{key}: {shown[key]} for {value}")
                text = page.texts("#summary-text")[0]
                self.assertIn({"converged": "no longer changed", "max_stages": "maximum number of stages"}[summary["stop_reason"]], text)

    def test_the_verdict_comes_first_with_its_reasons(self):
        for name, word in ((WORDS, None), ("many", "poor"), (BARS, "unknown"), ("single", "unknown")):
            with self.subTest(page=name):
                page = self.open(name)
                trust = page.data["summary"].get("trust") or {"verdict": "unknown", "reasons": []}
                self.assertEqual(page.run("document.querySelector('main > section').id"), "verdict")
                self.assertEqual(page.run("document.querySelector('[data-verdict]').dataset.verdict"), trust["verdict"])
                self.assertIn(word, (None, trust["verdict"]))
                reasons = [reason.rstrip(".").lower() for reason in page.texts("#verdict li")]
                expected = ["; ".join(filter(None, (reason["text"], reason["advice"]))) for reason in trust["reasons"]]
                self.assertEqual(reasons, [reason.lower() for reason in expected])

    def test_warnings_and_settings_are_all_there(self):
        page = self.open("many")
        self.assertEqual([text.lower().rstrip(".") for text in page.texts(".warnings li")], page.data["summary"]["warnings"])
        page = self.open(WORDS)
        settings = dict(zip(page.texts(".settings dt"), page.texts(".settings dd")))
        for key, value in page.data["summary"]["settings"].items():
            text = {None: "not set", False: "no", True: "yes"}.get(value, value) if not isinstance(value, (int, float)) or isinstance(value, bool) else value
            shown = settings[key.replace("_", " ")]
            self.assertTrue(shown == text or equals_rounded(parse_number(shown), text), f"{key}: {shown} for {value}")

    def test_links_lead_to_their_sections(self):
        for name in (WORDS, "sections"):
            page = self.open(name)
            links = page.run("[...document.querySelectorAll('.links a')].map(a => a.getAttribute('href'))")
            self.assertEqual(links, page.run("[...document.querySelectorAll('main > section')].map(s => '#' + s.id)"))
            for link in links:
                with self.subTest(page=name, link=link):
                    page.click(f".links a[href='{link}']")
                    top, height = page.run(f"(() => {{ const b = document.querySelector('{link}').getBoundingClientRect(); return [b.top, innerHeight]; }})()")
                    at_end = page.run("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
                    self.assertTrue(0 <= top < 0.2 * height or at_end, top)
                    if not at_end:
                        self.assertEqual(page.run("document.querySelector('[aria-current]').getAttribute('href')"), link)

    def test_missing_parts_are_omitted(self):
        page = self.open("single")
        self.assertEqual(page.run("[...document.querySelectorAll('main > section')].map(s => s.id)"), ["verdict", "components", "summary"])
        page = self.open("sections")
        self.assertEqual(page.texts("h2"), ["A table", "A drawing", "Text alone"])
        self.assertEqual(page.texts("td"), ["DIR", "1.25 × 10⁻⁷", "yes", "CTM", "0.25", "–"])
        self.assertEqual(page.run("[document.querySelectorAll('.drawing path').length, document.querySelectorAll('.drawing script, .drawing [onload]').length]"), [1, 0])
        # Only images embedded in the drawing are shown.
        self.assertEqual(page.run("[...document.querySelectorAll('.drawing image')].map(e => e.getAttribute('href')?.slice(0, 10) ?? null)"), [None, "data:image"])

    def test_names_are_escaped(self):
        page = self.open(WORDS)
        self.assertEqual(page.run("[document.images.length, document.querySelectorAll('main script').length]"), [0, 0])
        labels = page.run("Object.fromEntries([...document.querySelectorAll('[data-component]')].map(c => [c.dataset.component, c.querySelector('h3 span:last-child').textContent]))")
        for number, item in enumerate(page.data["components"]["items"]):
            self.assertEqual(labels[str(number)], item["label"])
        self.assertIn("</script><script>alert(1)</script>", labels["0"])

    def test_every_control_is_labelled_and_reachable_by_keyboard(self):
        page = self.open(WORDS)
        unlabelled = page.run("""[...document.querySelectorAll('input, select, button, [tabindex], canvas:not([aria-hidden]), svg[role]')]
            .filter(e => !(e.labels?.length || e.getAttribute('aria-label') || (e.matches('button, [tabindex]') && e.textContent.trim()))).map(e => e.outerHTML.slice(0, 80))""")
        self.assertEqual(unlabelled, [])
        wanted = ".links a, nav button, #components input, #components select, .plot[tabindex], .pairs button, .save button"
        expected = page.run(f"document.querySelectorAll({json.dumps(wanted)}).length")
        page.run("window.reached = new Set(); document.addEventListener('focusin', e => reached.add(e.target))")
        for _ in range(400):
            page.press("Tab")
        self.assertEqual(page.run(f"[...reached].filter(e => e.matches({json.dumps(wanted)})).length"), expected)

    def test_text_has_enough_contrast_in_both_themes(self):
        for dark in (False, True):
            page = self.open(WORDS, dark=dark)
            for text in ("text", "muted", "accent", "good", "doubtful", "poor"):
                for ground in ("ground", "surface"):
                    with self.subTest(dark=dark, text=text, ground=ground):
                        self.assertGreaterEqual(page.contrast(text, ground), 4.5)
