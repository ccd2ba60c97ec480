"""Shared by the benchmarks: a Python environment with the other packages, the Rust programs, and output."""

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
    """Restarts the script inside an environment that has the packages to compare with."""
    python = ENVIRONMENT / "bin" / "python"
    if Path(sys.prefix) == ENVIRONMENT:
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    requirements = ROOT / "bench" / "requirements.txt"
    install = [str(python), "-m", "pip", "install", "--quiet", "--upgrade", "-r", str(requirements)]
    subprocess.run(install, check=True)
    os.execv(str(python), [str(python), str(Path(sys.argv[0]).resolve()), *sys.argv[1:]])


def build(example):
    """Builds the Rust side of a benchmark and returns its path."""
    return cargo("-p", "andnmf-lab", "--example", example) / "examples" / example


def build_with_command(*examples):
    """Builds the command and the Rust sides of benchmarks; returns their paths by name."""
    # One call of cargo: the packages share dependencies and features.
    options = [word for example in examples for word in ("--example", example)]
    built = cargo("-p", "andnmf-cli", "-p", "andnmf-lab", "--bin", "andnmf", *options)
    return {"andnmf": built / "andnmf", **{example: built / "examples" / example for example in examples}}


def cargo(*targets):
    """Builds targets in release mode; returns the folder of the programs."""
    subprocess.run(["cargo", "build", "--release", "--quiet", *targets], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def commit():
    """The measured commit, marked as dirty if files differ from it."""
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return described.stdout.strip() or "(no commit)"


def print_environment():
    """Prints versions and machine."""
    import numpy
    import scipy
    import sklearn

    warnings.simplefilter("ignore")  # scikit-learn warns if 200 iterations do not converge
    print(f"andnmf {commit()}; scikit-learn {sklearn.__version__}, scipy {scipy.__version__}, "
          f"numpy {numpy.__version__}; {platform.machine()}, {os.cpu_count()} cores")
    print("andnmf uses all cores. So do the products of scikit-learn, through its BLAS; its other loops, and scipy's nnls, "
          "use one unless n_jobs says otherwise.", flush=True)


class BenchProgram:
    """The Rust side of a benchmark, and a folder for the files that both sides exchange."""

    def __init__(self, program, folder):
        self.program = str(program)
        self.folder = Path(folder)

    def run(self, *arguments):
        """Runs the Rust side; returns the JSON that it prints, if any."""
        done = subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout) if done.stdout.startswith("{") else None

    def write_arrays(self, name, **arrays):
        """Writes arrays as .npy files into a folder and returns it."""
        import numpy

        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for key, array in arrays.items():
            numpy.save(folder / f"{key}.npy", array)
        return folder

    def write_csr(self, name, matrix, **arrays):
        """Writes the parts of a CSR matrix, and other arrays, into a folder and returns it."""
        import numpy

        return self.write_arrays(
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
