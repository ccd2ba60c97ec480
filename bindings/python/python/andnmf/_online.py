"""The online form of AND: samples come in batches, and each batch is a stage."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, size_of, threads


def next_batch(model: Any, X: Any) -> None:
    """One more batch of samples for an AND."""
    settings = model._settings()
    first = not hasattr(model, "components_")
    X = model._validated(X, reset=first)
    _settings.verbosity(model.verbose)
    start = model._start()
    # What the first batch had settled stays, also where it came from what is given by now.
    known = model._rank_and_seed(X, start) if first else model._kept["settings"]
    settings |= {name: known[name] for name in ("rank", "seed")}
    model._check_samples(X)
    found = _core.learn(
        as_samples(X),
        json.dumps({"method": "and", **settings}, allow_nan=False),
        model._own_start(X, settings, start) if first else "auto",
        None if first else _so_far(model, X),
        threads(model.n_jobs),
        model._tell if model.verbose else None,
    )
    before = None if first else model.trace_
    model._keep(found, settings)
    model.n_batches_seen_ = found["batches"]
    model._first_threshold = found["first_threshold"]
    if before is not None and len(before["stage"]):
        model.trace_ = _continued(before, found["trace"])
    model.n_iter_ = len(model.trace_["stage"])
    model.reconstruction_err_ = model._relative_error(X, model._weights(X)) * size_of(X)


def _so_far(model: Any, X: Any) -> tuple[np.ndarray, list[float], float | None, int]:
    """What the next batch goes on from; after a whole fit there is no first threshold yet."""
    return (
        model._components_like(X),
        list(model.thresholds_),
        getattr(model, "_first_threshold", None),
        getattr(model, "n_batches_seen_", 0),
    )


def _continued(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One trace out of two: stages and seconds go on from where the first one ends."""
    later = after | {
        "stage": after["stage"] + before["stage"][-1] + 1,
        "seconds": after["seconds"] + before["seconds"][-1],
    }
    return {name: np.concatenate([before[name], later[name]]) for name in before if name in later}
