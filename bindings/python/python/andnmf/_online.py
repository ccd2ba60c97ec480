"""The online form of AND: samples come in batches, and each batch is a stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, has_negative, size_of, threads

#: The threshold of the first stage, where a component's largest weights are about 1.
FIRST_THRESHOLD = 0.1
#: What it is divided by after each batch.
RATIO = 1.1
#: Thresholds stay above so many times the root mean square of negative decoded weights, which are all error.
DATA_FLOOR = 2.0
#: The share of a component's weights that is taken to be below its largest ones.
BELOW_LARGEST = 0.99
#: Samples per gradient step where nothing else is asked for.
BATCH_SIZE = 16


def next_batch(model: Any, X: Any) -> None:
    """One more batch of samples for an AND."""
    settings = model._settings()
    first = not hasattr(model, "components_")
    X = model._validated(X, reset=first)
    schedule = settings["threshold"]
    _settings.verbosity(model.verbose)
    if schedule == "auto":
        # Of its stages this module makes schedules with a size of batches; a fit for the start knows none.
        settings |= {"batch": "all"}
    if first:
        settings |= model._rank_and_seed(X, model._start())
        _begin(model, X, settings)
        found_here = schedule == "auto" and isinstance(model._start(), str)
        if found_here:
            # All that this batch can tell went into the start.
            model.n_batches_seen_ = 1
            _measure(model, X)
            return
    elif not hasattr(model, "n_batches_seen_"):
        # A whole fit came before: its components are the start.
        model.n_batches_seen_ = 0
        if schedule == "auto":
            _bring_to_scale(model, X)
    _stage(model, X, settings)
    model.n_batches_seen_ += 1
    _measure(model, X)


def _measure(model: Any, X: Any) -> None:
    """What the components leave of the batch."""
    model.reconstruction_err_ = model._relative_error(X, model._weights(X)) * size_of(X)


def _begin(model: Any, X: Any, settings: dict[str, Any]) -> None:
    """Finds a start in the first batch, unless one is given."""
    start, schedule = model._start(), settings["threshold"]
    if isinstance(start, str) and schedule == "auto":
        model._keep(model._run(X, settings, start, weigh=False), settings)
        _bring_to_scale(model, X)
        return
    start = model._own_start(X, settings, start)
    if isinstance(start, str):
        name = "spa" if start == "auto" else start
        start = _core.start(as_samples(X), name, settings["rank"], settings["seed"], threads(model.n_jobs))
    model.components_ = np.array(start)
    model._kept = {"settings": settings}
    model.n_batches_seen_ = 0
    if schedule == "auto":
        _bring_to_scale(model, X)


def _bring_to_scale(model: Any, X: Any) -> None:
    """Scales each component so that its largest weights are about 1, which thresholds are meant for."""
    weights = model._weights(X)
    largest = np.quantile(weights, BELOW_LARGEST, axis=0)
    largest[largest == 0] = weights.max(axis=0)[largest == 0]
    largest[largest == 0] = 1
    model.components_ = (model.components_ * largest[:, None]).astype(X.dtype)
    # Where a fit came before, thresholds go on from where they ended: higher ones would only lose weights again.
    if len(getattr(model, "thresholds_", [])):
        model.thresholds_ = model.thresholds_ / largest
        model._first_threshold = float(min(FIRST_THRESHOLD, np.median(model.thresholds_)))


def _stage(model: Any, X: Any, settings: dict[str, Any]) -> None:
    stage, before = model.n_batches_seen_, getattr(model, "trace_", None)
    seed = model._kept["settings"]["seed"]
    rank = model._kept["settings"]["rank"]
    one_stage = settings | {
        "rank": rank,
        # Each batch has an order of its own, and the first seed is what the model is saved with.
        "seed": (seed + stage) % 2**32,
        "threshold": threshold_of(settings["threshold"], stage, getattr(model, "_first_threshold", FIRST_THRESHOLD)),
        "batch": _settings.batch("batch_size", BATCH_SIZE if model.batch_size is None else model.batch_size),
        "compress": "off",
        "max_stages": 1,
    }
    found = model._run(X, one_stage, model._components_like(X), weigh=False)
    if model.nonnegative is not False and not has_negative(X) and settings["threshold"] == "auto":
        np.maximum(found["components"], 0, out=found["components"])
    model._keep(found, settings | {"rank": rank, "seed": seed})
    if before is not None and len(before["stage"]):
        model.trace_ = _continued(before, found["trace"])
    model.n_iter_ = len(model.trace_["stage"])


def _continued(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One trace out of two: stages and seconds go on from where the first one ends."""
    later = after | {
        "stage": after["stage"] + before["stage"][-1] + 1,
        "seconds": after["seconds"] + before["seconds"][-1],
    }
    return {name: np.concatenate([before[name], later[name]]) for name in before if name in later}


def threshold_of(schedule: Any, stage: int, first: float = FIRST_THRESHOLD) -> Any:
    """The threshold of one stage as a schedule of its own."""
    if schedule == "auto":
        return _settings.scheduled({"constant": first / RATIO**stage}, data_floor=DATA_FLOOR)
    bounds = dict(schedule["scheduled"])
    (kind, values), *_ = bounds.pop("schedule").items()
    if kind == "theory":
        raise ValueError("threshold is a schedule of theory, which needs the samples of all stages; use fit")
    if kind == "geometric":
        value = max(values["start"] / values["ratio"] ** stage, values.get("floor") or 0.0)
    elif kind == "list":
        value = values[min(stage, len(values) - 1)] if values else 0.0
    else:
        value = values
    return _settings.scheduled({"constant": value}, **bounds)
