"""Events that Karpenter publishes, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

NORMAL: Final = "Normal"
WARNING: Final = "Warning"


class Event(NamedTuple):
    """One event about one object; `namespace` is empty for objects of the cluster."""

    kind: str
    namespace: str
    name: str
    type: str
    reason: str
    message: str


Publish: TypeAlias = "Callable[[Event], None]"
"""Takes an event: a list's `append`, or what writes it to the store."""


def ignore(_: Event) -> None:
    """Publish to no one."""


def about(kind: str, obj: Json, reason: str, message: str, event_type: str = NORMAL) -> Event:
    """An event about an object."""
    metadata = obj["metadata"]
    return Event(
        kind, metadata.get("namespace") or "", metadata["name"], event_type, reason, message
    )
