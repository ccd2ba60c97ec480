#!/usr/bin/env python3
"""Opens the report pages of a folder in a real browser and checks that they show their data correctly.

    cargo run -p andnmf-report --example report -- DIR
    cargo run -p andnmf-cli -- demo --out DIR/demo
    cargo run -p andnmf-lab -- fig4 --quick --out DIR/reproduced
    tests/browser/report_page.py DIR

Each folder in DIR has a report.html and its summary.json. To run one test class: `report_page.py DIR ChartsTests`.
"""

import sys
import unittest
from pathlib import Path

import browser
from page_case import PageCase
from charts_tests import ChartsTests
from components_tests import ComponentsTests
from correlation_tests import CorrelationTests
from demo_tests import DemoTests
from download_tests import DownloadTests
from explorer_tests import ExplorerTests
from links_tests import LinksTests
from overview_tests import OverviewTests

__all__ = ["ChartsTests", "ComponentsTests", "CorrelationTests", "DemoTests", "DownloadTests", "ExplorerTests", "LinksTests",
           "OverviewTests"]

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} DIR [TESTS]; DIR is the output of the example `report` of andnmf-report")
    PageCase.pages = Path(sys.argv.pop(1))
    if not any(PageCase.pages.glob("*/report.html")):
        sys.exit(f"{PageCase.pages} has no folder with a report.html")
    if browser.find() is None:
        print("skipped: Chromium not found; install it or set ANDNMF_CHROMIUM")
        sys.exit(0)
    unittest.main()
