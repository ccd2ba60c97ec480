"""Types of results, for type checkers and readers."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple, TypedDict

Verdict = Literal["good", "doubtful", "poor"]
StopReason = Literal["converged", "max_stages", "time_limit", "cancelled"]
Noise = Literal["gaussian", "poisson"]


class Reason(TypedDict):
    """A reason of a verdict. Some reasons have further keys with their data.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import AND
    >>> AND(2, random_state=0).fit(np.zeros((9, 4))).trust_["reasons"][0]["code"]
    'zero-samples'
    """

    code: str
    severity: str
    text: str
    advice: str
    components: list[int]


class Alternative(TypedDict):
    """Another answer that fits as well: two components that trade part of each other.

    Examples
    --------
    >>> from andnmf import AND
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=400, n_features=50, n_components=5, random_state=0)
    >>> AND(5, random_state=0).fit(data.samples).trust_["alternatives"]
    []
    """

    components: list[int]
    sine: float
    text: str


class Trust(TypedDict):
    """Whether a fit can be trusted; ``verdict`` is None and the lists are empty if the fit was not judged.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import AND
    >>> AND(2, random_state=0).fit(np.zeros((9, 4))).trust_["verdict"]
    'poor'
    """

    verdict: Verdict | None
    reasons: list[Reason]
    component_stability: list[float]
    component_error: list[list[float]]
    alternatives: list[Alternative]


class Stage(NamedTuple):
    """A finished stage (outer iteration), as callbacks receive it. NaN if the method does not have a value.

    Examples
    --------
    >>> from andnmf import HALS
    >>> from andnmf.datasets import make_dir
    >>> data = make_dir(n_samples=100, n_features=20, n_components=3, random_state=0)
    >>> stages = []
    >>> model = HALS(3, tol=1e-3, random_state=0, callback=stages.append).fit(data.samples)
    >>> stages[0].stage, stages[0].loss > stages[-1].loss
    (0, True)
    """

    #: Its number, from 0, as in ``trace_``.
    stage: int
    seconds: float
    threshold_min: float
    threshold_median: float
    active_fraction: float
    change: float
    loss: float
    #: The limit on stages. A search for a start comes on top in a default fit of AND.
    max_stages: int
    #: True in the refit that checks a default fit of AND: its stages count from 0 again.
    refit: bool = False


class TopFeature(NamedTuple):
    """A feature of a component, as ``top_features`` returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from andnmf import AND
    >>> model = AND(2, random_state=0).fit(np.kron(np.eye(2), np.ones((20, 2))) * np.arange(1, 41)[:, None])
    >>> {round(features[0].lift, 6) for features in model.top_features(1)}
    {2.0}
    """

    name: str
    #: Its value in the component.
    value: float
    #: How many times more frequent it is in the component than in the data as a whole.
    lift: float
    #: Its number.
    index: int


def with_all_keys(trust: Trust | None) -> Trust:
    """The trust of a fit with the lists that the library leaves out because they are empty; None was not judged."""
    empty: Trust = {"verdict": None, "reasons": [], "component_stability": [], "component_error": [], "alternatives": []}
    return empty if trust is None else {**empty, **trust}


def trust_json(model: Any) -> str:
    """The trust of a model as JSON for the library, null if it was not judged."""
    trust = getattr(model, "trust_", None)
    return json.dumps(trust if trust is not None and trust["verdict"] is not None else None)
