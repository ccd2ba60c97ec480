"""Certificates: the premises and predictions of the paper's theorems, beside what happens."""

from __future__ import annotations

import json
from typing import Any

from andnmf import _core
from andnmf._input import read_components, read_matrix, threads


class Certificate(dict[str, Any]):
    """The result of :func:`certify`: a dict with the keys of ``andnmf certify --json``.

    ``weights`` has the correlations of the weights, r, k, m, λ and q, and the bounds on m; ``start`` the distance of the
    components from the truth; ``theorem``, ``premises``, ``thresholds`` and ``predicted_error`` what the theory says, and
    ``run`` what happens.

    Attributes
    ----------
    holds : bool
        True if a theorem fits and all its premises are met.
    """

    @property
    def holds(self) -> bool:
        """True if a theorem fits and all its premises are met."""
        return self["theorem"] != "none" and all(premise["met"] for premise in self["premises"])

    def __repr__(self) -> str:
        lines = [f"theorem: {self['theorem']}"]
        for premise in self["premises"]:
            met = "met" if premise["met"] else "not met"
            lines.append(f"  {premise['name']}: {premise['value']:.3g}, at most {premise['limit']:.3g}: {met}")
        return "\n".join(lines)


def certify(
    samples: Any,
    components: Any,
    *,
    truth: Any = None,
    weights: Any = None,
    n_jobs: int | None = None,
) -> Certificate:
    """Compare samples and components with the paper's theorems.

    With ``truth``, AND runs from the components with the thresholds of the theory. The constants that the paper does not
    state are set to 1.

    Parameters
    ----------
    samples : array-like of shape (n_samples, n_features)
        The samples.
    components : array-like of shape (n_components, n_features), or fitted estimator
        A start, or the components of a fit.
    truth : array-like of shape (n_components, n_features), optional
        The true components.
    weights : array-like of shape (n_samples, n_components), optional
        The true weights; by default those of least squares without negative values.
    n_jobs : int or None, default=None
        Number of threads; ``None`` and -1 use all cores.

    Returns
    -------
    Certificate
        Premises, thresholds, predicted error, and the run.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_binary(n_samples=900, n_features=60, n_components=8, sparsity=1, in_span=0.3)
    >>> certificate = andnmf.certify(data.samples, data.init, truth=data.truth)
    >>> certificate["theorem"], certificate.holds, certificate["run"]["error"] < 1e-9
    ('binary', True, True)
    """
    named = {"truth": truth, "weights": weights}
    given = [None if matrix is None else read_matrix(matrix, name) for name, matrix in named.items()]
    text = _core.certify(
        read_matrix(samples, "samples"), read_components(components), given[0], given[1], threads(n_jobs)
    )
    return Certificate(json.loads(text))
