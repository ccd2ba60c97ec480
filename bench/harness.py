"""What the benchmarks share: an environment with the rivals, the Rust side of a benchmark, and words about the run."""

import json
import os
import platform
import subprocess
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "target" / "bench-environment"


def enter_environment():
    """Starts the script again inside an environment that has the rivals."""
    python = ENVIRONMENT / "bin" / "python"
    if Path(sys.prefix) == ENVIRONMENT:
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    wanted = ROOT / "bench" / "requirements.txt"
    install = [str(python), "-m", "pip", "install", "--quiet", "--upgrade", "-r", str(wanted)]
    subprocess.run(install, check=True)
    os.execv(str(python), [str(python), str(Path(sys.argv[0]).resolve()), *sys.argv[1:]])


def build(example):
    """Builds the Rust side of a benchmark and says where it is."""
    return cargo("-p", "andnmf-lab", "--example", example) / "examples" / example


def build_with_command(*examples):
    """Builds the command and the Rust sides of benchmarks, and says where they are, by name."""
    # In one go: the packages share what they are built from.
    wanted = [word for example in examples for word in ("--example", example)]
    built = cargo("-p", "andnmf-cli", "-p", "andnmf-lab", "--bin", "andnmf", *wanted)
    return {"andnmf": built / "andnmf", **{example: built / "examples" / example for example in examples}}


def cargo(*what):
    """Builds something as it is released; returns the folder of what was built."""
    subprocess.run(["cargo", "build", "--release", "--quiet", *what], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def commit():
    """The commit that is measured, with a mark where files differ from it."""
    told = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return told.stdout.strip() or "(no commit)"


def introduce():
    """Says what is compared, and on what."""
    import numpy
    import scipy
    import sklearn

    warnings.simplefilter("ignore")  # rivals that are asked for 200 iterations say that they have not converged
    print(f"andnmf {commit()}; scikit-learn {sklearn.__version__}, scipy {scipy.__version__}, "
          f"numpy {numpy.__version__}; {platform.machine()}, {os.cpu_count()} cores")
    print("andnmf uses all cores. So do the products of scikit-learn, through its BLAS; its other loops, and scipy's nnls, "
          "use one unless n_jobs says otherwise.", flush=True)


class Bench:
    """The Rust side of a benchmark, and a folder for what the two sides tell each other."""

    def __init__(self, program, folder):
        self.program = str(program)
        self.folder = Path(folder)

    def run(self, *arguments):
        """Runs the Rust side; returns the JSON that it prints, if any."""
        done = subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout) if done.stdout.startswith("{") else None

    def place(self, name, **arrays):
        """A folder of arrays."""
        import numpy

        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for key, array in arrays.items():
            numpy.save(folder / f"{key}.npy", array)
        return folder

    def place_sparse(self, name, matrix, **arrays):
        import numpy

        return self.place(
            name,
            shape=numpy.array(matrix.shape, dtype=numpy.int64),
            indptr=matrix.indptr.astype(numpy.int64),
            indices=matrix.indices.astype(numpy.int32),
            data=matrix.data.astype(numpy.float64),
            **arrays,
        )

    def say(self, text):
        print(text, flush=True)


def heading(text):
    print(f"\n## {text}\n")
