"""Growth of the time of a stage and of a default fit: exponents fitted on grids of doubled sizes, and a chart."""

import json

import numpy

LINEAR = "<= 1.1"
QUADRATIC = "<= 2.1"


def doubled(first, count):
    return [first * 2**i for i in range(count)]


def grids(suite):
    """Rows of name, growing size, sizes, goal."""
    return [
        ("dense-samples", "samples, dense f32 of 500 features", suite.size(doubled(15_625, 7), doubled(2000, 3)), LINEAR),
        ("features", "features, dense f32", suite.size(doubled(250, 6), doubled(100, 3)), LINEAR),
        ("rank", "rank, dense f32", suite.size(doubled(10, 5), doubled(10, 3)), QUADRATIC),
        ("sparse-samples", "samples, CSR of 10 values each", suite.size(doubled(156_250, 7), doubled(5000, 3)), LINEAR),
        ("stored", "stored values, CSR", suite.size(doubled(10, 6), doubled(10, 3)), LINEAR),
    ]


def run(suite):
    panels = []
    for name, grows, sizes, goal in grids(suite):
        with suite.case(f"growth with {grows}"):
            points = suite.kernel("growth", name, ",".join(map(str, sizes))).output["points"]
            lines, exponents = [], []
            for timed in ("stage", "fit"):
                xs, ys = [point["x"] for point in points], [point[timed] for point in points]
                exponent = numpy.polyfit(numpy.log(xs), numpy.log(ys), 1)[0]
                title = "stage" if timed == "stage" else "default fit"
                seconds = ", ".join(f"{y:.2g}" for y in ys)
                suite.add(f"{title}, growth with {grows}", unit="(exponent)", ratio=exponent, goal=goal,
                          our_seconds=ys[-1], notes=f"{xs[0]:g} to {xs[-1]:g}: {seconds} s")
                exponents.append(f"{exponent:.2f}")
                lines.append({"name": title, "points": list(zip(xs, ys))})
            axis = f"{grows.split(',')[0]} (exponents {' and '.join(exponents)})"
            panels.append({"title": grows, "x": axis, "y": "seconds", "lines": lines})
    with suite.case("chart"):
        figures = suite.folder / "growth.json"
        figures.write_text(json.dumps({"title": "Seconds of a stage and of a default fit", "note": None, "panels": panels}))
        suite.kernel("chart", figures, suite.out / "scaling.svg")
