"""Charts saved as SVG and PNG, and tables as CSV."""

import base64
import csv
import io
import struct
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from page_case import BARS, CURVE, FITS, IMAGE, WORDS, PageCase

SVG = "{http://www.w3.org/2000/svg}"


class DownloadTests(PageCase):
    def open(self, name, **options):
        """Opens a page that keeps its last saved file: browsers let a page save only a few files on its own."""
        page = super().open(name, **options)
        page.run("""(() => {
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { window.savedBlob = blob; return make(blob); };
            HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
        })()""")
        return page

    def save(self, page, name, kind):
        """Clicks a button and returns the name and the contents of the file."""
        page.run(f"""window.savedName = null; document.querySelector('[aria-label="Save {name} as {kind}"]').click()""")
        file, encoded = page.run("""(async () => {
            while (window.savedName === null) await new Promise((done) => setTimeout(done, 10));
            const bytes = new Uint8Array(await window.savedBlob.arrayBuffer());
            let text = "";
            for (const byte of bytes) text += String.fromCharCode(byte);
            return [window.savedName, btoa(text)];
        })()""")
        return file, base64.b64decode(encoded)

    def table(self, page, name):
        text = self.save(page, name, "CSV")[1].decode()
        return list(csv.reader(io.StringIO(text, newline="")))

    def names(self, page, kind):
        return page.run(f"[...document.querySelectorAll('[data-save={kind}]')].map(b => b.getAttribute('aria-label').replace(/^Save | as {kind}$/g, ''))")

    def test_buttons_save_files(self):
        with tempfile.TemporaryDirectory() as folder:
            self.browser.save_to(folder)
            page = super().open(WORDS)
            for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("CSV", b"component,")):
                page.click(f'[aria-label="Save map of components as {kind}"]')
                file = Path(folder) / f"Topics-of-made-up-documents-map-of-components.{kind.lower()}"
                end = time.monotonic() + 20
                while not (file.exists() and file.stat().st_size > 0) and time.monotonic() < end:
                    time.sleep(0.02)
                self.assertTrue(file.read_bytes().startswith(start), kind)

    def test_every_chart_is_a_drawing_of_its_own(self):
        for name in FITS:
            page = self.open(name)
            charts = self.names(page, "SVG")
            self.assertIn("map of components", charts)
            self.assertIn("correlations", charts)
            for chart in charts:
                with self.subTest(page=name, chart=chart):
                    file, contents = self.save(page, chart, "SVG")
                    self.assertNotRegex(file, r"[/\\:*?\"<>|&]")
                    root = ET.fromstring(contents)
                    self.assertEqual(root.tag, f"{SVG}svg")
                    self.assertEqual(root.find(f"{SVG}title").text, chart)
                    shapes = [e for e in root.iter() if e.tag in (f"{SVG}path", f"{SVG}circle", f"{SVG}rect", f"{SVG}image")]
                    self.assertGreater(len(shapes), 1)
                    for element in root.iter():
                        self.assertNotIn("class", element.attrib)
                        self.assertFalse([value for value in element.attrib.values() if "var(" in value])
                    for text in root.iter(f"{SVG}text"):
                        self.assertRegex(text.get("fill"), r"^rgb\(")
                        self.assertRegex(text.get("font-size"), r"^[\d.]+px$")

    def test_saved_drawings_look_like_the_page(self):
        page = self.open(WORDS)
        for name, selector in (("map of components", ".map-plot"), ("correlations", ".map .plot"), ("strong pairs", ".pair-plot")):
            root = ET.fromstring(self.save(page, name, "SVG")[1])
            texts = [text.text for text in root.iter(f"{SVG}text")]
            shown = page.texts(f"{selector} text")
            # The saved matrix also explains its colours.
            self.assertEqual(texts, shown + ["−1", "+1"] if name == "correlations" else shown)
            circles = [circle.get("fill") for circle in root.iter(f"{SVG}circle")]
            self.assertEqual(circles, page.run(f"[...document.querySelectorAll('{selector} circle')].map(c => getComputedStyle(c).fill)"))

    def test_pictures_are_large_and_not_empty(self):
        for name, chart in ((WORDS, "map of components"), (CURVE, "component"), (IMAGE, "component"), (BARS, "correlations")):
            page = self.open(name)
            chart = next(found for found in self.names(page, "PNG") if found.startswith(chart))
            _, contents = self.save(page, chart, "PNG")
            self.assertEqual(contents[:8], b"\x89PNG\r\n\x1a\n")
            width, height = struct.unpack(">II", contents[16:24])
            self.assertGreaterEqual(width, 1599)
            self.assertGreater(len(contents), width * height / 1000)

    def test_tables_have_the_numbers_of_the_page(self):
        page = self.open(WORDS)
        parts, found = page.data["components"], page.data["correlations"]
        header, *rows = self.table(page, "components")
        self.assertEqual(header[:3], ["component", "name", "share"])
        for k, (row, item) in enumerate(zip(rows, parts["items"], strict=True)):
            self.assertEqual((row[0], row[1], float(row[2])), (str(k), item["label"], item["share"]))
        page.slide("#relevance", 1.0)
        _, *rows = self.table(page, "features")
        wanted = [(str(k), name, value) for k, item in enumerate(parts["items"]) for name, value, _ in page.ranked(item, 1.0)]
        self.assertEqual([(row[0], row[3], float(row[4])) for row in rows], wanted)
        _, *rows = self.table(page, "top samples")
        wanted = [(str(k), str(top["sample"]), parts["samples"]["names"][str(top["sample"])], top["weight"], parts["samples"]["texts"][str(top["sample"])])
                  for k, item in enumerate(parts["items"]) for top in item["top_samples"]]
        self.assertEqual([(row[0], row[3], row[4], float(row[5]), row[7]) for row in rows], wanted)
        header, *rows = self.table(page, "correlations")
        order = found["order"]
        self.assertEqual(header[2:], [str(found["members"][i]) for i in order])
        for i, row in zip(order, rows, strict=True):
            expected = [1 if i == j else found["lower"][max(i, j)][min(i, j)] for j in order]
            self.assertEqual([float(value) for value in row[2:]], expected)
        trace = page.data["trace"]
        chart = next(name for name in self.names(page, "CSV") if name.endswith("by stage"))
        _, *rows = self.table(page, chart)
        self.assertEqual([float(row[0]) for row in rows], trace["stage"])
        self.assertEqual([float(row[1]) for row in rows], trace["relative_correlation_error"])
        _, *rows = self.table(page, "activity")
        self.assertEqual([int(row[4]) for row in rows], [n for item in parts["items"] for n in item["activity"]["counts"]])

    def test_every_table_can_be_read(self):
        for name in (*FITS, "many", "sections"):
            page = self.open(name)
            for table in self.names(page, "CSV"):
                with self.subTest(page=name, table=table):
                    header, *rows = self.table(page, table)
                    self.assertTrue(rows)
                    self.assertEqual({len(row) for row in rows}, {len(header)})
