"""Models in files: those that the command ``andnmf`` writes and reads."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from andnmf import _core
from andnmf._and import AND
from andnmf._base import Factorization
from andnmf._baselines import ANLS, HALS, MU, OnlineLDA
from andnmf._input import read_matrix

_ESTIMATORS = {kind._method: kind for kind in (AND, ANLS, HALS, MU, OnlineLDA)}


class FittedModel(Factorization):
    """A model of a method that has no estimator here: it gives weights, but cannot be fitted again."""

    _translation = {}

    def __init__(self, *, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> FittedModel:
        """Refuses: models of such methods are fitted by the command."""
        raise NotImplementedError("models of this method are fitted by the command andnmf, not from Python")

    fit_transform = fit


def save(model: Factorization, path: Any, *, overwrite: bool = False) -> None:
    """Write a fitted estimator to a file that the command ``andnmf`` and :func:`load` read.

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
    AND, HALS, ANLS, MU or OnlineLDA
        By the method of the fit; for the command's other methods a :class:`FittedModel`. What only the run knew
        (its trace, the reconstruction error) is not in the file.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        path = os.path.join(path, "model.safetensors")
    found = _core.load_model(path)
    settings = json.loads(found["settings"])
    kind = _ESTIMATORS.get(found["method"], FittedModel)
    model = kind() if kind is FittedModel else kind(**kind._parameters(settings))
    model._method = settings.pop("method")
    model.components_ = found["components"]
    model.n_components_, model.n_features_in_ = model.components_.shape
    model.thresholds_ = found["thresholds"]
    model.trust_ = json.loads(found["trust"])
    if model.trust_ is not None:
        model.stability_ = np.array(model.trust_["component_stability"])
    if found["feature_names"] is not None:
        model.feature_names_in_ = np.array(found["feature_names"], dtype=object)
    model._kept = {"settings": settings, "scale": found["scale"]}
    return model
