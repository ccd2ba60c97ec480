"""Models in files: those that the command ``andnmf`` writes and reads."""

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


def save(model: Factorization, path: Any, *, overwrite: bool = False) -> None:
    """Write a fitted estimator to a file that the command ``andnmf`` and :func:`load` read.

    The file holds components, thresholds, settings, names of features and the verdict. An ``init`` given as an array is
    not in it (a loaded model has ``init="auto"``), nor is how many batches ``partial_fit`` has seen: on a loaded model it
    goes on as after a fit. A pickle keeps everything, for the same version of this package.

    Parameters
    ----------
    model : fitted estimator of this package
    path : path-like
        By convention ``model.safetensors``.
    overwrite : bool, default=False
        Whether a file that is there may be replaced.

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
        raise TypeError(f"model is {model!r}, but only estimators of andnmf can be saved")
    check_is_fitted(model)
    components = read_matrix(model.components_, "components_", [np.float64, np.float32])
    if not np.isfinite(components).all():
        raise ValueError("components_ must be finite numbers to be saved")
    names = getattr(model, "feature_names_in_", None)
    kept = model._kept
    _core.save_model(
        os.fspath(path),
        components=components,
        thresholds=[float(value) for value in getattr(model, "thresholds_", [])],
        settings=json.dumps({"method": model._method, **kept["settings"]}),
        feature_names=None if names is None else [str(name) for name in names],
        trust=json.dumps(getattr(model, "trust_", None)),
        scale=kept.get("scale"),
        overwrite=overwrite,
    )


def load(path: Any) -> Factorization:
    """Read a model that :func:`save` or the command ``andnmf fit`` has written: a fitted estimator.

    Parameters
    ----------
    path : path-like
        The file, or the folder of a fit, which has a ``model.safetensors`` in it.

    Returns
    -------
    estimator
        By the method of the fit. What only the run knew (``trace_``, ``n_iter_``, ``stop_reason_``, ``reconstruction_err_``, ``warnings_``) is there where the folder of a
        fit is given, which has it in files of its own.

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
    """The model in a file."""
    found = _core.load_model(path)
    settings = json.loads(found["settings"])
    kind = ESTIMATORS[settings.pop("method")]
    model = kind(**kind._parameters(settings))
    model.components_ = found["components"]
    model.n_components_, model.n_features_in_ = model.components_.shape
    if kind is AND:
        model.thresholds_ = found["thresholds"]
        model.trust_ = json.loads(found["trust"])
        model.stability_ = None if model.trust_ is None else np.array(model.trust_["component_stability"])
    if found["feature_names"] is not None:
        model.feature_names_in_ = np.array(found["feature_names"], dtype=object)
    model._kept = {"settings": settings, "scale": found["scale"]}
    return model


def _add_run(model: Any, folder: str) -> None:
    """What the other files of a fit's folder tell of the run."""
    file = os.path.join(folder, "summary.json")
    if not os.path.exists(file):
        return
    try:
        with open(file, encoding="utf-8") as text:
            told = json.load(text)
        model.n_iter_ = int(told["stages"])
        model.stop_reason_ = str(told["stop_reason"])
        model.warnings_ = [str(warning) for warning in told["warnings"]]
        relative = float(told["reconstruction_error"])
        file = os.path.join(folder, "weights.npy")
        if os.path.exists(file):
            model.reconstruction_err_ = _absolute(relative, np.load(file), model.components_)
        file = os.path.join(folder, "trace.csv")
        if os.path.exists(file):
            model.trace_ = _trace(file)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: this is not what andnmf fit writes ({error!r})") from error


def _absolute(relative: float, weights: np.ndarray, components: np.ndarray) -> float:
    """The norm of what is left of samples, from its share of them.

    Least-squares weights leave what is orthogonal to what they explain, so the samples need not be read again.
    """
    weights, components = weights.astype(np.float64), components.astype(np.float64)
    explained = float(np.sum((weights.T @ weights) * (components @ components.T)))
    return relative * float(np.sqrt(max(explained, 0.0) / (1.0 - relative**2))) if relative < 1 else float("nan")


def _trace(file: str) -> dict[str, np.ndarray]:
    """The columns of a trace; what a method does not have is NaN."""
    with open(file, encoding="utf-8", newline="") as text:
        names, *rows = csv.reader(text)
    columns = {name: np.array([float(row[i] or "nan") for row in rows]) for i, name in enumerate(names)}
    return columns | {"stage": columns["stage"].astype(np.int64)}
