#!/usr/bin/env python3
"""Measures fits to samples larger than memory, and to samples distributed over processes.

    bench/large_data.py                     everything: 26 GB of disk, 20 GB of memory, about an hour on two cores
    bench/large_data.py dense --folder /big one part: dense sparse dask
    bench/large_data.py --quick             the same at a hundredth of the sizes

dense: a file of 8 GB (single precision, noisy) fitted with `--memory 1G`, in memory, and plain reads of the file. sparse:
ten million documents in a `.csrstore`, a default fit in bounded memory. dask: `andnmf.dask.AND` on one process and on two,
and `andnmf.AND`. Makes its own Python environment under target/, builds what it needs, and prints Markdown. Files go to
--folder (a temporary one by default) and are removed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from harness import ENVIRONMENT, ROOT, build_with_command, enter_environment, heading, print_environment

LAUNCH = ROOT / "bench" / "speed" / "launch.py"
MEMORY_GOAL, TIME_GOAL = 1e9, 1.3
WORDS, TOPICS, LENGTH = 10_000, 20, 40


def measured(folder, *command):
    """Runs a command; returns its seconds and peak memory."""
    report = folder / "report.json"
    subprocess.run([sys.executable, LAUNCH, report, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())


def fit(andnmf, folder, file, *options):
    """One fit: seconds and peak memory of the command, its summary, and the bytes of the components."""
    out = folder / "fitted"
    usage = measured(folder, andnmf, "fit", file, "--out", out, "--force", "--quiet", "--precision", "f32", *options)
    return usage, json.loads((out / "summary.json").read_text()), (out / "components.npy").read_bytes()


def drop_from_page_cache(file):
    """Removes a file from the page cache."""
    with open(file, "rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def plain_read(file):
    """Seconds to read a whole file that is not cached."""
    drop_from_page_cache(file)
    started, buffer = time.perf_counter(), bytearray(1 << 24)
    with open(file, "rb", buffering=0) as opened:
        while opened.readinto(buffer):
            pass
    return time.perf_counter() - started


def noisy_mixtures(file, samples, features, rank):
    """Dirichlet mixtures of random topics with one percent of noise, written block by block."""
    import numpy

    random = numpy.random.default_rng(0)
    truth = random.dirichlet(numpy.full(features, 0.05), size=rank).astype(numpy.float32)
    level = numpy.float32(0.01 * numpy.sqrt((truth**2).mean() / rank))
    out = numpy.lib.format.open_memmap(file, mode="w+", dtype=numpy.float32, shape=(samples, features))
    for first in range(0, samples, 10_000):
        rows = out[first:first + 10_000]
        weights = random.dirichlet(numpy.full(rank, 5 / rank), size=len(rows)).astype(numpy.float32)
        noise = random.standard_normal(rows.shape, dtype=numpy.float32)
        rows[:] = numpy.maximum(weights @ truth + level * noise, 0)
    out.flush()
    return truth


def dense(andnmf, folder, scale):
    heading("A dense file of 8 GB under --memory 1G")
    samples, features, rank = 500_000 // scale, 4000, 20
    file = folder / "dense.npy"
    noisy_mixtures(file, samples, features, rank)
    read = plain_read(file)
    memory = "1G" if scale == 1 else "200M"
    drop_from_page_cache(file)
    outside, summary, components = fit(andnmf, folder, file, "--rank", rank, "--memory", memory)
    inside, _, in_memory = fit(andnmf, folder, file, "--rank", rank)
    passes = summary["passes"] + 3
    floor = max(read * passes, inside["seconds"])
    size = file.stat().st_size
    file.unlink()
    print(f"{samples} x {features} float32, {size / 1e9:.2f} GB, rank {rank}; {summary['passes']} passes of the fit and 3 of the "
          f"command. Out of core: {summary['out_of_core']}; the same components to the bit: {components == in_memory}.\n")
    print("| | seconds | peak memory |\n|---|---|---|")
    print(f"| plain read of the file, once | {read:.1f} | |")
    print(f"| fit in memory | {inside['seconds']:.1f} | {inside['peak'] / 1e9:.2f} GB |")
    print(f"| fit with --memory {memory} | {outside['seconds']:.1f} | {outside['peak'] / 1e9:.2f} GB |")
    ratio = outside["seconds"] / floor
    print(f"\nOver the slower of the fit in memory and {passes} plain reads: {ratio:.2f} (goal {TIME_GOAL}: "
          f"{verdict(ratio <= TIME_GOAL)}); peak (goal below 1 GB: {verdict(outside['peak'] < MEMORY_GOAL)}).", flush=True)


def verdict(good):
    return "met" if good else "missed"


def documents(folder, count):
    """Word counts of a topic model as a CSR matrix in an .npz file, written block by block."""
    import numpy
    import scipy.sparse

    random = numpy.random.default_rng(0)
    topics = random.dirichlet(numpy.full(WORDS, 0.05), size=TOPICS)
    edges = numpy.cumsum(topics, axis=1)
    edges /= edges[:, -1:]
    # One increasing list of edges for all topics: a number in [t, t + 1) finds a word of topic t.
    edges = (edges + numpy.arange(TOPICS)[:, None]).ravel()
    pointers, at_once = [numpy.zeros(1, numpy.int64)], 100_000
    parts = {name: open(folder / f"{name}.raw", "wb") for name in ("indices", "data")}
    for first in range(0, count, at_once):
        n = min(at_once, count - first)
        mixtures = numpy.cumsum(random.dirichlet(numpy.full(TOPICS, 0.1), size=n), axis=1)
        chance = random.random((n, LENGTH))
        topic = (chance[:, :, None] > mixtures[:, None, :-1]).sum(axis=2)
        word = numpy.searchsorted(edges, topic + random.random((n, LENGTH)), side="right") - topic * WORDS
        word = numpy.clip(word, 0, WORDS - 1).astype(numpy.int32)
        rows = numpy.repeat(numpy.arange(n, dtype=numpy.int32), LENGTH)
        block = scipy.sparse.coo_matrix((numpy.ones(n * LENGTH, numpy.float32), (rows, word.ravel())), (n, WORDS)).tocsr()
        block.sum_duplicates()
        block.sort_indices()
        parts["indices"].write(block.indices.astype(numpy.int32).tobytes())
        parts["data"].write(block.data.tobytes())
        pointers.append(block.indptr[1:].astype(numpy.int64) + pointers[-1][-1])
    pointers = numpy.concatenate(pointers)
    for part in parts.values():
        part.close()
    file = folder / "documents.npz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        small = {"indptr": pointers, "shape": numpy.array([count, WORDS]), "format": numpy.array(b"csr")}
        for name, array in small.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                numpy.lib.format.write_array(entry, array)
        for name, kind in (("indices", numpy.int32), ("data", numpy.float32)):
            header = {"descr": numpy.dtype(kind).str, "fortran_order": False, "shape": (int(pointers[-1]),)}
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry, open(folder / f"{name}.raw", "rb") as raw:
                numpy.lib.format.write_array_header_1_0(entry, header)
                while piece := raw.read(1 << 24):
                    entry.write(piece)
            (folder / f"{name}.raw").unlink()
    numpy.save(folder / "topics.npy", topics)
    return file, int(pointers[-1])


def sparse(andnmf, folder, scale):
    heading("Ten million documents in a .csrstore")
    count = 10_000_000 // scale
    archive, stored = documents(folder, count)
    store = folder / "documents.csrstore"
    converted = measured(folder, andnmf, "convert", archive, store, "--precision", "f32", "--quiet")
    archive.unlink()
    memory = f"{max(int(11.5 * count * (TOPICS + 10) * 4 / 1e6), 200)}M"
    drop_from_page_cache(store)
    usage, summary, _ = fit(andnmf, folder, store, "--rank", TOPICS, "--memory", memory)
    size = store.stat().st_size
    store.unlink()
    scored = subprocess.run(
        [andnmf, "evaluate", "--json", "--components", folder / "fitted" / "components.npy", "--truth", folder / "topics.npy"],
        check=True, capture_output=True, text=True,
    )
    error = json.loads(scored.stdout)["relative_total_correlation_error"]
    print(f"{count} documents x {WORDS} words of {TOPICS} topics, {stored} entries, {size / 1e9:.2f} GB.\n")
    print("| | seconds | peak memory |\n|---|---|---|")
    print(f"| `convert` from .npz | {converted['seconds']:.0f} | {converted['peak'] / 1e9:.2f} GB |")
    print(f"| `fit --memory {memory}` | {usage['seconds']:.0f} | {usage['peak'] / 1e9:.2f} GB |")
    print(f"\n{summary['passes']} passes, {summary['stages']} stages, verdict {summary['trust']['verdict']}; error against the "
          f"topics {error:.3g}; out of core: {summary['out_of_core']}.", flush=True)


def on_processes(folder, scale):
    """Fits on Dask clusters of one process and of two."""
    heading("andnmf.dask on one process and on two")
    import dask.array as da
    import numpy
    from dask.distributed import Client, LocalCluster, wait

    import andnmf.dask

    samples, features, rank = 200_000 // scale, 1000, 20
    file = folder / "dense.npy"
    noisy_mixtures(file, samples, features, rank)
    X = numpy.load(file)
    forms = {
        "default": {},
        "30 stages in full space": {
            "threshold": "geometric:0.1:1.1:0.001", "compress": "off", "init": "spa", "max_stages": 30
        },
    }
    print(f"{samples} x {features} float32, rank {rank}, in blocks of {samples // 16} samples held by the workers.\n")
    print("| fit | where | seconds | speedup over one process | distance to the result in memory |\n|---|---|---|---|---|")
    for name, settings in forms.items():
        started = time.perf_counter()
        here = andnmf.AND(rank, random_state=0, **settings).fit(X).components_
        print(f"| {name} | in memory, {os.cpu_count()} threads | {time.perf_counter() - started:.1f} | | |", flush=True)
        one = None
        for processes in (1, 2):
            with (
                LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None) as cluster,
                Client(cluster),
            ):
                # Workers copy their blocks: arrays from the network are not aligned and could not be read in place.
                lazy = da.from_array(X, chunks=(samples // 16, features)).map_blocks(numpy.copy).persist()
                wait(lazy)
                started = time.perf_counter()
                components = andnmf.dask.AND(rank, random_state=0, **settings).fit(lazy).components_
                seconds = time.perf_counter() - started
            one = one or seconds
            distance = numpy.linalg.norm(components - here) / numpy.linalg.norm(here)
            print(f"| {name} | {processes} process(es), one thread each | {seconds:.1f} | {one / seconds:.2f} | {distance:.1e} |",
                  flush=True)
    file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=[], metavar="PART", help="dense, sparse, dask [all]")
    parser.add_argument("--folder", type=Path, help="folder for files [a temporary folder]")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the sizes")
    arguments = parser.parse_args()
    parts = arguments.parts or ["dense", "sparse", "dask"]
    if unknown := set(parts) - {"dense", "sparse", "dask"}:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; choose from dense, sparse, dask")
    enter_environment()
    andnmf = build_with_command()["andnmf"]
    print_environment()
    scale = 100 if arguments.quick else 1
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for part in parts:
            if part == "dask":
                python = ENVIRONMENT / "bin" / "python"
                install = [python, "-m", "pip", "install", "--quiet", ROOT / "bindings" / "python[dask]"]
                subprocess.run(list(map(str, install)), check=True)
                on_processes(Path(folder), scale)
            else:
                {"dense": dense, "sparse": sparse}[part](andnmf, Path(folder), scale)


if __name__ == "__main__":
    main()
