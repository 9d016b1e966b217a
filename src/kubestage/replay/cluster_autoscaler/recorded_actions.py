"""What the outside world does before a loop."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from kubestage.aliases import Json


class _Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op"):
    """An action; `op` is its kind."""


class Create(_Action, frozen=True, forbid_unknown_fields=True, tag="create", rename="camel"):
    """An object comes: a Node that a machine of a group registers, or the successor of a pod."""

    object: Json
    group: str = ""
    copy_of: str = ""


class Replace(_Action, frozen=True, forbid_unknown_fields=True, tag="replace"):
    """An object changes."""

    object: Json
    group: str = ""


class Delete(_Action, frozen=True, forbid_unknown_fields=True, tag="delete"):
    """An object goes."""

    kind: str
    name: str
    namespace: str = ""


class NodeReady(_Action, frozen=True, forbid_unknown_fields=True, tag="nodeReady"):
    """A node becomes ready, or is not ready any more."""

    name: str
    ready: bool


class GroupChange(_Action, frozen=True, forbid_unknown_fields=True, tag="group"):
    """A group gets other limits."""

    group: str
    min: int | msgspec.UnsetType = msgspec.UNSET
    max: int | msgspec.UnsetType = msgspec.UNSET
    available: int | msgspec.UnsetType | None = msgspec.UNSET


class Bind(_Action, frozen=True, forbid_unknown_fields=True, tag="bind"):
    """A pod runs on a node."""

    name: str
    namespace: str
    node: str


class Unschedulable(_Action, frozen=True, forbid_unknown_fields=True, tag="unschedulable"):
    """The scheduler reports that a pod fits nowhere."""

    name: str
    namespace: str


Action: TypeAlias = Create | Replace | Delete | NodeReady | GroupChange | Bind | Unschedulable
