"""Watches a Deployment for its promises: never too many pods, never too few that serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.controllers.worlds import reading
from tests.controllers.worlds.operations import DEPLOYMENT, POD, REPLICA_SET

if TYPE_CHECKING:
    from kubestage.stage import Stage
    from kubestage.store.log import Change


class RolloutWatch:
    """Counts the pods of a Deployment at every change of one.

    While it goes from one size to another the bounds of both hold, the wider ones. A ReplicaSet
    that has to shrink in the midst of a rollout may give up any pod: nothing is promised then.
    """

    def __init__(self, stage: Stage, name: str) -> None:
        self._stage = stage
        self._name = name
        self._most = self._least = 0
        self.problems: list[str] = []
        self.settle()
        stage.store.subscribe(self._on_change)

    def expect(self, size: int) -> None:
        """The Deployment is about to be of another size."""
        most, least = self._bounds(size)
        shrinks = size < self._stage.store.get(DEPLOYMENT, self._name)["spec"]["replicas"]
        if shrinks and not self._is_complete():
            least = 0
        self._most, self._least = max(self._most, most), min(self._least, least)

    def settle(self) -> None:
        """If the Deployment is as it should be, only its own bounds hold from now on."""
        if self._is_complete():
            deployment = self._stage.store.get(DEPLOYMENT, self._name)
            self._most, self._least = self._bounds(deployment["spec"]["replicas"])

    def _is_complete(self) -> bool:
        deployment = self._stage.store.get(DEPLOYMENT, self._name)
        size, status = deployment["spec"]["replicas"], deployment["status"]
        fields = ("replicas", "updatedReplicas", "availableReplicas")
        return all(status.get(field, 0) == size for field in fields)

    def _bounds(self, size: int) -> tuple[int, int]:
        deployment = self._stage.store.get(DEPLOYMENT, self._name)
        sized = {**deployment, "spec": {**deployment["spec"], "replicas": size}}
        surge, missing = reading.rolling_bounds(sized)
        return size + surge, size - missing

    def _on_change(self, change: Change) -> None:
        if change.kind.kind != "Pod":
            return
        store, now = self._stage.store, self._stage.now
        deployment = store.get(DEPLOYMENT, self._name)
        sets = reading.owned(store, REPLICA_SET, deployment)
        pods = [pod for each in sets for pod in reading.owned(store, POD, each)]
        active = [pod for pod in pods if reading.is_active(pod)]
        # A ReplicaSet that gives up pods looks at readiness, not at how long that has lasted.
        serving = reading.count(map(reading.is_ready, active))
        if not (len(active) <= self._most and serving >= self._least):
            bounds = f"at most {self._most}, at least {self._least}"
            self.problems.append(f"{now} {change}: {len(active)} pods, {serving} serve, {bounds}")
