"""Progress of a fit: the user's callback, and with ``verbose`` a bar or lines."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from andnmf import _settings
from andnmf._types import Stage

#: With ``verbose=1`` and no bar, lines are printed for the first stages and then this many seconds apart.
SECONDS_BETWEEN_LINES = 1.0
FIRST_LINES = 3


class Progress:
    """Receives the stages of a fit, calls the callback, and shows them."""

    def __init__(self, model: Any, settings: dict[str, Any]):
        self._name = type(model).__name__
        self._callback: Callable[[Stage], object] | None = model.callback
        if self._callback is not None and not callable(self._callback):
            raise TypeError(f"callback is {self._callback!r}, but it must be callable, or None")
        self._verbose = _settings.verbosity(model.verbose)
        self._max_stages = settings.get("max_stages", 1)
        self._bar: Any = None
        self._last_line = -math.inf

    def on_stage(self) -> Callable[[int, tuple[float, ...], bool], bool] | None:
        """The function that the extension calls after each stage; None if nobody listens."""
        return self._stage if self._verbose or self._callback is not None else None

    def _stage(self, number: int, columns: tuple[float, ...], refit: bool) -> bool:
        stage = Stage(number, *columns, self._max_stages, refit)
        if self._verbose:
            self._show(stage)
        # Only True ends a fit: a callback that appends to a list returns None, others return what they like.
        return self._callback is not None and self._callback(stage) is True

    def _show(self, stage: Stage) -> None:
        if self._bar is None:
            self._bar = _bar(self._name, self._max_stages) if self._verbose == 1 else False
        if self._bar:
            if stage.refit:
                # The bar is of the fit; how many stages a refit takes is not known.
                self._bar.set_postfix_str(f"refit to check it, stage {stage.stage}: {figures(stage)}")
                return
            # The search for a start comes on top of the limit.
            self._bar.total = max(self._bar.total, stage.stage + 1)
            self._bar.update(stage.stage + 1 - self._bar.n)
            self._bar.set_postfix_str(figures(stage))
        elif self._verbose > 1 or (not stage.refit and stage.stage < FIRST_LINES) or self._due():
            name = f"{self._name} refit" if stage.refit else self._name
            print(f"{name} stage {stage.stage}: {figures(stage)}, {stage.seconds:.2f} s", flush=True)

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._last_line < SECONDS_BETWEEN_LINES:
            return False
        self._last_line = now
        return True

    def close(self) -> None:
        """End the bar."""
        if self._bar:
            self._bar.total = self._bar.n
            self._bar.close()


def print_end(model: Any) -> None:
    """With ``verbose``, say how the fit ended."""
    if model.verbose:
        searched = f" after {model.n_search_iter_} of a search" if model.n_search_iter_ else ""
        seconds = model._fit_record.get("solver_seconds") or 0.0
        reason = model.stop_reason_.replace("_", " ")
        print(f"{type(model).__name__}: {reason}, {model.n_iter_} stages{searched}, {seconds:.2f} s", flush=True)


def figures(stage: Stage) -> str:
    """The figures of a stage for people."""
    parts = [f"change {stage.change:.1e}", f"{stage.active_fraction:.1%} of weights active"]
    if not math.isnan(stage.loss):
        parts.insert(0, f"loss {stage.loss:.6g}")
    return ", ".join(parts)


def _bar(name: str, total: int) -> Any:
    """A progress bar, also in notebooks; False if tqdm is not installed or nobody could see a bar."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return False
    in_notebook = "ipykernel" in sys.modules
    return tqdm(total=total, desc=name, unit="stage", leave=False) if in_notebook or sys.stderr.isatty() else False
