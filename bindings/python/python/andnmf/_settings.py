"""Conversion between parameters of estimators and settings of the library.

Only types are checked here (``TypeError``); the library checks the values (``ValueError``).
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
#: Names of the starts; "random" is scikit-learn's, and computed in Python.
STARTS = (*(start["name"] for start in _DESCRIPTION["starts"]), "random")
#: The noise that a fit may expect.
NOISES = tuple(next(setting for setting in METHODS["and"]["settings"] if setting["name"] == "noise")["words"])
#: Columns of a trace.
TRACE_COLUMNS = tuple(_DESCRIPTION["trace"])
#: Settings that a fit resolves first: n_components may be None, random_state a generator.
_RESOLVED = ("rank", "seed")


def of_method(method: str) -> list[dict[str, Any]]:
    """The settings of a method, without those that a fit resolves first."""
    return [setting for setting in METHODS[method]["settings"] if setting["name"] not in _RESOLVED]


def defaults(method: str) -> dict[str, Any]:
    """All settings of a method with their defaults."""
    return {"method": method, **{setting["name"]: setting["default"] for setting in METHODS[method]["settings"]}}


def of_estimator(estimator: Any) -> dict[str, Any]:
    """The settings that correspond to the parameters of an estimator, as the library writes them."""
    table = of_method(estimator._method)
    given = {setting["name"]: to_setting(setting, getattr(estimator, setting["parameter"])) for setting in table}
    resolved = json.loads(_core.settings(estimator._method, json.dumps(given, allow_nan=False)))
    return {name: resolved[name] for name in given}


def to_setting(setting: dict[str, Any], value: Any) -> Any:
    """A parameter as the JSON value of its setting; raises TypeError for a wrong type."""
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
    choices = setting["words"] if kind in ("words", "words_or_number") else []
    if isinstance(value, str) and choices:
        if value not in choices:
            raise ValueError(f"{name} is '{value}', but {setting['expected']}")
        return value
    if setting["number"] == "real":
        return number(name, value)
    if setting["number"] == "whole" and isinstance(value, Integral):
        return integer(name, value)
    raise TypeError(f"{name} is {value!r}, but {setting['expected']}")


def parameters(method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The parameters that correspond to settings."""
    table = of_method(method)
    converted = {setting["parameter"]: to_parameter(setting, settings[setting["name"]]) for setting in table}
    return {"n_components": settings["rank"], "random_state": settings["seed"], **converted}


def to_parameter(setting: dict[str, Any], value: Any) -> Any:
    """The parameter that corresponds to the JSON value of a setting."""
    if setting["parameter"] == "nonnegative":
        return not value
    if setting["parameter"] == "batch_size" and value == "all":
        return None
    # A choice with a value is written {name: value}.
    return next(iter(value.values())) if isinstance(value, dict) else value


def integer(name: str, value: Any, alternatives: str = "") -> int:
    """A non-negative integer."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} is {value!r}, but it must be an integer{alternatives}")
    if value < 0:
        raise ValueError(f"{name} is {value}, but it must not be negative")
    return int(value)


def at_least(least: int, name: str, value: Any) -> int:
    """An integer of at least ``least``."""
    if integer(name, value) < least:
        raise ValueError(f"{name} is {value}, but it must be at least {least}")
    return int(value)


def verbosity(value: Any) -> int:
    """The value of ``verbose``: an integer or a bool, as in scikit-learn."""
    return int(value) if isinstance(value, (bool, np.bool_)) else integer("verbose", value, ", True or False")


def number(name: str, value: Any) -> float:
    """A finite number (JSON has no others)."""
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


def choice(name: str, value: Any, choices: tuple[str, ...], alternatives: str = "") -> str:
    """One of several strings."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be one of {', '.join(choices)}{alternatives}")
    if value not in choices:
        raise ValueError(f"{name} is '{value}', but it must be one of {', '.join(choices)}{alternatives}")
    return value


def threshold(name: str, value: Any) -> Any:
    """The value of ``threshold``: "auto", a schedule as text or dict, a number, or a list of numbers."""
    if isinstance(value, (str, dict)):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [number(name, v) for v in value]
    return number(name, value)


def signed(name: str, value: Any) -> bool:
    """The setting ``signed`` for the parameter ``nonnegative``."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, str) and value == "auto":
        return False
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f"{name} is {value!r}, but it must be 'auto', True or False")
