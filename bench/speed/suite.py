"""Shared by the parts of bench/compare: programs, a folder for data, and the table of results."""

import contextlib
import dataclasses
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from harness import BenchProgram, commit

LAUNCHER = Path(__file__).with_name("launch.py")
RIVALS = Path(__file__).with_name("rivals.py")


@dataclasses.dataclass
class Row:
    part: str
    what: str
    rival: str = ""
    rival_version: str = ""
    rival_seconds: float | None = None
    our_seconds: float | None = None
    # The value that the goal is about: the rival's time over ours, unless `unit` says otherwise.
    ratio: float | None = None
    unit: str = ""
    goal: str = ""
    met: bool | None = None
    rival_peak: int | None = None
    our_peak: int | None = None
    notes: str = ""

    def __post_init__(self):
        if self.ratio is None and self.rival_seconds is not None and self.our_seconds:
            self.ratio = self.rival_seconds / self.our_seconds
        # JSON does not accept numpy's numbers.
        self.ratio = None if self.ratio is None else float(self.ratio)
        if self.goal and self.ratio is not None and self.met is None:
            self.met = meets(self.ratio, self.goal)


def meets(value, goal):
    """Returns true if a value meets a goal such as ">= 2"."""
    relation, limit = goal.split()
    return {">=": value >= float(limit), "<=": value <= float(limit), "<": value < float(limit)}[relation]


@dataclasses.dataclass
class Measured:
    """A finished command: its JSON output, its seconds, its peak memory in bytes."""

    output: dict
    seconds: float
    peak: int


class Suite(BenchProgram):
    """A run of bench/compare; its `program` is the Rust side of the fits."""

    def __init__(self, programs, folder, out, quick):
        super().__init__(programs["competitors"], folder)
        self.command, self.kernels, self.out, self.quick = programs["andnmf"], programs["kernels"], Path(out), quick
        self.rows, self.part = [], None
        self.about = {"andnmf": commit(), "quick": quick, "begun": time.strftime("%Y-%m-%d %H:%M"),
                      "machine": machine(), "versions": versions()}
        self.out.mkdir(parents=True, exist_ok=True)

    def size(self, full, quick):
        """The full size, or the quick one with --quick."""
        return quick if self.quick else full

    def measured(self, *command):
        """Runs a command that prints a JSON object at its end, or nothing."""
        with tempfile.NamedTemporaryFile() as report:
            launcher = [sys.executable, "-I", "-S", str(LAUNCHER), report.name]
            done = subprocess.run([*launcher, *map(str, command)], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}: {last_lines(done.stderr)}")
            used = json.load(report)
        _, brace, rest = done.stdout.partition("{")
        return Measured(json.loads(brace + rest) if brace else {}, used["seconds"], used["peak"])

    def rival(self, name, folder, **settings):
        """Runs another Python program on a folder of data; see rivals.py."""
        return self.measured(sys.executable, RIVALS, name, folder, json.dumps(settings))

    def fit(self, folder, start="data", precision="f64", **settings):
        """Runs one of our methods with these settings on a folder of data."""
        return self.measured(self.program, "fit", precision, folder, start, json.dumps(settings))

    def kernel(self, *arguments):
        """Runs the Rust side of the kernels."""
        return self.measured(self.kernels, *arguments)

    def generate(self, name, kind, samples, features, rank):
        """A generated dataset in a folder that all programs read."""
        import numpy

        folder = self.folder / name
        sizes = ["--samples", samples, "--features", features, "--rank", rank]
        self.measured(self.command, "generate", kind, "--out", folder, *sizes, "--quiet")
        os.link(folder / "samples.npy", folder / "dense.npy")
        numpy.save(folder / "start.npy", numpy.maximum(numpy.load(folder / "init.npy"), 0))
        return folder

    def add(self, what, **figures):
        """Adds a row and rewrites the table."""
        row = Row(self.part, what, **figures)
        self.rows.append(row)
        self.write()
        figure = "" if row.ratio is None else f"{row.ratio:.3g} {row.unit}".rstrip()
        self.say(f"  {what} | {row.rival} | {figure} | {row.goal} | {yes_or_no(row.met)} | {row.notes}")

    @contextlib.contextmanager
    def case(self, what):
        """A measurement within a part: if it fails, a row has the reason, and the others continue."""
        try:
            yield
        except Exception as error:
            traceback.print_exc()
            self.add(what, met=False, notes=f"failed: {error}")

    def write(self):
        table = {**self.about, "rows": [dataclasses.asdict(row) for row in self.rows]}
        (self.out / "compare.json").write_text(json.dumps(table, indent=1) + "\n")
        (self.out / "compare.md").write_text(markdown(self.about, self.rows))


def last_lines(text):
    return " / ".join(text.strip().splitlines()[-3:])


def machine():
    """Description of the machine."""
    information = Path("/proc/cpuinfo")
    models = [line.partition(":")[2].strip() for line in information.read_text().splitlines()
              if line.startswith("model name")] if information.exists() else []
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": models[0] if models else platform.processor(), "architecture": platform.machine(),
            "cores": os.cpu_count(), "memory_gb": round(memory / 1e9, 1)}


def versions():
    """Versions of the other packages and of their numerical libraries."""
    import gensim
    import numpy
    import scipy
    import sklearn
    import threadpoolctl

    installed = {module.__name__: module.__version__ for module in (sklearn, gensim, numpy, scipy)}
    for pool in threadpoolctl.threadpool_info():
        if pool["version"]:
            installed[pool["internal_api"]] = f"{pool['version']} ({pool['num_threads']} threads)"
    return {"python": platform.python_version(), **installed}


def yes_or_no(met):
    return {True: "yes", False: "**no**", None: ""}[met]


def markdown(about, rows):
    """The table as Markdown, with a section for each part."""
    machine = about["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    lines = [f"andnmf {about['andnmf']}, {about['begun']}" + (", at reduced sizes (--quick)" if about["quick"] else ""), "",
             f"{machine['cpu']}, {machine['architecture']}, {machine['cores']} cores, {machine['memory_gb']} GB; {versions}",
             "", "Ratios of two programs are the other's time over ours: above 1, andnmf is faster. Peaks are those of whole "
             "processes, including interpreters and samples."]
    for part in dict.fromkeys(row.part for row in rows):
        lines += ["", f"## {part}", "", "| what | compared with | its time | andnmf | ratio | goal | met | its peak | our peak | notes |",
                  "|---|---|---|---|---|---|---|---|---|---|"]
        lines += [markdown_row(row) for row in rows if row.part == part]
    return "\n".join(lines) + "\n"


def markdown_row(row):
    seconds = ["" if s is None else f"{s:.3g} s" for s in (row.rival_seconds, row.our_seconds)]
    peaks = ["" if p is None else f"{p / 1e6:.0f} MB" for p in (row.rival_peak, row.our_peak)]
    figure = "" if row.ratio is None else f"{row.ratio:.3g} {row.unit}".rstrip()
    cells = [row.what, f"{row.rival} {row.rival_version}".strip(), *seconds, figure, row.goal, yes_or_no(row.met), *peaks, row.notes]
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"
