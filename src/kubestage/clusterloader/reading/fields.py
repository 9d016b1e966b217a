"""The fields of one object of a configuration, typed as Go's JSON decoder types them.

A key matches a field whatever its case. Of several that match, the last in the order of their
letters counts, since Go sees them sorted; objects are merged. A null is no value. Where a text
belongs, a number or a truth value is taken as its text, as the reader of YAML does it in Go.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import numbers
from kubestage.golang import durations, floats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.clusterloader.reading.problems import Place, Problems

_INT32: Final = 2**31
_NAMES: Final[dict[type, str]] = {str: "text", bool: "true or false", list: "a list", dict: "a map"}


class Fields:
    """The fields that are known here; any other key is reported."""

    def __init__(
        self,
        value: Any,
        place: Place,
        problems: Problems,
        known: tuple[str, ...],
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.place = place
        self._problems = problems
        self._values: dict[str, Any] = {}
        self.is_sound = isinstance(value, dict)
        if not self.is_sound:
            self._mistyped(place, value, "a map")
            return
        by_fold = {folded(name): name for name in known}
        for alias, name in (aliases or {}).items():
            by_fold[folded(alias)] = name
        for key in sorted(value):
            field = by_fold.get(folded(key))
            if field is None:
                problems.unknown_key(place, key, known)
            elif value[key] is not None:
                self._set(field, value[key])

    def _set(self, name: str, value: Any) -> None:
        before = self._values.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            value = {**before, **value}
        self._values[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def value(self, name: str) -> Any:
        """What is written, as it is; None if nothing."""
        return self._values.get(name)

    def text(self, name: str) -> str:
        """A text, or an empty one."""
        value = self._values.get(name, "")
        found = _spelled(value)
        if found is None:
            self._mistyped(self.place.child(name), value, "text")
        return found or ""

    def flag(self, name: str) -> bool | None:
        """True or false, if one is written."""
        found = self._typed(name, bool)
        return found if isinstance(found, bool) else None

    def integer(self, name: str, limit: int = _INT32) -> int:
        """A whole number, or none at all: 0."""
        value = self._values.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int):
            shown = value if isinstance(value, float) else None
            self._mistyped(self.place.child(name), value, "a whole number", shown)
            return 0
        if not -limit <= value < limit:
            self._problems.error(self.place.child(name), f"{value} does not fit a 32-bit number")
            return 0
        return value

    def number(self, name: str) -> float:
        """A number, or 0."""
        value = self._values.get(name, 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._mistyped(self.place.child(name), value, "a number")
            return math.nan
        return float(value)

    def duration_ns(self, name: str) -> int | None:
        """A span of time in Go's notation, if one is written."""
        value = self._values.get(name)
        if value is None:
            return None
        problem = f"expected a duration, found {_called(value)}"
        if isinstance(value, str):
            try:
                return durations.parse_duration(value)
            except ValueError as error:
                problem = str(error)
        self._problems.error(self.place.child(name), problem, 'write it as "90s" or "10m"')
        return None

    def mapping(self, name: str) -> dict[str, Any]:
        """Keys and values of no known type; numbers are fractions, as in Go."""
        found = self._typed(name, dict)
        return numbers.as_floats(found) if isinstance(found, dict) else {}

    def written(self, name: str) -> dict[str, Any]:
        """Keys and values exactly as they are written."""
        found = self._typed(name, dict)
        return found if isinstance(found, dict) else {}

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of texts, if one is written."""
        if name not in self._values:
            return None
        found = []
        for value, place in self.items(name):
            text = "" if value is None else _spelled(value)
            if text is None:
                self._mistyped(place, value, "text")
            else:
                found.append(text)
        return tuple(found)

    def labels(self, name: str) -> dict[str, str]:
        """Keys and texts."""
        found = self._typed(name, dict)
        texts = {}
        for key, value in (found if isinstance(found, dict) else {}).items():
            text = "" if value is None else _spelled(value)
            if text is None:
                self._mistyped(self.place.child(name).child(key), value, "text")
            else:
                texts[key] = text
        return texts

    def items(self, name: str) -> Iterator[tuple[Any, Place]]:
        """The elements of a list, each with its place."""
        found = self._typed(name, list)
        for index, value in enumerate(found if isinstance(found, list) else []):
            yield value, self.place.child(name).at(index)

    def _typed(self, name: str, kind: type) -> Any:
        value = self._values.get(name)
        if value is not None and not isinstance(value, kind):
            self._mistyped(self.place.child(name), value, _NAMES[kind])
            return None
        return value

    def _mistyped(self, place: Place, value: Any, expected: str, shown: Any = None) -> None:
        found = _called(value) if shown is None else str(shown)
        self._problems.error(place, f"expected {expected}, found {found}")


def folded(key: str) -> str:
    """A key with letter for letter in one case: no letter stands for two, as in Go."""
    return "".join(fold if len(fold := each.casefold()) == 1 else each for each in key)


def _spelled(value: Any) -> str | None:
    """The text of a scalar; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return floats.text(value) if isinstance(value, float) else None


def _called(value: Any) -> str:
    if value is None:
        return "nothing"
    for kind, name in _NAMES.items():
        if isinstance(value, kind):
            return name
    return f"the number {value}"
