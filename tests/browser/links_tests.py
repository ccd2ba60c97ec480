"""Deep links: addresses that open what they name, and follow what the reader looks at."""

import tempfile
import time
from html import escape
from pathlib import Path

from page_case import IMAGE, WORDS, PageCase


class LinksTests(PageCase):
    def fragment(self, page, awaited):
        """The end of the address, which is written a moment after a change."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            found = page.run("location.hash")
            if found == awaited:
                break
            time.sleep(0.05)
        return found

    def selected(self, page):
        return page.run("Number(document.querySelector('.place.selected').dataset.place)")

    def top(self, page, selector):
        return page.run(f"document.querySelector('{selector}').getBoundingClientRect().top")

    def test_a_link_opens_its_component(self):
        page = self.open(WORDS, fragment="#component-11&relevance=1&sort=name&search=<img")
        self.assertEqual(self.selected(page), 11)
        self.assertEqual(page.run("document.getElementById('relevance').value"), "1")
        wanted = [name for name, _, _ in page.ranked(page.data["components"]["items"][11], 1.0)][:15]
        self.assertEqual(page.texts("#selected .bars li span:nth-child(2)"), wanted)
        self.assertEqual(page.run("[document.querySelector('#components select').value, document.querySelector('#components input[type=search]').value]"), ["name", "<img"])
        self.assertIn(1, page.components())
        self.assertTrue(-5 < self.top(page, "#explorer") < 200, self.top(page, "#explorer"))

    def test_links_to_pairs_and_sections(self):
        page = self.open(WORDS, fragment="#pair-3-7")
        self.assertIn("between", page.texts("#correlation .correlation .readout")[0])
        labels = [page.data["components"]["items"][k]["label"] for k in (3, 7)]
        self.assertTrue(all(label in page.texts("#correlation .correlation .readout")[0] for label in labels))
        self.assertTrue(-5 < self.top(page, "#correlation") < 200)
        page = self.open(WORDS, fragment="#activity")
        self.assertTrue(-5 < self.top(page, "#activity") < 200)

    def test_wrong_links_are_ignored(self):
        for fragment in ("#component-999", "#component--1", "#pair-0-99", "#nothing", "#%E0%A4%A", "#component-2&relevance=x&sort=none&search=%E0", "#a[b]'\"<"):
            with self.subTest(fragment=fragment):
                page = self.open(WORDS, fragment=fragment)
                self.assertEqual(page.run("document.getElementById('relevance').value"), "0.3")
                self.assertEqual(len(page.components()), 20)
                self.assertEqual(self.browser.messages, [])

    def test_the_address_follows_the_reader(self):
        page = self.open(WORDS)
        page.click("[data-place='4'] circle")
        self.assertEqual(self.fragment(page, "#component-4"), "#component-4")
        page.slide("#relevance", 0.7)
        self.assertEqual(self.fragment(page, "#component-4&relevance=0.7"), "#component-4&relevance=0.7")
        page.search("ka&=#")
        self.assertEqual(self.fragment(page, "#component-4&relevance=0.7&search=ka%26%3D%23"), "#component-4&relevance=0.7&search=ka%26%3D%23")
        address = page.run("location.hash")
        page = self.open(WORDS, fragment=address)
        self.assertEqual((self.selected(page), page.run("document.querySelector('#components input[type=search]').value")), (4, "ka&=#"))
        page.click(".pairs tbody tr:nth-child(2) button")
        pair = page.data["correlations"]["pairs"][1]
        self.assertTrue(self.fragment(page, f"#pair-{pair['first']}-{pair['second']}&relevance=0.7&search=ka%26%3D%23").startswith(f"#pair-{pair['first']}-{pair['second']}&"))

    def test_headings_lead_to_their_component_and_back(self):
        page = self.open(IMAGE)
        first = self.selected(page)
        other = page.components()[3]
        page.click(f"[data-component='{other}'] h3 a span")
        self.assertEqual((self.selected(page), page.run("location.hash")), (other, f"#component-{other}"))
        page.run("history.back()")
        time.sleep(0.2)
        page.settle()
        self.assertEqual(page.run("location.hash"), "")
        self.assertNotEqual(first, other)

    def test_in_a_frame_of_a_notebook_links_stay_within_the_page(self):
        page = (self.pages / WORDS / "report.html").read_text()
        with tempfile.TemporaryDirectory() as folder:
            notebook = Path(folder) / "notebook.html"
            notebook.write_text(f'<!doctype html><title>notebook</title><iframe srcdoc="{escape(page)}" style="width: 100%; height: 720px"></iframe>')
            self.browser.open(notebook)
            run, inner = self.browser.run, "document.querySelector('iframe').contentWindow"
            self.assertEqual(run(f"{inner}.document.querySelectorAll('[data-component]').length"), 20)
            run(f"{inner}.document.querySelector(\".links a[href='#correlation']\").click()")
            self.browser.settle()
            self.assertTrue(-5 < run(f"{inner}.document.getElementById('correlation').getBoundingClientRect().top") < 200)
            run(f"{inner}.document.querySelector('[data-place=\"4\"]').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
            time.sleep(0.4)
            self.assertEqual(run(f"{inner}.document.querySelector('.place.selected').dataset.place"), "4")
            self.assertEqual(run("[document.title, location.hash]"), ["notebook", ""])
            self.assertEqual([url for url in self.browser.requests if url.startswith("http")], [])
        self.browser.requests.clear()
