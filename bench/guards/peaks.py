"""--memory is kept: measured peaks of fits and conversions over formats, methods and limits."""

import itertools
import re

import numpy as np
import scipy.sparse

from .run import run

#: Measured peaks may exceed the limit by this factor.
TOLERANCE = 1.05
LIMITS = ["12M", "20M", "35M", "54M", "80M", "120M", "200M"]
METHODS = ["and", "hals", "anls", "mu", "min-volume", "lda", "anchor-words", "and --threshold geometric:0.1:1.5"]
TARGETS = ["npy", "csrstore", "npz", "mtx", "csv", "csv.gz"]


def rounds(guard):
    files = make(guard)
    cases = [*fits(files), *conversions(files)]
    np.random.default_rng(guard.seed).shuffle(cases)
    cases = cases[:12] if guard.quick else cases
    for number in itertools.count():
        for name, arguments, limit in cases:
            out = guard.folder / f"out{number}"
            attack(guard, name, [*arguments, "--memory", limit], out, size(limit))
            if not guard.quick:
                yield
        yield


def attack(guard, name, arguments, out, limit):
    target = out.with_name(out.name + "." + arguments[2]) if arguments[0] == "convert" else out
    arguments = [arguments[0], arguments[1], target, *arguments[3:]] if arguments[0] == "convert" else [*arguments, "--out", out]
    done = run([guard.command, *arguments], timeout=600)
    guard.count("runs")
    guard.count("refused", int(done.status == 2))
    guard.largest("peak over limit", done.peak / limit)
    said = " ".join(map(str, arguments))
    if done.status not in (0, 2):
        guard.find(f"{name}: status {done.status}: {said}: {done.err[:500]}")
    if done.peak > TOLERANCE * limit:
        guard.find(f"{name}: {done.peak / 1e6:.0f} MB of {limit / 1e6:.0f} MB (status {done.status}): {said}")
    for path in (out, target):
        run(["rm", "-rf", path])


def size(limit):
    number, unit = re.fullmatch(r"([\d.]+)([MG])", limit).groups()
    return float(number) * {"M": 1e6, "G": 1e9}[unit]


def fits(files):
    for (name, path), method, limit in itertools.product(files.items(), METHODS, LIMITS):
        words = method.split()
        yield f"fit {name} {words[0]}", ["fit", path, "--rank", "5", "--stages", "3", "--method", *words], limit


def conversions(files):
    for (name, path), target, limit in itertools.product(files.items(), TARGETS, LIMITS):
        yield f"convert {name} to {target}", ["convert", path, target, "--force"], limit


def make(guard):
    """Dense and sparse samples of about 16 MB in memory, in every format, and ones that pack to nearly nothing."""
    rng = np.random.default_rng(1)
    few = scipy.sparse.random_array((6000, 800), density=0.05, rng=rng, data_sampler=lambda size: rng.integers(1, 9, size))
    few = scipy.sparse.csr_array(few.astype(float))
    dense = (rng.random((4000, 6)) @ rng.random((6, 500))).round(3)
    folder = guard.folder
    np.save(folder / "dense.npy", dense)
    scipy.sparse.save_npz(folder / "csr.npz", few)
    scipy.sparse.save_npz(folder / "csc.npz", few.tocsc())
    scipy.sparse.save_npz(folder / "coo.npz", few.tocoo())
    np.savez_compressed(folder / "one.npz", x=dense)
    np.save(folder / "zeros.npy", np.zeros((20000, 300)))
    files = {name: folder / name for name in ("dense.npy", "csr.npz", "csc.npz", "coo.npz", "one.npz")}
    made = {"dense.npy": ["dense.csv", "dense.csv.gz", "dense.mtx"], "csr.npz": ["few.csrstore", "few.mtx.gz", "few.svmlight",
            "docword.few.txt.gz"], "zeros.npy": ["zeros.csv.gz"]}
    for source, targets in made.items():
        for target in targets:
            done = run([guard.command, "convert", folder / source, folder / target], timeout=600)
            assert done.status == 0, done.err
            files[target] = folder / target
    return files
