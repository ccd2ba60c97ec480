"""Time to start the command, and to read a .npy file."""

import statistics
import subprocess
import time

import numpy

STARTS = 50
GIGABYTE = 10**9


def run(suite):
    with suite.case("start of the command"):
        seconds = []
        for _ in range(STARTS):
            started = time.perf_counter()
            subprocess.run([suite.command, "--version"], check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - started)
        middle = statistics.median(seconds)
        suite.add("andnmf --version", our_seconds=middle, ratio=1000 * middle, unit="ms", goal="< 20",
                  notes=f"median of {STARTS}, the longest {1000 * max(seconds):.1f} ms")
    for precision, dtype in (("f64", numpy.float64), ("f32", numpy.float32)):
        what = f"reading a .npy file, {precision}"
        with suite.case(what):
            file = suite.folder / f"read-{precision}.npy"
            rows = suite.size(GIGABYTE, GIGABYTE // 20) // (1000 * numpy.dtype(dtype).itemsize)
            numpy.save(file, numpy.random.default_rng(0).random((rows, 1000), dtype=dtype))
            done = suite.kernel("read", precision, file)
            file.unlink()
            suite.add(f"{what}, {done.output['bytes'] / 1e9:.2g} GB", rival="a plain read of the bytes", goal=">= 0.7",
                      rival_seconds=done.output["plain"], our_seconds=done.output["seconds"],
                      notes="the file is in the page cache for both")
