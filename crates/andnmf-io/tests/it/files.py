"""Writes matrices with numpy and scipy, or checks those that andnmf wrote: files.py write|check FOLDER."""

import gzip
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import io, sparse

MATRIX = np.array([[0, 1, 0, 5], [2, 0, 0, 0], [0, 0, 0, 0], [7, 0, 3, 100], [0, 0, 1, 0], [9, 8, 0, 1]])
SYMMETRIC = np.array([[1, 0, 4], [0, 0, 5], [4, 5, 6]])


def write(folder):
    dtypes = ["?", "b", "B"] + [order + kind for order in "<>" for kind in ("i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")]
    for number, dtype in enumerate(dtypes):
        matrix = (MATRIX > 0 if dtype == "?" else MATRIX).astype(dtype)
        kind = "signs" if dtype == "?" else "matrix"
        np.save(folder / f"{kind}-{number}.npy", matrix)
        np.save(folder / f"{kind}-columns-{number}.npy", np.asfortranarray(matrix))
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(folder / f"matrix-version-{version[0]}.npy", "wb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.lib.format.write_array(file, MATRIX.astype(float), version=version)
    np.savez(folder / "matrix-plain.npz", MATRIX)
    np.savez_compressed(folder / "matrix-named.npz", samples=MATRIX.astype("f4"))
    for form in ("csr", "csc", "coo"):
        for compressed in (True, False):
            matrix = sparse.coo_matrix(MATRIX.astype("f4")).asformat(form)
            sparse.save_npz(folder / f"matrix-{form}-{compressed}.npz", matrix, compressed=compressed)
        array = sparse.coo_array(MATRIX.astype("i8")).asformat(form)
        sparse.save_npz(folder / f"matrix-{form}-array.npz", array)
    io.mmwrite(folder / "matrix-entries.mtx", sparse.coo_matrix(MATRIX), comment="a comment\nin two lines")
    io.mmwrite(folder / "matrix-real.mtx", sparse.coo_matrix(MATRIX.astype(float)))
    io.mmwrite(folder / "matrix-array.mtx", MATRIX.astype(float))
    io.mmwrite(folder / "signs.mtx", sparse.coo_matrix(MATRIX > 0), field="pattern")
    io.mmwrite(folder / "symmetric.mtx", sparse.coo_matrix(SYMMETRIC), symmetry="symmetric")
    io.mmwrite(folder / "symmetric-array.mtx", SYMMETRIC.astype(float), symmetry="symmetric")
    np.savetxt(folder / "matrix.csv", MATRIX, delimiter=",")
    np.savetxt(folder / "matrix-header.tsv.gz", MATRIX, delimiter="\t", header="a\tb\tc\td", comments="")
    with gzip.open(folder / "matrix-packed.mtx.gz", "wb") as file:
        io.mmwrite(file, sparse.coo_matrix(MATRIX))


def check(folder):
    expected = np.load(folder / "expected.npy")
    assert expected.dtype == np.float32 and expected.flags.c_contiguous
    read = {
        "dense.npz": lambda path: np.load(path)["arr_0"],
        "sparse.npz": lambda path: sparse.load_npz(path).toarray(),
        "sparse.mtx": lambda path: io.mmread(path).toarray(),
        "dense.mtx": io.mmread,
        "packed.mtx.gz": lambda path: io.mmread(path).toarray(),
        "dense.csv": lambda path: np.loadtxt(path, delimiter=","),
        "named.tsv.gz": lambda path: np.loadtxt(path, delimiter="\t", skiprows=1),
    }
    for name, load in read.items():
        matrix = np.asarray(load(folder / name), dtype="f4")
        np.testing.assert_array_equal(matrix, expected, err_msg=name)
    assert sparse.load_npz(folder / "sparse.npz").dtype == np.float32
    print(len(read) + 1)


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
