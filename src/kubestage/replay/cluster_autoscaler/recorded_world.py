"""Recorded worlds as they lie in files."""

from __future__ import annotations

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError


class RecordedGroup(msgspec.Struct, frozen=True):
    """A group of nodes, and what its provider can give."""

    name: str
    min: int
    max: int
    template: Json
    price: float | None = None
    options: Json = {}
    available: int | None = None
    shortage: str = "never"


class RecordedStep(msgspec.Struct, frozen=True):
    """What the outside world did, and what the autoscaler did then, at a time in seconds."""

    time: float
    actions: list[Json]
    loop: Json
    until_next: Json = {}


class RecordedWorld(msgspec.Struct, frozen=True, rename="camel"):
    """A world, from its start on.

    `order_sensitive` has for a step the fields that may come out otherwise, as the order is random
    in which the real program considers nodes, pods or groups.
    """

    name: str
    category: str
    flags: dict[str, str | list[str]]
    node_groups: list[RecordedGroup]
    objects: list[Json]
    steps: list[RecordedStep]
    order_sensitive: dict[str, list[str]] = {}
    priority_expander_config: str | None = None


def read(data: bytes, source: str = "<bytes>") -> RecordedWorld:
    """A world from JSON."""
    try:
        return msgspec.json.decode(data, type=RecordedWorld)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        problem = f"not a recorded world: {str(error).replace('`', '')}"
        fix = "a world of cluster-autoscaler has nodeGroups, objects and steps"
        raise InputError(problem, file=source, fix=fix) from None
