"""What all tests of report pages share: one browser, and the demand that pages keep quiet."""

import unittest

import browser
from reading import Page

WORDS, IMAGE, CURVE, BARS = "words", "image", "curve", "bars"
FITS = (WORDS, IMAGE, CURVE, BARS)
DEMO = "demo"


class PageCase(unittest.TestCase):
    pages = None

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def open(self, name, **how):
        self.browser.open(self.pages / name / "report.html", **how)
        return Page(self.browser)

    def tearDown(self):
        # Whatever a test did, the page must neither have complained nor looked for anything outside.
        self.assertEqual(self.browser.complaints, [])
        inside = ("data:", self.pages.resolve().as_uri())
        self.assertEqual([url for url in self.browser.requests if not url.startswith(inside)], [])
