"""Base class of the report page tests: one browser, and a check that pages log no messages and load nothing."""

import unittest

import browser
from page_reader import Page

WORDS, IMAGE, CURVE, BARS = "words", "image", "curve", "bars"
FITS = (WORDS, IMAGE, CURVE, BARS)
DEMO = "demo"


class PageCase(unittest.TestCase):
    pages = None

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def open(self, name, **options):
        self.browser.open(self.pages / name / "report.html", **options)
        return Page(self.browser)

    def tearDown(self):
        # In every test, the page must log no messages and load nothing external.
        self.assertEqual(self.browser.messages, [])
        allowed = ("data:", self.pages.resolve().as_uri())
        self.assertEqual([url for url in self.browser.requests if not url.startswith(allowed)], [])
