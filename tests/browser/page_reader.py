"""Reads the texts, charts and colours of a report page as a person sees them."""

import json
import math
import re

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def parse_number(text):
    """Parses a number as shown on the page: 0.5 for "50 %", 90 for "1 min 30 s"."""
    plain = text.replace("\u202f", "").replace("−", "-").strip()
    if clock := re.fullmatch(r"(?:(\d+) h )?(\d+) min(?: (\d+) s)?", plain):
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return 3600 * hours + 60 * minutes + seconds
    found = re.fullmatch(r"([-+]?[\d.]*)(?:( × )?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?( %| s)?", plain)
    if not found:
        raise ValueError(f"{text!r} is not a number")
    digits, _, exponent, unit = found.groups()
    value = float(digits or 1) * 10.0 ** int((exponent or "0").translate(RAISED))
    return value / 100 if unit == " %" else value


def equals_rounded(shown, value, absolute=0.0, digits=4):
    """Returns True if a shown number equals the value up to rounding to this many digits (3 for shares and times)."""
    return math.isclose(shown, value, rel_tol=6e-3 if digits == 3 or (shown < 1 and absolute == 0.0) else 1e-3, abs_tol=absolute)


class Page:
    """An open report page."""

    def __init__(self, browser):
        self._browser = browser
        self.run, self.click, self.box = browser.run, browser.click, browser.box
        self.press, self.settle = browser.press, browser.settle
        self.data = json.loads(self.run("document.getElementById('report-data').textContent"))

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def components(self):
        return self.run("[...document.querySelectorAll('[data-component]')].map(e => Number(e.dataset.component))")

    def activities(self):
        return self.run("[...document.querySelectorAll('[data-activity]')].map(e => Number(e.dataset.activity))")

    def choose(self, selector, value):
        self.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};
            if (e.value !== {json.dumps(value)}) throw new Error("no such option"); e.dispatchEvent(new Event("change")); }})()""")
        self.settle()

    def ranked(self, item, weight=None):
        """The features of a component as (name, value, lift) in the order of their relevance."""
        parts = self.data["components"]
        weight = parts["frequency_weight"] if weight is None else weight
        count = {"words": 30, "bars": 30, "curve": 10, "image": 0}[parts["kind"]]
        relevance = lambda entry: -(weight * math.log(abs(entry[1])) + (1 - weight) * math.log(entry[2]))
        ranked = sorted(item["features"], key=relevance)[:count]
        return [(parts["names"][at], value, lift) for at, value, lift in ranked]

    def slide(self, selector, value):
        self.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {value}; e.dispatchEvent(new Event("input")); }})()""")
        self.settle()

    def names_of(self, item):
        """The names of all features that a component lists at any position of the slider."""
        return [self.data["components"]["names"][at] for at, _, _ in item["features"]]

    def search(self, text):
        self.click("#components input[type=search]")
        self.run("document.querySelector('#components input[type=search]').select()")
        if text:
            self._browser.type(text)
        else:
            self.press("Delete")

    def ticks(self, section, anchor):
        """Values and pixel positions of the ticks of one axis: "end" is left, "middle" bottom, "start" right."""
        found = self.run(f"""[...document.querySelectorAll({json.dumps(section + " .plot text:not(.title)")})]
            .filter(t => (t.getAttribute('text-anchor') ?? 'start') === {json.dumps(anchor)})
            .map(t => [t.textContent, Number(t.getAttribute('x')), Number(t.getAttribute('y'))])""")
        return [(parse_number(text), x if anchor == "middle" else y - 4) for text, x, y in found]

    def curve_values(self, section, series, right=False):
        """The data values of a curve, computed from its pixels and the ticks of its axes."""
        path = self.run(f"document.querySelectorAll({json.dumps(section + ' [data-series]')})[{series}].querySelector('path.line').getAttribute('d')")
        points = [[float(part) for part in point.split()] for point in re.split("[ML]", path) if point]
        below = self.ticks(section, "middle")
        beside = self.ticks(section, "start" if right else "end")
        (v0, x0), (v1, x1) = below[0], below[-1]
        (w0, y0), (w1, y1) = beside[0], beside[-1]
        decades = math.log10(w1 / w0) / (y1 - y0)
        return [v0 + (x - x0) * (v1 - v0) / (x1 - x0) for x, _ in points], [w0 * 10 ** ((y - y0) * decades) for _, y in points]

    def pixels(self, selector):
        """The pixels of a canvas, or of an image in a drawing."""
        # From a copy: the browser logs a warning about canvases that are read repeatedly.
        flat = self.run(f"""(async () => {{ let drawn = document.querySelector({json.dumps(selector)});
            if (drawn.localName === "image") {{
                const picture = new Image();
                picture.src = drawn.getAttribute("href");
                await picture.decode();
                drawn = picture;
            }}
            const copy = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d", {{ willReadFrequently: true }});
            copy.drawImage(drawn, 0, 0);
            return [...copy.getImageData(0, 0, drawn.width, drawn.height).data]; }})()""")
        return [tuple(flat[i:i + 3]) for i in range(0, len(flat), 4)]

    def contrast(self, text, ground):
        """The contrast ratio, as defined by the accessibility guidelines (WCAG)."""
        def luminance(name):
            code = self.run(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()").lstrip("#")
            parts = [int(code[i:i + 2], 16) / 255 for i in (0, 2, 4)]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        light, dark = sorted((luminance(text), luminance(ground)), reverse=True)
        return (light + 0.05) / (dark + 0.05)
