"""Matrix files in the formats of the command ``andnmf``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import _get_feature_names

from andnmf import _core, _settings
from andnmf._containers import unwrap
from andnmf._input import PRECISIONS, as_samples

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """The contents of a matrix file.

    Attributes
    ----------
    values : ndarray or CSR matrix of shape (n_samples, n_features)
        The matrix.
    sample_names, feature_names : list of str or None
        The names of rows and columns; None if the file has none.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import Table
    >>> Table(np.eye(2), feature_names=["red", "green"]).to_frame().columns.tolist()
    ['red', 'green']
    """

    values: Any
    sample_names: list[str] | None = None
    feature_names: list[str] | None = None

    def to_frame(self) -> pd.DataFrame:
        """The matrix as a pandas DataFrame with its names; sparse matrices become dense."""
        import pandas as pd

        dense = self.values.toarray() if sparse.issparse(self.values) else self.values
        return pd.DataFrame(dense, index=self.sample_names, columns=self.feature_names)


def read(
    path: Any,
    *,
    transpose: bool = False,
    layer: str | None = None,
    header: bool | None = None,
    row_names: bool | None = None,
    dtype: Any = np.float64,
) -> Table:
    """Read a matrix file as the command ``andnmf`` does.

    Reads .npy, .npz, .csrstore, Matrix Market, 10x folders, .csv and .tsv, UCI docword, svmlight, .h5ad, .parquet, and
    folders of images. ``fit`` takes the table itself.

    Parameters
    ----------
    path : path-like
        The file or folder; its name determines the format.
    transpose : bool, default=False
        True if the columns of the file are samples.
    layer : str, optional
        The matrix to read from a file with several: a layer of .h5ad, an array of .npz.
    header, row_names : bool, optional
        Whether the first line or column of a .csv or .tsv file has names; detected by default.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        The precision.

    Returns
    -------
    Table
        The matrix and the names of its rows and columns.

    Examples
    --------
    >>> import os, tempfile, andnmf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "samples.csv")
    ...     andnmf.write(file, [[1.0, 0.5], [2.0, 3.0]], feature_names=["river", "bank"])
    ...     table = andnmf.read(file)
    >>> table.feature_names, table.values.tolist()
    (['river', 'bank'], [[1.0, 0.5], [2.0, 3.0]])
    """
    precision = np.dtype(dtype)
    if precision not in PRECISIONS:
        raise TypeError(f"dtype is {dtype!r}, but it must be numpy.float64 or numpy.float32")
    parts = _core.read_table(
        os.fspath(path),
        transpose=_settings.flag("transpose", transpose),
        layer=layer,
        header=header,
        row_names=row_names,
        single=precision == np.float32,
    )
    if "values" in parts:
        values = parts["values"]
    else:
        stored = (parts["stored"], parts["indices"], parts["pointers"])
        values = sparse.csr_matrix(stored, shape=parts["shape"])
        values.sort_indices()
    return Table(values, parts["sample_names"], parts["feature_names"])


def write(
    path: Any,
    X: Any,
    *,
    sample_names: list[str] | None = None,
    feature_names: list[str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write a matrix file that the command ``andnmf`` reads.

    Parameters
    ----------
    path : path-like
        The file; its name determines the format: .npy, .npz, .csrstore, .mtx, .csv, .tsv, docword*.txt, .svmlight, text also
        with .gz. Names are written to .csv and .tsv files, those of features also to .csrstore.
    X : array-like, sparse matrix, DataFrame or Table
        The matrix.
    sample_names, feature_names : list of str, optional
        Names of rows and columns; by default those that ``X`` has.
    overwrite : bool, default=False
        Replace an existing file.

    Examples
    --------
    >>> import os, tempfile, andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, random_state=0)
    >>> model = andnmf.AND(n_components=3, random_state=0).fit(data.samples)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     andnmf.write(os.path.join(folder, "weights.csv"), model.to_frame(data.samples))
    ...     sorted(os.listdir(folder))
    ['weights.csv']
    """
    table = unwrap(X)
    names = table.feature_names
    if names is None:
        named = _get_feature_names(table.values)
        names = None if named is None else [str(name) for name in named]
    values = check_array(table.values, accept_sparse="csr", dtype=PRECISIONS, ensure_all_finite=False)
    _core.write_table(
        os.fspath(path),
        as_samples(values),
        table.sample_names if sample_names is None else [str(name) for name in sample_names],
        names if feature_names is None else [str(name) for name in feature_names],
        _settings.flag("overwrite", overwrite),
    )
