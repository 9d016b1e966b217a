"""ReplicationControllers: ReplicaSets of the first days, and kept alive by the same loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kubestage.controllers.replicaset.loop import ReplicaSetController
from kubestage.objects import labels

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector


class ReplicationController(ReplicaSetController):
    """Creates and deletes pods until there are as many as a ReplicationController requests."""

    name = "replication-controller"
    kind: ClassVar[tuple[str, str]] = ("v1", "ReplicationController")
    reports_terminating: ClassVar[bool] = False

    def selector_of(self, spec: Json) -> Selector:
        """Which pods an owner means: its selector is no more than labels."""
        return labels.selector_from_set(spec.get("selector") or {})

    def _siblings(self, obj: Json) -> list[Json]:
        # Nothing that controls ReplicationControllers is known to their loop.
        del obj
        return []
