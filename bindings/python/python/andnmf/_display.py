"""The HTML representation of estimators in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from andnmf._types import Reason


class FittedSummary:
    """Adds a summary of the fit to scikit-learn's diagram of an estimator."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._summary_html()
        return bundle

    def _repr_html_(self) -> str:
        from sklearn.utils import estimator_html_repr

        return estimator_html_repr(self) + self._summary_html()

    def _summary_html(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in summary(self)
        )
        return f"<table class='andnmf-summary'>{rows}</table>" if rows else ""


def reason_text(reason: Reason) -> str:
    """A reason of a verdict in one line: its text and its advice."""
    return "; ".join(part for part in (reason["text"], reason["advice"]) if part)


def summary(model: Any) -> list[tuple[str, str]]:
    """The result of a fit as rows of name and text; empty before a fit."""
    if not hasattr(model, "components_"):
        return []
    rank, n_features = model.components_.shape
    rows = [("components", f"{rank} of {n_features} features, {model.components_.dtype}")]
    if hasattr(model, "n_iter_"):
        rows.append(("stages", f"{model.n_iter_} ({model.stop_reason_.replace('_', ' ')})"))
    if getattr(model, "ending_", model._method) != model._method:
        rows.append(("ending", model.ending_))
    if hasattr(model, "reconstruction_err_"):
        rows.append(("reconstruction error", f"{model.reconstruction_err_:.4g}"))
    trust = getattr(model, "trust_", None)
    if trust is not None and trust["verdict"] is not None:
        rows.append(("verdict", trust["verdict"]))
        rows.extend(("", reason_text(reason)) for reason in trust["reasons"])
    rows.extend(("warning", text) for text in getattr(model, "warnings_", []))
    return rows
