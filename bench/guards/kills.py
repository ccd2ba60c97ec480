"""SIGKILL at every file operation of every command that writes.

strace ends the command right after its n-th file operation, for every n. Then a reader must see either the old results
or the new ones as a whole, the same command must succeed, and nothing may be left behind.
"""

import hashlib
import itertools
import json
import shutil

import numpy as np

from .files import samples
from .run import run

OPERATIONS = "rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,openat,write,pwrite64,fsync,ftruncate,link,linkat,flock"
#: Operations that change names; the only ones of a quick round.
NAMES = "rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat"
#: What differs between two runs of the same command.
TIMES = {"seconds", "solver_seconds"}


def rounds(guard):
    if shutil.which("strace") is None:
        print("kills: skipped, there is no strace", flush=True)
        return
    for number in itertools.count():
        for command in commands(guard):
            attack(guard, command, number)
            if not guard.quick:
                yield
        yield


class Command:
    """A command that writes: its arguments, what it writes, and how it is read."""

    def __init__(self, name, arguments, before, target, reader):
        self.name, self.arguments, self.before, self.target, self.reader = name, arguments, before, target, reader


def commands(guard):
    """Every command that writes."""
    folder, andnmf = guard.folder, guard.command
    np.save(folder / "x.npy", samples(60, 12))
    np.save(folder / "y.npy", samples(50, 12, 1))
    data, other, out = folder / "x.npy", folder / "y.npy", folder / "out"
    hals = ["--rank", "3", "--method", "hals", "--stages", "4", "--checkpoint-every", "0", "--report", "--force"]
    old = ["fit", other, "--rank", "2", "--method", "mu", "--stages", "3", "--report", "--out", out, "--force"]
    read = [andnmf, "diagnose", out]
    yield Command("fit", ["fit", data, *hals, "--out", out], [old], out, read)
    yield Command("first fit", ["fit", data, *hals, "--out", out], [], out, None)
    if guard.quick:
        return
    for name, more in (("npy", []), ("csrstore", []), ("mtx.gz", []), ("npz", [])):
        target = folder / f"converted.{name}"
        yield Command(f"convert to {name}", ["convert", data, target, "--force", *more],
                      [["convert", other, target, "--force"]], target, None)
    generate = ["generate", "dir", "--features", "20", "--rank", "3", "--samples", "30", "--out", out, "--force"]
    yield Command("generate", [*generate, "--seed", "1"], [[*generate, "--seed", "2"]], out, None)
    weights = folder / "weights.npy"
    model = folder / "model"
    run([andnmf, "fit", data, "--rank", "3", "--method", "hals", "--stages", "3", "--out", model])
    yield Command("transform", ["transform", model, data, "--out", weights, "--force"],
                  [["transform", model, other, "--out", weights, "--force"]], weights, None)
    yield Command("report", ["report", model, "--title", "new"], [["report", model, "--title", "old"]], model, None)
    texts = folder / "texts.txt"
    texts.write_text("".join(f"red{i % 5} white{i % 7} blue{i % 3}\n" for i in range(60)))
    topics = ["topics", texts, "--rank", "2", "--out", out, "--force", "--method", "hals"]
    yield Command("topics", [*topics, "--stages", "3"], [[*topics, "--stages", "2"]], out, read)
    images = ["images", data, "--shape", "3x4", "--method", "hals", "--out", out, "--force"]
    yield Command("images", [*images, "--rank", "3", "--stages", "3"], [[*images, "--rank", "2", "--stages", "2"]], out, read)


def attack(guard, command, number):
    """Kills the command at every operation."""
    operations = NAMES if guard.quick else OPERATIONS
    old = prepare(guard, command)
    done = run([guard.command, *command.arguments])
    new = state(command.target)
    if done.status != 0:
        return guard.find(f"{command.name}: status {done.status}: {done.err[:500]}")
    for nth in itertools.count(1):
        prepare(guard, command)
        trace = guard.folder / "trace"
        strace = ["strace", "-f", "-o", trace, "-e", f"trace={operations}", "-e", f"inject={operations}:signal=KILL:when={nth}"]
        done = run([*strace, guard.command, *command.arguments], timeout=120)
        if done.status == 0:
            break
        guard.count("kills")
        where = f"{command.name}, killed at operation {nth}"
        check(guard, command, where, old, new, trace)
        if nth > 5000:
            return guard.find(f"{where}: it never ends")
    return None


def prepare(guard, command):
    """Makes the state before the command; returns it."""
    if command.target.is_dir() and command.name != "report":
        shutil.rmtree(command.target)
    elif command.target.is_file():
        command.target.unlink()
    for arguments in command.before:
        done = run([guard.command, *arguments])
        assert done.status == 0, done.err
    return state(command.target)


def check(guard, command, where, old, new, trace):
    if command.reader is not None:
        done = run(command.reader)
        if done.status not in (0, 2):
            return guard.find(f"{where}: the reader ends with status {done.status}: {done.err[:500]}", trace)
    now = state(command.target)
    # Without a reader nobody has finished what was interrupted; the marker of complete results tells.
    if command.reader is None and command.target.is_dir() and "summary.json" not in now:
        now = old if command.before else now
    if command.before and now not in (old, new):
        different = [name for name in {**old, **new} if now.get(name) not in (old.get(name), new.get(name))]
        mixed = [name for name in now if now.get(name) != old.get(name)]
        return guard.find(f"{where}: neither old nor new: new are {mixed}, neither are {different}", trace)
    again = [word for word in command.arguments if word != "--resume"]
    done = run([guard.command, *again])
    if done.status != 0:
        return guard.find(f"{where}: the next run ends with status {done.status}: {done.err[:500]}", trace)
    if state(command.target) != new:
        return guard.find(f"{where}: the next run has other results", trace)
    folder = command.target if command.target.is_dir() else command.target.parent
    left = [path.name for path in folder.iterdir() if path.name.startswith(".andnmf-")]
    if left:
        return guard.find(f"{where}: {left} are left behind", trace)
    return None


def state(target):
    """The contents of a file or folder, without times and what is not a result."""
    if not target.exists():
        return {}
    files = [target] if target.is_file() else sorted(path for path in target.rglob("*") if path.is_file())
    names = {path: path.relative_to(target.parent if target.is_file() else target).as_posix() for path in files}
    hidden = [path for path in files if names[path].startswith(".andnmf-") or names[path] == "checkpoint.json"]
    return {names[path]: contents(path) for path in files if path not in hidden}


def contents(path):
    if path.suffix == ".json":
        try:
            values = json.loads(path.read_bytes())
        except ValueError:
            return "not JSON"
        return json.dumps(without_times(values), sort_keys=True)
    if path.name == "trace.csv":
        lines = [line.split(",") for line in path.read_text().splitlines()]
        return [[field for column, field in enumerate(line) if column != 1] for line in lines]
    if path.suffix == ".html":
        # The page has times, too.
        return "page" if b"</html>" in path.read_bytes() else "half a page"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def without_times(values):
    if isinstance(values, dict):
        return {key: without_times(value) for key, value in values.items() if key not in TIMES}
    return values
