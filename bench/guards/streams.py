"""`fit -` on samples that stall, break and lie."""

import io
import itertools
import subprocess
import time

import numpy as np

from .run import run

ROWS, ROWS_WHEN_QUICK = 1_000_000, 4_000
BATCH, WIDTH, RANK = 500, 12, 3


def rounds(guard):
    rng = np.random.default_rng(guard.seed)
    rows = ROWS_WHEN_QUICK if guard.quick else ROWS
    truth = rng.random((RANK, WIDTH)) ** 3
    for number in itertools.count():
        for kind in ("whole", "stalls", "breaks", "ragged", "not finite", "lying header", "other width", "ends in a batch"):
            few = rows if kind == "whole" else min(rows, 20_000)
            attack(guard, kind, pieces(kind, few, truth, rng), few)
        yield


def attack(guard, kind, source, rows):
    out = guard.folder / "out"
    run(["rm", "-rf", out])
    arguments = [guard.command, "fit", "-", "--rank", RANK, "--batch", BATCH, "--save-every", "1" if rows < 50_000 else "50",
                 "--quiet", "--out", out]
    process = subprocess.Popen([str(word) for word in arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for piece in source:
            process.stdin.write(piece)
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None
    try:
        _, err = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        return guard.find(f"{kind}: it does not end")
    err = err.decode(errors="replace")
    guard.count("streams")
    guard.count("samples", rows)
    good = kind in ("whole", "stalls", "ends in a batch")
    if process.returncode != (0 if good else 2):
        guard.find(f"{kind}: status {process.returncode}: {err[:500]}")
    if not good and "standard input" not in err:
        guard.find(f"{kind}: the error does not name its source: {err[:500]}")
    import andnmf

    model = andnmf.load(out / "model.safetensors")
    if not np.isfinite(model.components_).all():
        guard.find(f"{kind}: components that are not finite")
    return None


def npy(rows, shape=None):
    file = io.BytesIO()
    np.save(file, rows)
    made = file.getvalue()
    if shape is not None:
        before, now = str(rows.shape).encode(), str(shape).encode()
        # The header is padded with blanks before its line end.
        padding = b" " * (len(now) - len(before)) + b"\n"
        made = made.replace(before, now, 1).replace(padding, b"\n", 1)
        assert len(made) == len(file.getvalue())
    return made


def pieces(kind, rows, truth, rng):
    """The stream in pieces, with its fault in the second half."""
    def block(count):
        return rng.random((count, RANK)) ** 4 @ truth

    half = rows // 2
    for start in range(0, half, 1000):
        yield npy(block(1000)[: half - start])
        if kind == "stalls" and start % 5000 == 0:
            time.sleep(0.3)
    if kind == "breaks":
        yield npy(block(1000))[:20_011]
    elif kind == "ragged":
        yield b"1,2,3\n4,5\n"
    elif kind == "not finite":
        bad = block(1000)
        bad[500, 3] = np.nan
        yield npy(bad)
    elif kind == "lying header":
        yield npy(block(1000), (9999999, WIDTH))[:40_003]
    elif kind == "other width":
        yield npy(np.ones((10, WIDTH + 1)))
    elif kind == "ends in a batch":
        yield npy(block(BATCH // 3))
    else:
        for start in range(half, rows, 1000):
            yield npy(block(1000)[: rows - start])
