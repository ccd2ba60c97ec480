#!/usr/bin/env python3
"""Measures the overhead of the Python package over the library: time, and memory beyond the samples.

    bench/binding.py                     5000 samples of 2940 features, 100 components, float64 and float32
    bench/binding.py --samples 20000

Makes its own Python environment under target/, installs bindings/python into it (a release build), and prints Markdown.
The overhead is the time of `AND.fit` over the time of the library in the same call: from samples in memory to weights and
reconstruction error. The memory is the growth of the process's peak during the fit, as a share of the samples' size: a
copy of them would be 1 or more. Needs Linux (/proc).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from harness import ROOT, enter_environment, print_environment

OVERHEAD_GOAL = 0.02
MEMORY_GOAL = 1.0


def measure(file, rank, repeats):
    """Overhead and memory of fits, in a process that held nothing larger than the samples before."""
    import numpy

    import andnmf

    def peak():
        # getrusage may report the peak of the parent process.
        status = pathlib.Path("/proc/self/status").read_text()
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])

    samples = numpy.load(file)
    # Warm-up: imports and threads count for neither time nor memory.
    andnmf.AND(4, random_state=0).fit(numpy.ascontiguousarray(samples[:200, :50]))
    before, ratios, seconds = peak(), [], []
    for _ in range(repeats):
        model = andnmf.AND(rank, random_state=0)
        started = time.perf_counter()
        model.fit(samples)
        seconds.append(time.perf_counter() - started)
        ratios.append(seconds[-1] / model._fit_record["library_seconds"] - 1)
    return {"overhead": min(ratios), "seconds": min(seconds), "memory": (peak() - before) / samples.nbytes,
            "solver": model._fit_record["solver_seconds"], "megabytes": samples.nbytes / 1e6}


def make(args, dtype, folder):
    """Writes generated samples to a file and returns its path."""
    import numpy

    import andnmf

    sizes = {"n_samples": args.samples, "n_features": args.features, "n_components": args.rank}
    file = f"{folder}/samples.npy"
    numpy.save(file, andnmf.datasets.make_dir(**sizes).samples.astype(dtype))
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5000, help="number of samples (5000)")
    parser.add_argument("--features", type=int, default=2940, help="number of features (2940)")
    parser.add_argument("--rank", type=int, default=100, help="number of components (100)")
    parser.add_argument("--repeats", type=int, default=3, help="fits; the shortest counts (3)")
    parser.add_argument("--one", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one, args.rank, args.repeats)))
        return
    enter_environment()
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", str(ROOT / "bindings" / "python")], check=True)
    print_environment()
    print(f"\nfit of {args.samples} x {args.features}, {args.rank} components, shortest of {args.repeats}\n")
    print("| precision | fit | overhead | goal | memory beyond the samples | goal |\n|---|---|---|---|---|---|")
    missed = False
    for dtype in ("float64", "float32"):
        with tempfile.TemporaryDirectory() as folder:
            file = make(args, dtype, folder)
            done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one", file], check=True, capture_output=True)
        result = json.loads(done.stdout)
        missed |= result["overhead"] >= OVERHEAD_GOAL or result["memory"] >= MEMORY_GOAL
        print(f"| {dtype} | {result['seconds']:.2f} s | {result['overhead']:.2%} | {OVERHEAD_GOAL:.0%} | "
              f"{result['memory']:.2f} of {result['megabytes']:.0f} MB | {MEMORY_GOAL:.0f} |", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
