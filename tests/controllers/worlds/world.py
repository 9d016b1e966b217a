"""A stage with everything at work on it, and a watchman who looks at every change."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers import registry
from kubestage.errors import ApiError
from kubestage.stage import Stage
from tests.controllers.worlds import manifests
from tests.controllers.worlds.invariants import Watchman
from tests.controllers.worlds.operations import HEARTBEAT, KINDS, NODE, POD, VERBS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Loop
    from kubestage.store.log import Change

Operation = tuple[Any, ...]

BY_TIME: Final = ("Event", "Lease")
"""Kinds that come, are counted up and go by time alone."""


class World:
    """A small cluster: some nodes, two storage classes, and what operations make of them."""

    def __init__(
        self,
        seed: int = 0,
        *,
        nodes: int = 3,
        loops: Iterable[Loop] = registry.ALL,
        **node_parts: Any,
    ) -> None:
        self.stage = Stage(seed)
        self.watchman = Watchman(self.stage)
        self.stage.store.subscribe(self.watchman.on_change)
        self.stage.apply(manifests.node(number, **node_parts) for number in range(nodes))
        self.stage.apply(
            [
                manifests.storage_class(manifests.FAST, "Immediate"),
                manifests.storage_class(manifests.LATE, "WaitForFirstConsumer"),
            ]
        )
        self.stage.add_scheduler()
        self.stage.add_controllers(loops=loops)

    def perform(self, operations: Iterable[Operation]) -> None:
        """Do one thing after another; what the API refuses is not done."""
        for verb, *parts in operations:
            fields = parts.pop() if parts and isinstance(parts[-1], dict) else {}
            self.watchman.somebody_acts = verb != "wait"
            with contextlib.suppress(ApiError):
                VERBS[verb](self.stage, *parts, **fields)
            self.watchman.somebody_acts = False

    def calm(self) -> None:
        """Take away all that keeps the world from being as its specs say."""
        store = self.stage.store
        self.watchman.somebody_acts = True
        for node in store.list(NODE).items:
            name, spec = node["metadata"]["name"], node["spec"]
            taints = [each for each in spec.get("taints") or () if each["key"] != "test"]
            patch: Json = {"spec": {"unschedulable": None, "taints": taints or None}}
            patch["metadata"] = {"annotations": {HEARTBEAT: None}}
            store.patch(NODE, name, patch)
        for cron_job in store.list(KINDS["cron_job"], "default").items:
            store.patch(
                KINDS["cron_job"], cron_job["metadata"]["name"], {"spec": {"suspend": True}}
            )
        for quota in store.list(KINDS["quota"]).items:
            store.delete(KINDS["quota"], quota["metadata"]["name"])
        self.stage.apply([manifests.node(99, cpu="64", memory="256Gi")])
        for pod in store.list(POD).items:
            if not pod["metadata"].get("ownerReferences"):
                store.delete(POD, pod["metadata"]["name"], pod["metadata"]["namespace"])
        self.watchman.somebody_acts = False

    def rest(self) -> list[str]:
        """Let time pass until nothing changes any more; if that never is, what changes still.

        What waits for a second look of upstream's loops waits for half a day.
        """
        changes: list[str] = []
        for _ in range(8):
            changes = self.changes_over("13h")
            if not changes:
                break
        return changes

    def changes_over(self, duration: str) -> list[str]:
        """What changes while time passes and nobody does anything, things by time aside."""
        diary = Diary()
        self.stage.store.subscribe(diary.on_change)
        self.stage.run(duration)
        self.stage.store.unsubscribe(diary.on_change)
        return diary.lines


class Diary:
    """Writes down which objects change."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def on_change(self, change: Change) -> None:
        """Write down one change."""
        if change.kind.kind not in BY_TIME:
            self.lines.append(f"{change.type} {change.kind.kind} {change.key}")
