"""Online AND: samples arrive in batches, and each batch is one stage."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._input import as_samples, frobenius_norm, threads
from andnmf._progress import Progress, print_end


def fit_batch(model: Any, X: Any) -> None:
    """Update an AND estimator with a batch of samples."""
    settings = model._settings()
    first = not hasattr(model, "components_")
    X = model._validated(X, reset=first)
    _settings.verbosity(model.verbose)
    if model.scale != "fit":
        raise ValueError(f"scale is {model.scale!r}, but it must be 'fit' in partial_fit, which continues from its weights")
    start = model._start()
    # Later batches use the rank and seed of the first one, even if parameters have changed.
    resolved = model._rank_and_seed(X, start) if first else model._fit_record["settings"]
    settings |= {name: resolved[name] for name in ("rank", "seed")}
    model._check_samples(X)
    progress = Progress(model, settings)
    try:
        result = _core.partial_fit(
            as_samples(X),
            json.dumps({"method": "and", **settings}, allow_nan=False),
            model._resolve_start(X, settings, start) if first else "auto",
            None if first else _online_state(model, X),
            threads(model.n_jobs),
            progress.on_stage(),
        )
    finally:
        progress.close()
    # A model from a file has no trace.
    before = None if first else getattr(model, "trace_", None)
    model._store_result(result, settings)
    print_end(model)
    model.n_batches_seen_ = result["batches"]
    model._first_threshold = result["first_threshold"]
    if before is not None and len(before["stage"]):
        model.trace_ = _append_trace(before, result["trace"])
    model.n_iter_ = len(model.trace_["stage"])
    model.reconstruction_err_ = model._relative_error(X, model._weights(X)) * frobenius_norm(X)


def _online_state(model: Any, X: Any) -> tuple[np.ndarray, list[float], float | None, int]:
    """The state to continue from; there is no first threshold after a plain fit."""
    return (
        model._components_as_dtype_of(X),
        list(model.thresholds_),
        getattr(model, "_first_threshold", None),
        getattr(model, "n_batches_seen_", 0),
    )


def _append_trace(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Append a trace to an earlier one; stages and seconds continue."""
    later = after | {
        "stage": after["stage"] + before["stage"][-1] + 1,
        "seconds": after["seconds"] + before["seconds"][-1],
    }
    return {name: np.concatenate([before[name], later[name]]) for name in before if name in later}
