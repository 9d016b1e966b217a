"""Suggestions for texts that are no quantities: ``500mb`` is 500M."""

from __future__ import annotations

import re
from typing import Final

from kubestage.objects import quantity

_FORM: Final = "quantities look like 2, 500m, 1.5 or 512Mi"
_WRITTEN: Final = re.compile(r"\s*([+-]?)([0-9][0-9.,_]*)\s*([a-zA-Z]*)\s*")
_THOUSANDS: Final = re.compile(r"\d{1,3}([,_]\d{3})+")
_PREFIXES: Final = {"k": "kilo", "m": "mega", "g": "giga", "t": "tera", "p": "peta", "e": "exa"}
_BINARY: Final = {"k": "kibi", "m": "mebi", "g": "gibi", "t": "tebi", "p": "pebi", "e": "exbi"}
_BYTES: Final = ("", "b", "byte", "bytes")


def _units() -> dict[str, str]:
    """Each suffix by the ways in which people write it, all in small letters."""
    found = dict.fromkeys((*_BYTES, "c", "core", "cores", "cpu", "cpus", "vcpu", "vcpus"), "")
    found |= dict.fromkeys(("milli", "millis", "mc", "mcpu", "mcore", "mcores"), "m")
    found |= dict.fromkeys(("millicore", "millicores", "millicpu", "millicpus"), "m")
    found |= dict.fromkeys(("micro", "micros", "microcores"), "u")
    found |= dict.fromkeys(("nano", "nanos", "nanocores"), "n")
    for letter, name in _PREFIXES.items():
        decimal = "k" if letter == "k" else letter.upper()
        for end in _BYTES:
            found[f"{letter}{end}"] = found[f"{name}{end}"] = decimal
            found[f"{letter}i{end}"] = found[f"{_BINARY[letter]}{end}"] = f"{letter.upper()}i"
    return found


_UNITS: Final = _units()


def suggestion(text: str) -> str | None:
    """The quantity that was likely intended; None if that is not clear."""
    match = _WRITTEN.fullmatch(text)
    if match is None or match[3].lower() not in _UNITS:
        return None
    number = match[2]
    number = re.sub("[,_]", "", number) if _THOUSANDS.fullmatch(number) else number
    suggested = f"{match[1]}{number.replace(',', '.')}{_UNITS[match[3].lower()]}"
    try:
        quantity.parse(suggested)
    except quantity.QuantityError:
        return None
    return None if suggested == text else suggested


def fix(text: str) -> str:
    """What to do about a text that is no quantity."""
    suggested = suggestion(text)
    if suggested is None:
        return _FORM
    if suggested[-1] in "kMGTPE":
        binary = f"{suggested[:-1]}{suggested[-1].upper()}i"
        return f"did you mean {suggested}? (or {binary}, which counts in powers of 1024)"
    return f"did you mean {suggested}?"
