"""Model files, shared with the command ``andnmf``."""

from __future__ import annotations

import csv
import json
import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from andnmf import _core
from andnmf._base import Factorization
from andnmf._estimators import AND, ESTIMATORS
from andnmf._input import read_matrix
from andnmf._report import save_folder
from andnmf._types import trust_json


def save(model: Factorization, path: Any, X: Any = None, *, overwrite: bool = False) -> None:
    """Save a fitted estimator to a file or folder that :func:`load` and the command ``andnmf`` read.

    A path that ends in ``.safetensors`` is a file. Any other is a folder with the files that ``andnmf fit`` writes, from
    which ``andnmf report`` builds a page: also trace, summary, and with ``X`` the weights of the samples.

    The file contains components, thresholds, settings, feature names and the trust summary. It does not contain an
    ``init`` array (a loaded model has ``init="auto"``) or the number of batches of ``partial_fit``, which continues on a
    loaded model as after ``fit``. A pickle contains everything, but only for the same version of this package.

    Parameters
    ----------
    model : fitted estimator of this package
        The model to save.
    path : path-like
        The file (``model.safetensors``) or the folder.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        The samples, for their weights in a folder.
    overwrite : bool, default=False
        Replace an existing file, or the results in a folder.

    Examples
    --------
    >>> import os, tempfile, andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, random_state=0)
    >>> model = andnmf.AND(n_components=3, random_state=0).fit(data.samples)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "model.safetensors")
    ...     andnmf.save(model, file)
    ...     same = andnmf.load(file)
    >>> bool((same.transform(data.samples) == model.transform(data.samples)).all())
    True
    """
    if not isinstance(model, Factorization):
        raise TypeError(f"model is {model!r}, but it must be an estimator of andnmf")
    check_is_fitted(model)
    if os.fspath(path).endswith(".safetensors"):
        if X is not None:
            raise ValueError("X must be None for a model file, which has no weights; save to a folder instead")
        save_file(model, path, overwrite=overwrite)
    else:
        save_folder(model, path, X, overwrite=overwrite)


def save_file(model: Any, path: Any, *, overwrite: bool = False) -> None:
    """Write a model file."""
    components = read_matrix(model.components_, "components_", [np.float64, np.float32])
    if not np.isfinite(components).all():
        raise ValueError("components_ must be finite to be saved")
    names = getattr(model, "feature_names_in_", None)
    record = model._fit_record
    _core.save_model(
        os.fspath(path),
        components=components,
        thresholds=[float(value) for value in getattr(model, "thresholds_", [])],
        settings=json.dumps({"method": model._method, **record["settings"]}),
        feature_names=None if names is None else [str(name) for name in names],
        trust=trust_json(model),
        scale=record.get("scale"),
        overwrite=overwrite,
    )


def load(path: Any) -> Factorization:
    """Load a model that :func:`save` or the command ``andnmf fit`` has written.

    Parameters
    ----------
    path : path-like
        The file, or the folder of a fit that contains ``model.safetensors``.

    Returns
    -------
    estimator
        A fitted estimator of the model's method. ``trace_``, ``n_iter_``, ``stop_reason_``, ``reconstruction_err_`` and
        ``warnings_`` are available only from a folder that ``andnmf fit`` has written, which has them in other files.

    Examples
    --------
    >>> import os, tempfile, andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     andnmf.HALS(3, tol=1e-3, random_state=0).fit(data.samples).save(os.path.join(folder, "model.safetensors"))
    ...     andnmf.load(folder)
    HALS(n_components=3, random_state=0, tol=0.001)
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        model = _read(os.path.join(path, "model.safetensors"))
        _add_run(model, path)
        return model
    return _read(path)


def _read(path: str) -> Any:
    """Read a model file."""
    parts = _core.load_model(path)
    settings = json.loads(parts["settings"])
    kind = ESTIMATORS[settings.pop("method")]
    model = kind(**kind._parameters(settings))
    model.components_ = parts["components"]
    model.n_components_, model.n_features_in_ = model.components_.shape
    if kind is AND:
        model.thresholds_ = parts["thresholds"]
        model._store_trust(json.loads(parts["trust"]))
    model.noise_ = "poisson" if settings.get("noise") == "poisson" else "gaussian"
    if parts["feature_names"] is not None:
        model.feature_names_in_ = np.array(parts["feature_names"], dtype=object)
    model._fit_record = {"settings": settings, "scale": parts["scale"]}
    return model


def _add_run(model: Any, folder: str) -> None:
    """Add the attributes that the other files of a fit's folder contain."""
    file = os.path.join(folder, "summary.json")
    if not os.path.exists(file):
        return
    try:
        with open(file, encoding="utf-8") as text:
            summary = json.load(text)
        model.n_iter_ = int(summary["stages"])
        model.n_search_iter_ = int(summary.get("search_stages", 0))
        model.stop_reason_ = str(summary["stop_reason"])
        # Folders of earlier versions do not say it.
        if "ending" in summary:
            model.ending_ = str(summary["ending"])
        if "set_aside" in summary and isinstance(model, AND):
            model.set_aside_ = np.array(summary["set_aside"], dtype=np.int64)
        model.warnings_ = [str(warning) for warning in summary["warnings"]]
        # Folders of earlier versions do not have it.
        if "residual_norm" in summary:
            model.reconstruction_err_ = float(summary["residual_norm"])
        file = os.path.join(folder, "trace.csv")
        if os.path.exists(file):
            model.trace_ = _trace(file)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: not a file that andnmf fit has written ({error!r})") from error


def _trace(file: str) -> dict[str, np.ndarray]:
    """Read the columns of a trace; empty fields are NaN."""
    with open(file, encoding="utf-8", newline="") as text:
        names, *rows = csv.reader(text)
    columns = {name: np.array([float(row[i] or "nan") for row in rows]) for i, name in enumerate(names)}
    return columns | {"stage": columns["stage"].astype(np.int64)}
