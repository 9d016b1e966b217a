"""What an import has read: objects at one moment, changes with their times, and where from."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

Verb = Literal["create", "update", "patch", "delete"]
PATCH: Final = "patch"


class Reference(NamedTuple):
    """Which object a change is about."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The same for all versions of a group."""
        return self.api_version.rpartition("/")[0], self.kind, self.namespace, self.name


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one object.

    `create` and `update` have the whole object, `patch` a JSON merge patch, `delete` nothing.
    """

    at_ns: int
    verb: Verb
    reference: Reference
    object: Json | None = None
    user: str = ""
    manager: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where objects come from."""

    source: str
    """The name of the file, folder or cluster; without the folders that it is in."""
    format: str
    captured_ns: int | None = None
    kubernetes_version: str = ""
    cluster: str = ""


@dataclasses.dataclass(slots=True)
class Imported:
    """All that was read from one or several sources.

    `objects` is the state at the beginning of `changes`, or the only one if there are none.
    """

    objects: list[Json] = dataclasses.field(default_factory=list)
    changes: list[Change] = dataclasses.field(default_factory=list)
    origins: list[Origin] = dataclasses.field(default_factory=list)
    left_out: collections.Counter[tuple[str, str]] = dataclasses.field(
        default_factory=collections.Counter
    )
    """How many objects of a kind are missing, by kind and reason."""
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def captured_ns(self) -> int | None:
        """The newest moment that sources state."""
        times = [each.captured_ns for each in self.origins if each.captured_ns is not None]
        times += [each.at_ns for each in self.changes[-1:]]
        return max(times, default=None)

    def all_objects(self) -> Iterator[Json]:
        """Every object, and every state and patch of one."""
        yield from self.objects
        for change in self.changes:
            if change.object is not None:
                yield change.object


def reference_of(obj: Json) -> Reference:
    """The names of an object."""
    metadata = obj["metadata"]
    return Reference(
        obj["apiVersion"], obj["kind"], metadata.get("namespace") or "", metadata["name"]
    )


def format_ns(time_ns: int) -> str:
    """``2026-01-01T00:00:00.000000001Z``: RFC 3339 with as many digits as there are."""
    seconds, rest = divmod(time_ns, SECOND_NS)
    text = timestamps.format_time(seconds * SECOND_NS)
    return f"{text[:-1]}.{rest:09d}Z" if rest else text
