"""Where a decision and its recording differ."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

_PLACEHOLDER: Final = re.compile("hostname-placeholder-[0-9]+")
_ORDER: Final = ("object", "type", "reason", "message")


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One field of one step that is not as recorded; absent is None.

    `varies` says that the real one does not always decide the same here.
    """

    step: int
    path: str
    recorded: Any
    actual: Any
    varies: bool = False

    def __str__(self) -> str:
        return f"step {self.step}, {self.path}: recorded {self.recorded!r}, not {self.actual!r}"


def differences(
    step: int, recorded: Json, actual: Json, order_sensitive: list[str]
) -> list[Difference]:
    """The fields that differ."""
    return [
        Difference(step, path, want, got, any(path.startswith(each) for each in order_sensitive))
        for path, want, got in _compare("", recorded, actual)
    ]


def events_in_order(listed: list[Json] | None) -> list[Json]:
    """Events in an order of their own, with made-up names that are not counted."""
    events = [{**each, "message": uncounted(each["message"])} for each in listed or ()]
    return sorted(events, key=lambda each: tuple(str(each[name]) for name in _ORDER))


def uncounted(text: str) -> str:
    """A text without the numbers of made-up hosts: the process that makes them up counts them."""
    return _PLACEHOLDER.sub("hostname-placeholder", text)


def _compare(path: str, recorded: Any, actual: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(recorded, dict) and isinstance(actual, dict):
        for key in sorted({*recorded, *actual}):
            below = f"{path}.{key}" if path else key
            yield from _compare(below, recorded.get(key), actual.get(key))
    elif isinstance(recorded, list) and isinstance(actual, list) and len(recorded) == len(actual):
        for position, (want, got) in enumerate(zip(recorded, actual, strict=True)):
            yield from _compare(f"{path}[{position}]", want, got)
    elif recorded != actual:
        yield path, recorded, actual
