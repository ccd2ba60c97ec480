"""Writes small files with the structure of anndata: make.py FOLDER."""

import pathlib
import sys

import h5py
import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
DENSE = np.where(np.arange(15).reshape(5, 3) % 2 == 0, np.arange(15).reshape(5, 3) / 4, 0)
CELLS = [f"cell{i}" for i in range(5)]
GENES = [f"gène{i}" for i in range(3)]


def sparse_parts(matrix):
    """Values, column indices and row pointers (CSR)."""
    rows, columns = np.nonzero(matrix)
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return matrix[rows, columns], columns, ends


def write_sparse(parent, name, matrix, encoding="csr", index=np.int32, old=False, **options):
    group = parent.create_group(name)
    data, indices, indptr = sparse_parts(matrix if encoding == "csr" else matrix.T)
    group.create_dataset("data", data=data, **options)
    group.create_dataset("indices", data=indices.astype(index), **options)
    group.create_dataset("indptr", data=indptr.astype(index), **options)
    if old:
        group.attrs["h5sparse_format"] = encoding
        group.attrs["h5sparse_shape"] = np.array(matrix.shape)
    else:
        group.attrs["encoding-type"] = f"{encoding}_matrix"
        group.attrs["encoding-version"] = "0.1.0"
        group.attrs["shape"] = np.array(matrix.shape)
    return group


def write_frame(parent, name, names, key="_index"):
    frame = parent.create_group(name)
    frame.attrs["_index"] = key
    frame.attrs["encoding-type"] = "dataframe"
    frame.create_dataset(key, data=names, dtype=h5py.string_dtype())
    frame.create_dataset("n", data=np.arange(len(names)))


def new(name, names=True, **options):
    file = h5py.File(FOLDER / f"{name}.h5ad", "w", **options)
    file.attrs["encoding-type"] = "anndata"
    if names:
        write_frame(file, "obs", CELLS)
        write_frame(file, "var", GENES, key="gene_ids")
    return file


def write_good():
    for dtype in ["f4", "f8", ">f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
        with new(f"dense_{dtype.replace('>', 'big_')}") as file:
            file["X"] = (DENSE * 4).astype(dtype)
    for packing in [{"compression": "gzip", "shuffle": True}, {"compression": "lzf"}, {"fletcher32": True}]:
        label = next(iter(packing.values())) if "compression" in packing else "fletcher"
        with new(f"chunks_{label}") as file:
            file.create_dataset("X", data=DENSE, chunks=(2, 2), **packing)
        with new(f"sparse_{label}") as file:
            write_sparse(file, "X", DENSE, chunks=(3,), **packing)
    for encoding in ["csr", "csc"]:
        for index in [np.int32, np.int64]:
            with new(f"{encoding}_{np.dtype(index).name}") as file:
                write_sparse(file, "X", DENSE, encoding, index)
        with new(f"{encoding}_old") as file:
            write_sparse(file, "X", DENSE, encoding, old=True)
    with new("latest", libver="latest") as file:
        file.create_dataset("X", data=DENSE, chunks=(2, 2), maxshape=(None, 3), compression="gzip")
    with new("tall", names=False) as file:
        ramp = (np.arange(1_400_000) % 101).astype(np.uint8).reshape(-1, 2)
        file.create_dataset("X", data=ramp, chunks=(9_999, 1), compression="gzip")
    with new("layers") as file:
        file["X"] = DENSE
        file["layers/twice"] = DENSE * 2
        write_sparse(file["layers"], "thrice", DENSE * 3)
        file["raw/X"] = np.hstack([DENSE, DENSE])
        write_frame(file["raw"], "var", GENES + ["a", "b", "c"])
    for name, text in [("records_fixed", "S8"), ("records_free", h5py.string_dtype())]:
        with new(name, names=False) as file:
            file["X"] = DENSE
            for frame, names in [("obs", CELLS), ("var", [g.replace("è", "e") for g in GENES])]:
                records = np.empty(len(names), dtype=[("n", "i4"), ("index", text)])
                records["index"] = names
                file[frame] = records
    with new("nameless", names=False) as file:
        file["X"] = DENSE
    with new("gaps", names=False) as file:
        file["X"] = DENSE
        file.create_group("var").attrs["_index"] = "id"
        file["var/id/values"] = GENES
        file["var/id/mask"] = np.zeros(3, dtype=bool)


def write_bad():
    for name, matrix in {
        "nan": np.where(DENSE == 3.5, np.nan, DENSE),
        "huge": np.where(DENSE == 3.5, 1e300, DENSE),
        "cube": DENSE.reshape(5, 3, 1),
        "text": np.full((5, 3), b"x"),
        "half": DENSE.astype("f2"),
        "truth": DENSE > 0,
        "empty": DENSE[:0],
    }.items():
        with new(f"bad_{name}", names=False) as file:
            file["X"] = matrix
    with new("bad_missing") as file:
        file["layers/counts"] = DENSE
    with new("bad_declared", names=False) as file:
        file.create_dataset("X", shape=(10**9, 10**6), dtype="f8", chunks=(1000, 1000))
    with new("bad_blank", names=False) as file:
        file.create_dataset("X", shape=(20000, 20000), dtype="f8", chunks=(20000, 20000))
    with new("bad_obs", names=False) as file:
        file["X"] = DENSE
        write_frame(file, "obs", CELLS[:4])
    changes = {
        "no_indptr": lambda x: x.__delitem__("indptr"),
        "no_shape": lambda x: x.attrs.__delitem__("shape"),
        "flat_shape": lambda x: x.attrs.__setitem__("shape", [15]),
        "wide_shape": lambda x: x.attrs.__setitem__("shape", [5, 10**12]),
        "long_shape": lambda x: x.attrs.__setitem__("shape", [6, 3]),
        "coo": lambda x: x.attrs.__setitem__("encoding-type", "coo_matrix"),
        "index": lambda x: x["indices"].__setitem__(2, 3),
        "negative": lambda x: x["indices"].__setitem__(2, -1),
        "pointer": lambda x: x["indptr"].__setitem__(2, 1000),
        "value": lambda x: x["data"].__setitem__(2, np.inf),
    }
    for name, change in changes.items():
        with new(f"bad_{name}", names=False) as file:
            change(write_sparse(file, "X", DENSE))


write_good()
write_bad()
