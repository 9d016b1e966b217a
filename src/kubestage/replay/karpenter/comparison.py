"""Where a decision and its recording differ."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


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
