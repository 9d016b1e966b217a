"""Keeps the classification up to date, and says on FlowSchemas whether their level exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import quote
from kubestage.objects import timestamps
from kubestage.server.flow_control.classifying import KINDS, LEVEL, SCHEMA, Classifier
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.store.log import Change

_MANAGER: Final = "api-priority-and-fairness-config-consumer-v1"
_DANGLING: Final = "Dangling"


class FlowControl:
    """Follows the FlowSchemas and priority levels of a cluster, from `start` to `close`."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self.classifier = Classifier(live.store)

    def start(self) -> None:
        """Classify requests from now on."""
        self._live.classifier = self.classifier
        self._live.store.subscribe(self.on_change, KINDS)
        for schema in tuple(self._live.store.read(SCHEMA).values()):
            self._report(schema)

    def close(self) -> None:
        """Classify no more."""
        self._live.classifier = None
        self._live.store.unsubscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        """Take over another schema or level."""
        self.classifier.on_change(change)
        if change.kind.kind == SCHEMA[1]:
            if change.type != DELETED:
                self._report(change.new)
            return
        name = change.new["metadata"]["name"]
        for schema in tuple(self._live.store.read(SCHEMA).values()):
            if _level_of(schema) == name:
                self._report(schema)

    def _report(self, schema: Json) -> None:
        """Write whether the level of a schema exists, unless that is written already."""
        store, level = self._live.store, _level_of(schema)
        is_there = level in store.read(LEVEL)
        message = (
            f"This FlowSchema references the PriorityLevelConfiguration object named "
            f"{quote.quote(level)} "
            + ("and it exists" if is_there else "but there is no such object")
        )
        condition = {
            "type": _DANGLING,
            "status": "False" if is_there else "True",
            "reason": "Found" if is_there else "NotFound",
            "message": message,
        }
        present = (schema.get("status") or {}).get("conditions") or ()
        known: Json = next((each for each in present if each["type"] == _DANGLING), {})
        if condition.items() <= known.items():
            return
        now = timestamps.format_time(self._live.stage.clock.unix_ns)
        same = known.get("status") == condition["status"]
        condition["lastTransitionTime"] = known["lastTransitionTime"] if same else now
        body = {
            "apiVersion": SCHEMA[0],
            "kind": SCHEMA[1],
            "metadata": {"name": schema["metadata"]["name"]},
            "status": {"conditions": [condition]},
        }
        name = schema["metadata"]["name"]
        store.apply(SCHEMA, name, body, manager=_MANAGER, force=True, subresource="status")


def _level_of(schema: Json) -> str:
    name: str = schema["spec"]["priorityLevelConfiguration"]["name"]
    return name
