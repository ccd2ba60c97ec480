"""Parameters of estimators as settings of the library, which describes them and checks their values.

Here only types are looked at: wrong types are a ``TypeError``, wrong values the library's ``ValueError``.
"""

from __future__ import annotations

import json
from numbers import Integral, Real
from typing import Any

import numpy as np

from andnmf import _core

_DESCRIPTION = json.loads(_core.methods())
#: Every method by name, with its settings.
METHODS: dict[str, dict[str, Any]] = {method["name"]: method for method in _DESCRIPTION["methods"]}
#: The starts by name; the last one is scikit-learn's, and made in Python.
STARTS = (*(start["name"] for start in _DESCRIPTION["starts"]), "random")
#: The columns of a trace.
TRACE = tuple(_DESCRIPTION["trace"])
#: Settings that are not parameters as they are: the number of components may be unknown, the seed a generator.
_RESOLVED = ("rank", "seed")


def of_method(method: str) -> list[dict[str, Any]]:
    """The settings of a method that are parameters as they are."""
    return [setting for setting in METHODS[method]["settings"] if setting["name"] not in _RESOLVED]


def defaults(method: str) -> dict[str, Any]:
    """Every setting of a method with its default."""
    return {"method": method, **{setting["name"]: setting["default"] for setting in METHODS[method]["settings"]}}


def of_estimator(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator as settings in the library's own form."""
    table = of_method(estimator._method)
    given = {setting["name"]: read(setting, getattr(estimator, setting["parameter"])) for setting in table}
    found = json.loads(_core.settings(estimator._method, json.dumps(given, allow_nan=False)))
    return {name: found[name] for name in given}


def read(setting: dict[str, Any], value: Any) -> Any:
    """A parameter as JSON, if it has a type that the setting takes."""
    name, kind = setting["parameter"], setting["kind"]["type"]
    if name == "nonnegative":
        return signed(name, value)
    if kind == "threshold":
        return threshold(name, value)
    if name == "batch_size" and value is None:
        return "all"
    if kind == "flag":
        return flag(name, value)
    if kind == "optional_number" and value is None:
        return None
    words = setting["words"] if kind in ("words", "words_or_number") else []
    if isinstance(value, str) and words:
        if value not in words:
            raise ValueError(f"{name} is '{value}', but {setting['expected']}")
        return value
    if setting["number"] == "real":
        return number(name, value)
    if setting["number"] == "whole" and isinstance(value, Integral):
        return integer(name, value)
    raise TypeError(f"{name} is {value!r}, but {setting['expected']}")


def parameters(method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The parameters that such settings come from."""
    found = {setting["parameter"]: back(setting, settings[setting["name"]]) for setting in of_method(method)}
    return {"n_components": settings["rank"], "random_state": settings["seed"], **found}


def back(setting: dict[str, Any], value: Any) -> Any:
    """The parameter that a setting in the library's own form comes from."""
    if setting["parameter"] == "nonnegative":
        return not value
    if setting["parameter"] == "batch_size" and value == "all":
        return None
    # A word as it is, or the one value that a choice holds.
    return next(iter(value.values())) if isinstance(value, dict) else value


def integer(name: str, value: Any, beside: str = "") -> int:
    """A whole number, zero or more."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} is {value!r}, but it must be a whole number{beside}")
    if value < 0:
        raise ValueError(f"{name} is {value}, but it must not be negative")
    return int(value)


def at_least(least: int, name: str, value: Any) -> int:
    """A whole number from ``least`` on."""
    if integer(name, value) < least:
        raise ValueError(f"{name} is {value}, but it must be at least {least}")
    return int(value)


def verbosity(value: Any) -> int:
    """A whole number or a truth value, as scikit-learn's estimators take it."""
    return int(value) if isinstance(value, (bool, np.bool_)) else integer("verbose", value, ", True or False")


def number(name: str, value: Any) -> float:
    """A number of any size. What JSON has no words for is refused here."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}, but it must be a number")
    if not np.isfinite(value):
        raise ValueError(f"{name} is {value}, but it must be finite")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, but it must be True or False")
    return bool(value)


def word(name: str, value: Any, words: tuple[str, ...], beside: str = "") -> str:
    """One of some words."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be {', '.join(words)}{beside}")
    if value not in words:
        raise ValueError(f"{name} is '{value}', but it must be {', '.join(words)}{beside}")
    return value


def threshold(name: str, value: Any) -> Any:
    """``auto`` or a schedule as text, a number, numbers, or a dict of the library's own form."""
    if isinstance(value, (str, dict)):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [number(name, v) for v in value]
    return number(name, value)


def signed(name: str, value: Any) -> bool:
    """Whether components may be negative."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, str) and value == "auto":
        return False
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f"{name} is {value!r}, but it must be 'auto', True or False")
