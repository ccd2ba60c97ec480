"""Damaged files through every reader of the command."""

import gzip
import io
import itertools
import struct
import tarfile
import zipfile

import numpy as np

from .files import corpus
from .run import run

FILES_PER_ROUND, FILES_WHEN_QUICK = 1000, 230
#: The most memory for a damaged file: the program, and what packed data of this length can justify.
MEMORY, MEMORY_PER_BYTE = 220e6, 2100
SECONDS = 20
EXTREMES = [0, 1, -1, 2**7, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, -(2**63), 2**64 - 1]
WORDS = [b"nan", b"inf", b"-0", b"1e999", b"-1", b"18446744073709551615", b"999999999999", b"\0", b"\xff", b"\n", b'"',
         b"\r\n", b",", b"\t", b" ", b"%", b":", b"{", b"}", b"[", b"\x1b[2J", "\u202e".encode(), b"../../x", b"PK\x03\x04"]


def rounds(guard):
    seeds = corpus(guard)
    rng = np.random.default_rng(guard.seed)
    for number in itertools.count():
        per_round = FILES_WHEN_QUICK if guard.quick else FILES_PER_ROUND
        for i in range(per_round):
            attack(guard, seeds[i % len(seeds)], seeds, rng, f"seed {guard.seed}, round {number}, file {i}")
        yield


def attack(guard, seed, seeds, rng, where):
    """Runs the command on a damaged copy of a seed."""
    other = seeds[rng.integers(len(seeds))].contents
    damaged = damage(seed.contents, other, rng)
    seed.path.write_bytes(damaged)
    done = run([guard.command, *seed.arguments], timeout=SECONDS)
    guard.count("files")
    guard.largest("most MB", done.peak / 1e6)
    guard.largest("longest seconds", done.seconds)
    what = f"{seed.name}, {where}: {' '.join(map(str, seed.arguments))}"
    control = [letter for letter in done.err if letter not in "\n\t" and (ord(letter) < 32 or 127 <= ord(letter) < 160)]
    if done.status is None:
        guard.find(f"{what}: more than {SECONDS} seconds", seed.path)
    elif done.status not in (0, 2):
        guard.find(f"{what}: status {done.status}: {done.err[:500]}", seed.path)
    elif "panic" in done.err or "internal error" in done.err:
        guard.find(f"{what}: {done.err[:500]}", seed.path)
    elif control:
        guard.find(f"{what}: control characters in {done.err[:500]!r}", seed.path)
    elif done.peak > MEMORY + MEMORY_PER_BYTE * len(damaged):
        guard.find(f"{what}: {done.peak / 1e6:.0f} MB for {len(damaged)} bytes", seed.path)
    elif done.status == 2 and seed.output is not None and seed.output.exists():
        guard.find(f"{what}: a refused request left {seed.output.name}", seed.path)
    elif done.status == 0 and seed.output is not None and seed.output.suffix == ".npy":
        values = np.load(seed.output)
        if not np.isfinite(values).all():
            guard.find(f"{what}: values that are not finite", seed.path)
    guard.count("accepted" if done.status == 0 else "refused")
    left = [path for path in seed.path.parent.iterdir() if path.name.startswith(".andnmf-") and path != seed.path]
    if left:
        guard.find(f"{what}: left {left[0].name}", seed.path)
    seed.clean()


def damage(contents, other, rng):
    """Damages the contents of a file, or what is packed in it."""
    if rng.random() < 0.5:
        unpacked = unpack(contents)
        if unpacked is not None:
            return unpacked(lambda inner: damage_bytes(inner, other, rng), rng)
    return damage_bytes(contents, other, rng)


def unpack(contents):
    """A function that packs changed contents again; None for a file that is not packed."""
    if contents[:2] == b"\x1f\x8b":
        return lambda change, rng: gzip.compress(change(gzip.decompress(contents)), 1)
    if contents[:2] == b"PK":
        return lambda change, rng: change_member(contents, change, rng)
    if len(contents) > 263 and contents[257:262] == b"ustar":
        return lambda change, rng: change_tar(contents, change, rng)
    return None


def change_member(contents, change, rng):
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(contents)) as old, zipfile.ZipFile(made, "w") as new:
        chosen = rng.integers(len(old.infolist()))
        methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
        for i, member in enumerate(old.infolist()):
            inner = old.read(member)
            method = methods[rng.choice(4, p=[0.48, 0.48, 0.02, 0.02])]
            new.writestr(member.filename, change(inner) if i == chosen else inner, method)
    return made.getvalue()


def change_tar(contents, change, rng):
    made = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(contents)) as old, tarfile.open(fileobj=made, mode="w") as new:
        members = old.getmembers()
        chosen = rng.integers(len(members))
        for i, member in enumerate(members):
            inner = old.extractfile(member).read()
            inner = change(inner) if i == chosen else inner
            member.size = len(inner)
            if rng.random() < 0.2:
                member.name += "\x1b[31m\n"
            new.addfile(member, io.BytesIO(inner))
    return made.getvalue()


def damage_bytes(contents, other, rng):
    bytes_ = bytearray(contents)
    for _ in range(1 + rng.geometric(0.5)):
        length = len(bytes_)
        at = int(rng.integers(length + 1))
        kind = rng.integers(10)
        if kind == 0 and length:
            bytes_[min(at, length - 1)] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del bytes_[at : at + int(rng.integers(1, 40))]
        elif kind == 2:
            bytes_[at:at] = WORDS[rng.integers(len(WORDS))]
        elif kind == 3:
            bytes_[at : at + 8] = struct.pack("<Q", EXTREMES[rng.integers(len(EXTREMES))] % 2**64)
        elif kind == 4:
            bytes_[at : at + 4] = struct.pack("<I", EXTREMES[rng.integers(len(EXTREMES))] % 2**32)
        elif kind == 5:
            bytes_ = bytes_[:at]
        elif kind == 6:
            start = int(rng.integers(len(other) + 1))
            bytes_[at:at] = other[start : start + int(rng.integers(1, 200))]
        elif kind == 7:
            bytes_[at:at] = bytes(bytes_[at : at + int(rng.integers(1, 60))]) * int(rng.integers(1, 30))
        elif kind == 8:
            replace_number(bytes_, rng)
        else:
            bytes_[at:at] = rng.bytes(int(rng.integers(1, 30)))
    return bytes(bytes_)


def replace_number(bytes_, rng):
    """Replaces a number in text."""
    digits = [i for i, byte in enumerate(bytes_) if 48 <= byte < 58]
    if digits:
        start = end = digits[rng.integers(len(digits))]
        while end < len(bytes_) and 48 <= bytes_[end] < 58:
            end += 1
        bytes_[start:end] = str(EXTREMES[rng.integers(len(EXTREMES))]).encode()


