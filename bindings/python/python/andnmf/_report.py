"""Folders of fits, as the command ``andnmf fit`` writes them, and report pages."""

from __future__ import annotations

import json
import os
import tempfile
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from andnmf import _core, _settings
from andnmf._types import trust_json

#: Files of a folder that a new fit replaces; the summary comes last, so that where it exists so do the others.
FILES = ("model.safetensors", "components.npy", "weights.npy", "trace.csv", "summary.json")
#: How components can be drawn.
SHOWN_AS = ("auto", "words", "image", "curve", "bars")


class Report:
    """The report page of a fit; notebooks show it.

    Attributes
    ----------
    html : str
        The page, which loads nothing else.

    Examples
    --------
    >>> import andnmf
    >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, random_state=0)
    >>> report = andnmf.AND(n_components=3, random_state=0).fit(data.samples).report(X=data.samples)
    >>> "<title>" in report.html
    True
    """

    def __init__(self, html: str):
        self.html = html

    def save(self, path: Any) -> None:
        """Write the page to a file, replacing an existing one."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A frame keeps the styles of the page and the notebook apart.
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:720px;border:0" title="andnmf report"></iframe>'


def report(
    model: Any,
    path: Any = None,
    X: Any = None,
    *,
    title: str | None = None,
    show: str = "auto",
    shape: tuple[int, int] | None = None,
) -> Report:
    """Build the report page of a fit; see :meth:`AND.report`."""
    options = ["--show", _settings.choice("show", show, SHOWN_AS), "--title", title or type(model).__name__]
    if shape is not None:
        options += ["--shape", f"{shape[0]}x{shape[1]}"]
    with tempfile.TemporaryDirectory() as folder:
        save_folder(model, os.path.join(folder, "fit"), X)
        page = Report(_core.report_page(os.path.join(folder, "fit"), options))
    if path is not None:
        page.save(path)
    return page


def save_folder(model: Any, folder: Any, X: Any = None, *, overwrite: bool = False) -> None:
    """Write the files of ``andnmf fit``; those that need the samples only if they are given."""
    from andnmf._model_file import save_file

    target = Path(folder)
    if target.is_dir() and any(target.iterdir()) and not overwrite:
        raise FileExistsError(f"{target} exists and is not empty; use overwrite=True to replace its results")
    samples = None if X is None else model._validated(X, reset=False)
    weights = None if samples is None else model._weights(samples)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target, prefix=".andnmf-") as parts:
        part = Path(parts)
        save_file(model, part / "model.safetensors")
        np.save(part / "components.npy", model.components_)
        if weights is not None:
            np.save(part / "weights.npy", weights)
        (part / "trace.csv").write_text(trace_csv(getattr(model, "trace_", None)), encoding="utf-8")
        summary = summary_of(model, samples, weights)
        (part / "summary.json").write_text(json.dumps(summary, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        for name in FILES:
            if (part / name).exists():
                os.replace(part / name, target / name)
            else:
                (target / name).unlink(missing_ok=True)


def summary_of(model: Any, samples: Any, weights: np.ndarray | None) -> dict[str, Any]:
    """The contents of ``summary.json``; what is not known is left out."""
    record = model._fit_record
    rank, n_features = model.components_.shape
    known = {
        "method": model._method,
        "rank": rank,
        "n_samples": record.get("n_samples") if samples is None else samples.shape[0],
        "n_features": n_features,
        "stages": getattr(model, "n_iter_", None),
        "search_stages": getattr(model, "n_search_iter_", None),
        "stop_reason": getattr(model, "stop_reason_", None),
        "solver_seconds": record.get("solver_seconds"),
        "seconds": record.get("library_seconds"),
        "reconstruction_error": record.get("relative_error"),
        "residual_norm": getattr(model, "reconstruction_err_", None),
        "passes": record.get("passes"),
        "ending": getattr(model, "ending_", None),
        "noise": model.noise_,
        "set_aside": model.set_aside_.tolist() if hasattr(model, "set_aside_") else [],
    }
    if samples is not None and weights is not None:
        known["reconstruction_error"] = model._relative_error(samples, weights)
    return {name: value for name, value in known.items() if value is not None} | {
        "trust": json.loads(trust_json(model)),
        "warnings": list(getattr(model, "warnings_", [])),
        "settings": {"method": model._method, **record["settings"]},
    }


def trace_csv(trace: dict[str, np.ndarray] | None) -> str:
    """The text of ``trace.csv``; values that a method does not have stay empty."""
    columns = dict.fromkeys(_settings.TRACE_COLUMNS, np.empty(0)) if trace is None else trace
    lines = [",".join(columns)]
    for row in zip(*columns.values(), strict=True):
        lines.append(",".join("" if np.isnan(value) else repr(value.item()) for value in row))
    return "\n".join(lines) + "\n"
