"""How estimators warn."""

from __future__ import annotations

import sys
import warnings

#: Whose calls lie between a user's line and a warning.
_BETWEEN = ("andnmf", "sklearn", "joblib")


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line outside of this package and of scikit-learn that led here.

    scikit-learn wraps methods such as ``fit_transform``, and pipelines call them: a fixed number of calls would point
    into its sources.
    """
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
