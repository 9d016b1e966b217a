"""Which recorded changes are intent, and which are their consequences.

A person scales a Deployment: intent. Its ReplicaSet, the pods, their nodes and statuses follow:
consequences, which a replay computes again under other settings. ``docs/intent.md`` has the rules.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.sources.folding import State
from kubestage.sources.imported import reference_of
from kubestage.sources.intent import evictions, fields, ownership, users
from kubestage.sources.intent.action import Action
from kubestage.sources.intent.node_events import NodeEvents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.sources.imported import Change

__all__ = ["Action", "Intent", "find"]

# Made by controllers whatever happens; nothing of them is intent.
_DERIVED: Final = frozenset({
    "ControllerRevision", "CSINode", "EndpointSlice", "Endpoints", "Event", "IPAddress", "Lease",
    "NodeMetrics", "PodMetrics", "VerticalPodAutoscalerCheckpoint", "VolumeAttachment",
})  # fmt: skip
_SCALER: Final = "HorizontalPodAutoscaler"
_DERIVED_REASON: Final = "written by controllers"


class Intent(msgspec.Struct, frozen=True):
    """The intent of a recording, and how many changes were left to controllers, by reason."""

    actions: list[Action]
    consequences: dict[tuple[str, str], int]


def find(objects: Sequence[Json], changes: Iterable[Change], *, nodes: bool = True) -> Intent:
    """Separate intent from consequences.

    `objects` is the state when the changes begin. With `nodes`, nodes that come and go are part of
    what is replayed; without, they follow from a node autoscaler that is simulated.
    """
    reader = _Reader(State(objects), nodes=nodes)
    actions = [action for change in changes for action in reader.actions(change)]
    return Intent(actions, dict(sorted(reader.consequences.items())))


class _Reader:
    def __init__(self, state: State, *, nodes: bool) -> None:
        self._state = state
        self._nodes = nodes
        self._node_events = NodeEvents(state.objects())
        self._scalers = {
            reference_of(each).key: each for each in state.objects() if each["kind"] == _SCALER
        }
        self.consequences: collections.Counter[tuple[str, str]] = collections.Counter()

    def actions(self, change: Change) -> Iterator[Action]:
        """What is to be done for a change; a consequence is counted."""
        reference = change.reference
        old = self._state.get(reference)
        self._state.apply(change)
        new = None if change.verb == "delete" else self._state.get(reference)
        if old is None and new is None:
            return
        if reference.kind == _SCALER:
            self._scalers.pop(reference.key, None)
            self._scalers |= {} if new is None else {reference.key: new}
        reason = self._reason(change, old, new)
        if reason is not None:
            self.consequences[reference.kind, reason] += 1
            return
        found = list(self._found(change, old, new))
        if not found:
            self.consequences[reference.kind, "only status, or what controllers write"] += 1
        yield from found

    def _reason(self, change: Change, old: Json | None, new: Json | None) -> str | None:
        """Why a whole change is a consequence; None if it is not, or only in part."""
        obj = new or old
        assert obj is not None
        kind = change.reference.kind
        if kind in _DERIVED:
            return _DERIVED_REASON
        if kind == "Node" and not self._nodes and (old is None or new is None):
            return "nodes come and go by the node autoscaler that is simulated"
        if users.is_component(change):
            return "the request of a component"
        if evictions.begins(old, new):
            return evictions.reason(obj, self._state)
        if kind == "Pod" and old is not None:
            return ownership.pod_reason(old, new)
        return ownership.reason(obj)

    def _found(self, change: Change, old: Json | None, new: Json | None) -> Iterator[Action]:
        if new is None:
            yield Action(at_ns=change.at_ns, verb="delete", reference=change.reference)
            return
        if old is None:
            created = fields.created(new)
            yield Action(
                at_ns=change.at_ns, verb="create", reference=change.reference, object=created
            )
            return
        if change.reference.kind == "Node":
            yield from self._node_events.actions(change, old, new)
        if evictions.begins(old, new):
            yield Action(at_ns=change.at_ns, verb="evict", reference=change.reference, object=new)
            return
        patch = fields.changed(old, new, leave_out=self._governed(change, new))
        if patch:
            yield Action(at_ns=change.at_ns, verb="patch", reference=change.reference, object=patch)

    def _governed(self, change: Change, obj: Json) -> tuple[str, ...]:
        """Fields that an autoscaler writes: replicas, unless a person is known to have set them."""
        if users.is_person(change) or "replicas" not in (obj.get("spec") or {}):
            return ()
        is_scaled = any(ownership.targets(each, obj) for each in self._scalers.values())
        return ("replicas",) if is_scaled else ()
