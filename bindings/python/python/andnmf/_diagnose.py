"""Diagnoses: can the true components be recovered?"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from sklearn.base import BaseEstimator

from andnmf import _core, _settings
from andnmf._base import Factorization
from andnmf._display import reason_text
from andnmf._input import as_samples, read_components, read_samples, read_weights, threads
from andnmf._types import Reason, Verdict, trust_json, with_all_keys


class Diagnosis(dict[str, Any]):
    """The result of :func:`diagnose`: a dict with the keys of ``andnmf diagnose --json``.

    ``verdict`` and ``reasons`` are described below; ``weights`` has the conditions of the theorems and the largest
    correlations, ``residual`` the relative reconstruction error, ``trust`` the trust summary of the fit.

    Attributes
    ----------
    verdict : {"good", "doubtful", "poor"}
        The overall verdict.
    reasons : list of dict
        Why the verdict is not better, and what to do: ``code``, ``severity``, ``text``, ``advice``, ``components``.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=500, n_features=40, n_components=5, concentration=1)
    >>> diagnosis = andnmf.diagnose(data.weights)
    >>> diagnosis.verdict, diagnosis.reasons, sorted(diagnosis)[:2]
    ('good', [], ['reasons', 'residual'])
    """

    @property
    def verdict(self) -> Verdict:
        """The overall verdict: good, doubtful or poor."""
        return self["verdict"]

    @property
    def reasons(self) -> list[Reason]:
        """Reasons against recovery, each with advice."""
        return self["reasons"]

    def __repr__(self) -> str:
        return "\n".join([f"verdict: {self.verdict}", *(f"  - {reason_text(reason)}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{escape(reason_text(reason))}</li>" for reason in self.reasons)
        return f"<div><b>verdict: {escape(self.verdict)}</b><ul>{reasons}</ul></div>"


def diagnose(
    samples_or_weights: Any,
    *,
    n_components: int | None = None,
    model: BaseEstimator | None = None,
    n_jobs: int | None = None,
) -> Diagnosis:
    """Diagnose whether the true components can be recovered.

    Parameters
    ----------
    samples_or_weights : array-like or sparse matrix
        With ``model``: samples on which to diagnose it. With ``n_components``: samples, to which that many components
        are fitted first. With neither: non-negative weights of shape (n_samples, n_components).
    n_components : int, optional
        Number of components to fit.
    model : fitted estimator, optional
        An estimator of this package, or any other with ``components_``, such as scikit-learn's ``NMF``.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    Diagnosis
        The verdict and its reasons.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=500, n_features=40, n_components=5, concentration=1, random_state=0)
    >>> andnmf.diagnose(data.weights).verdict
    'good'
    >>> background = andnmf.diagnose(data.weights + 0.2)
    >>> background.verdict
    'poor'
    """
    if model is not None:
        if n_components is not None:
            raise ValueError("n_components must be None if model is given, which has its own number of components")
        if not isinstance(model, BaseEstimator):
            raise TypeError(f"model is {model!r}, but it must be a fitted estimator")
        components = read_components(model)
        if isinstance(model, Factorization):
            X = model._validated(samples_or_weights, reset=False)
        else:
            X = read_samples(samples_or_weights)
        trust = trust_json(model)
        text = _core.diagnose_model(as_samples(X), components.astype(X.dtype, copy=False), trust, threads(n_jobs))
    elif n_components is not None:
        X = read_samples(samples_or_weights)
        rank = _settings.integer("n_components", n_components)
        text = _core.diagnose_samples(as_samples(X), rank, threads(n_jobs))
    else:
        text = _core.diagnose_weights(read_weights(samples_or_weights))
    diagnosis = Diagnosis(json.loads(text))
    if diagnosis.get("trust") is not None:
        diagnosis["trust"] = with_all_keys(diagnosis["trust"])
    return diagnosis
