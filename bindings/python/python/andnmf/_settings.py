"""Parameters of estimators as settings of the library, which checks their values.

Here only types are looked at, as the library has words for wrong values but not for wrong types.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from andnmf import _core


def defaults(method: str) -> dict[str, Any]:
    """Every setting of a method with its default."""
    return json.loads(_core.default_settings(method))


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


def optional_number(name: str, value: Any) -> float | None:
    """A number, or nothing."""
    return None if value is None else number(name, value)


def word(name: str, value: Any, words: tuple[str, ...], beside: str = "") -> str:
    """One of some words."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be {', '.join(words)}{beside}")
    if value not in words:
        raise ValueError(f"{name} is '{value}', but it must be {', '.join(words)}{beside}")
    return value


def compress(name: str, value: Any) -> Any:
    """``auto``, ``off``, ``lossless`` or a number of directions."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return {"leading": integer(name, value)}
    return word(name, value, ("auto", "off", "lossless"), " or a number of directions")


def inner(name: str, value: Any) -> Any:
    """``exact`` or a number of steps."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return {"steps": integer(name, value)}
    return word(name, value, ("exact",), " or a number of steps")


def step(name: str, value: Any) -> Any:
    """``safe``, ``paper`` or a length."""
    if isinstance(value, str):
        return word(name, value, ("safe", "paper"), " or a number")
    return {"value": number(name, value)}


def batch(name: str, value: Any) -> Any:
    """``None`` for all samples, or their number."""
    return "all" if value is None else {"size": integer(name, value)}


def threshold(name: str, value: Any) -> Any:
    """``auto``, a schedule as the command writes it, a number, numbers, or the library's own form."""
    if isinstance(value, str):
        return json.loads(_core.parse_threshold(value))
    if isinstance(value, dict):
        if not isinstance(value.get("schedule"), dict) or len(value["schedule"]) != 1:
            raise ValueError(
                f"{name} is {value!r}, but a dict must have one schedule, such as {{'schedule': {{'constant': 0.1}}}}"
            )
        return {"scheduled": value}
    if isinstance(value, (list, tuple, np.ndarray)):
        return scheduled({"list": [number(name, v) for v in value]})
    return scheduled({"constant": number(name, value)})


def scheduled(schedule: dict[str, Any], **bounds: float) -> dict[str, Any]:
    """A schedule with what bounds it from below."""
    return {"scheduled": {"schedule": schedule, **bounds}}


def signed(name: str, value: Any) -> bool:
    """Whether components may be negative."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, str) and value == "auto":
        return False
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f"{name} is {value!r}, but it must be 'auto', True or False")


def plain(setting: Any) -> Any:
    """A word as it is, or the one value that a setting holds."""
    return next(iter(setting.values())) if isinstance(setting, dict) else setting


@dataclass(frozen=True)
class Setting:
    """What a parameter is to the library: the setting's name, how to get it, and the way back."""

    name: str
    read: Callable[[str, Any], Any]
    back: Callable[[Any], Any] = plain


#: The parameters that every method has, beside the number of components and the seed.
COMMON = {
    "max_stages": Setting("max_stages", integer),
    "tol": Setting("tolerance", number),
    "time_limit": Setting("time_limit", optional_number),
}
COMPRESS = Setting("compress", compress)
BATCH_SIZE = Setting("batch", batch, lambda setting: None if setting == "all" else plain(setting))
