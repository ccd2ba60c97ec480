"""Runs guards in turn until the time is over, and prints what they tried and found."""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "target" / "soak"


class Guard:
    """What the rounds of one guard share."""

    def __init__(self, name, programs, folder, seed, quick):
        self.name, self.folder, self.seed, self.quick = name, folder, seed, quick
        self.command, self.package = programs
        self.tried, self.found, self.best = {}, [], {}

    def count(self, what, more=1):
        """Counts what was tried."""
        self.tried[what] = self.tried.get(what, 0) + more

    def largest(self, what, value):
        """Keeps the largest of some measured values."""
        self.best[what] = max(value, self.best.get(what, value))

    def find(self, what, *files):
        """Reports a finding, and keeps the files that show it."""
        self.found.append(what)
        print(f"FOUND by {self.name}: {what}", flush=True)
        for file in files:
            if Path(file).is_file():
                KEPT.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, KEPT / f"{self.name}-{len(self.found)}-{Path(file).name}")

    def summary(self):
        tried = ", ".join(f"{count} {what}" for what, count in self.tried.items())
        best = "".join(f"; {what} {value:.3g}" for what, value in self.best.items())
        return f"{self.name:<10} {tried}{best}; {len(self.found)} findings"


def programs(command, package):
    """The command and the folder of the Python package, built if they are not given."""
    if command is None or package is None:
        options = ["-p", "andnmf-cli", "-p", "andnmf-python", "--features", "andnmf-io/h5ad,andnmf-io/parquet"]
        subprocess.run(["cargo", "build", "--release", "--quiet", *options], cwd=ROOT, check=True)
        built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
        command = command or built / "andnmf"
        if package is None:
            package = ROOT / "bindings" / "python" / "python"
            shutil.copy(built / "lib_core.so", package / "andnmf" / "_core.abi3.so")
    return Path(command).resolve(), Path(package).resolve()


def guards(names, programs, folder, seed, seconds, quick):
    """Runs the guards in turn, a round of each, until the time is over; returns the number of findings."""
    command, package = programs
    sys.path.insert(0, str(package))
    os.environ["PYTHONPATH"] = str(package)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    running = []
    for name in names:
        (folder / name).mkdir()
        guard = Guard(name, programs, folder / name, seed, quick)
        running.append((guard, importlib.import_module(f"guards.{name}").rounds(guard)))
    ends = time.monotonic() + seconds
    first = True
    while running and (first or time.monotonic() < ends):
        for guard, rounds in list(running):
            if not first and time.monotonic() >= ends:
                break
            try:
                if next(rounds, "over") == "over":
                    running.remove((guard, rounds))
            except Exception:  # noqa: BLE001 - a guard that fails has found something, too
                guard.find(traceback.format_exc())
                running.remove((guard, rounds))
            print(guard.summary(), flush=True)
            everything[guard.name] = guard
        first = False
        if quick:
            break
    return sum(len(guard.found) for guard in everything.values())


everything = {}


class Outcome:
    """A finished command: status, output, peak memory and seconds."""

    def __init__(self, status, out, err, peak, seconds):
        self.status, self.out, self.err, self.peak, self.seconds = status, out, err, peak, seconds


def run(arguments, stdin=None, timeout=60, environment=None):
    """Runs a program; a negative status is the signal that ended it, None a timeout."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [str(argument) for argument in arguments],
            stdin=stdin or subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, **(environment or {})},
        )
        peak = 0
        while process.poll() is None:
            # Not the usage that the system reports at the end, which counts the memory of this process before the start.
            peak = max(peak, high_water(process.pid))
            if time.monotonic() - started > timeout:
                process.kill()
                process.wait()
                break
            time.sleep(0.001)
        timed_out = time.monotonic() - started > timeout
        status = None if timed_out and process.returncode == -9 else process.returncode
        out.seek(0), err.seek(0)
        text = [file.read(1 << 20).decode(errors="replace") for file in (out, err)]
    return Outcome(status, *text, peak, time.monotonic() - started)


def high_water(pid):
    """The peak memory of a process so far, in bytes; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    line = status.partition("VmHWM:")[2].split()
    return 1024 * int(line[0]) if line else 0
