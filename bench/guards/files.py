"""A small valid file for every reader of the command, with the command that reads it."""

import io
import shutil
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .run import run


@dataclass
class Seed:
    """A valid file and the arguments that read it."""

    name: str
    path: Path
    arguments: list
    #: What the command writes.
    output: Path | None = None
    #: Files beside it that the command may change, with their contents.
    others: dict = field(default_factory=dict)
    contents: bytes = b""

    def __post_init__(self):
        self.contents = self.path.read_bytes()

    def clean(self):
        """Makes everything as before the command."""
        if self.output is not None and self.output.exists():
            if self.output.is_dir():
                shutil.rmtree(self.output)
            else:
                self.output.unlink()
        self.path.write_bytes(self.contents)
        for path, contents in self.others.items():
            path.write_bytes(contents)


def samples(rows=24, columns=9, seed=0):
    """Counts with zeros, as every format can hold them."""
    return np.random.default_rng(seed).poisson(1.2, (rows, columns)).astype(float)


def corpus(guard):
    """All seeds, each in a folder of its own."""
    made = []
    table = samples()

    def add(name, file, write, arguments=None, output="out.npy"):
        folder = guard.folder / name
        folder.mkdir()
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
        if not path.exists():
            return
        target = folder / output if output else None
        arguments = arguments(path, target) if arguments else ["convert", path, target]
        made.append(Seed(name, path, arguments, target))
        made[-1].clean()

    def convert(path):
        source = path.parent / "source.npy"
        np.save(source, table)
        done = run([guard.command, "convert", source, path])
        source.unlink()
        assert done.status == 0, done.err

    plain = ["a.npz", "b.mtx", "c.mtx.gz", "d.csv", "e.csv.gz", "f.tsv", "g.svmlight", "docword.h.txt", "docword.i.txt.gz",
             "j.csrstore"]
    for file in plain:
        add("file-" + file, file, convert)
    add("file-k.npy", "k.npy", lambda path: np.save(path, table))
    add("fortran.npy", "l.npy", lambda path: np.save(path, np.asfortranarray(table.astype(">i4"))))
    add_archives(add, table)
    add_tables(add, table)
    add_texts_and_names(add, table)
    add_images(add)
    add_results(guard, add, table)
    return made


def add_archives(add, table):
    import scipy.sparse

    for form in ("csr", "csc", "coo"):
        add(form, f"{form}.npz", lambda path, form=form: scipy.sparse.save_npz(path, scipy.sparse.csr_array(table).asformat(form)))


def add_tables(add, table):
    def anndata(path):
        import h5py

        with h5py.File(path, "w") as file:
            file["X"] = table
            for axis, count in (("obs", len(table)), ("var", table.shape[1])):
                group = file.create_group(axis)
                group.attrs["_index"] = "index"
                group["index"] = [f"{axis}{i}".encode() for i in range(count)]

    def parquet(path):
        import pandas

        pandas.DataFrame(table, columns=[f"c{i}" for i in range(table.shape[1])]).to_parquet(path)

    add("h5ad", "cells.h5ad", anndata)
    add("parquet", "table.parquet", parquet)


def add_texts_and_names(add, table):
    def archive(path):
        with tarfile.open(path, "w") as file:
            for i in range(12):
                text = " ".join(f"word{(i * j) % 7} thing{j % 5}" for j in range(1, 30)).encode()
                member = tarfile.TarInfo(f"texts/{i}.txt")
                member.size = len(text)
                file.addfile(member, io.BytesIO(text))

    def names(path):
        np.save(path.parent / "x.npy", table)
        path.write_text("".join(f"gene{i}\n" for i in range(table.shape[1])))

    def matrix(path):
        rows = "".join(f"{i % 9 + 1} {i % 24 + 1} {i % 5 + 1}\n" for i in range(60))
        path.write_text(f"%%MatrixMarket matrix coordinate integer general\n9 24 60\n{rows}")
        (path.parent / "features.tsv").write_text("".join(f"E{i}\tgene{i}\n" for i in range(9)))
        (path.parent / "barcodes.tsv").write_text("".join(f"cell{i}\n" for i in range(24)))

    topics = ["--rank", "2", "--max-documents", "100%", "--min-documents", "1", "--stages", "3", "--method", "hals"]
    add("texts", "texts.tar", archive, lambda path, out: ["topics", path, *topics], output=None)
    add("names", "names.txt", names,
        lambda path, out: ["convert", path.parent / "x.npy", out, "--name-file", path], output="out.csrstore")
    add("ten-x", "cells/matrix.mtx", matrix, lambda path, out: ["convert", path.parent, out], output="out.npz")


def add_images(add):
    def image(ending):
        def write(path):
            from PIL import Image

            grey = (np.arange(48).reshape(6, 8) * 5).astype(np.uint8)
            for i in range(3):
                Image.fromarray(np.roll(grey, i)).save(path.with_name(f"{i}.{ending}"))
            Image.fromarray(grey).save(path)

        return write

    for ending in ("png", "pgm", "jpg"):
        add(f"images-{ending}", f"images/x.{ending}", image(ending), lambda path, out: ["convert", path.parent, out])


def add_results(guard, add, table):
    """Files that andnmf itself wrote."""

    def fit(folder, *more):
        np.save(folder.parent / "x.npy", table)
        settings = ["--rank", "2", "--threshold", "geometric:0.1:1.0001", "--stages", "1000000", "--tolerance", "0"]
        done = run([guard.command, "fit", folder.parent / "x.npy", *settings, *more, "--out", folder])
        assert done.status == 0, done.err

    def model(path):
        fit(path.parent, "--time-limit", "0.05")

    add("model", "fitted/model.safetensors", model,
        lambda path, out: ["transform", path, path.parent.parent / "x.npy", "--out", out])
    add("trace", "fitted/trace.csv", model, lambda path, out: ["report", path.parent], output=None)
    add("summary", "fitted/summary.json", model, lambda path, out: ["report", path.parent], output=None)
    add("checkpoint", "fitted/checkpoint.json", model, lambda path, out: [
        "fit", path.parent.parent / "x.npy", "--rank", "2", "--threshold", "geometric:0.1:1.0001", "--stages", "1000000",
        "--tolerance", "0", "--time-limit", "0.02", "--resume", "--out", path.parent], output=None)

    def journal(path):
        model(path)
        part = path.parent / ".andnmf-gone.part"
        path.write_text(f'{{"from":"{part.name}","files":["components.npy","summary.json"],"remove":["report.html"]}}')

    add("journal", "fitted/.andnmf-replacing", journal, lambda path, out: ["diagnose", path.parent], output=None)
