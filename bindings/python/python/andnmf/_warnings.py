"""Warnings that point to the user's own line."""

from __future__ import annotations

import sys
import warnings

#: Packages whose frames are skipped.
_SKIPPED_PACKAGES = ("andnmf", "sklearn", "joblib")


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the innermost line outside this package and scikit-learn.

    A fixed ``stacklevel`` would point into scikit-learn, which wraps ``fit_transform`` and calls it from pipelines.
    """
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _SKIPPED_PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
