"""The workload whose replicas are scaled, as an autoscaler sees it."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS

NAMESPACE: Final = "default"
_UNKNOWN: Final = "app"


class BacktestTarget(msgspec.Struct, frozen=True):
    """The name of a workload, the replicas that it begins with, and the spec of its pods."""

    name: str
    replicas: int
    pod_spec: Json
    is_known: bool = False
    """Whether its manifest was named."""

    @property
    def container(self) -> str:
        """The container that uses what a CSV has of whole pods."""
        name: str = self.pod_spec["containers"][0]["name"]
        return name

    def requests(self, container: str) -> Json:
        """What a container requests."""
        for each in self.pod_spec["containers"]:
            if each["name"] == container:
                found: Json = (each.get("resources") or {}).get("requests") or {}
                return found
        return {}


def of_workload(workload: Json, replicas: int | None = None) -> BacktestTarget:
    """A Deployment or the like, unless another number of `replicas` is to begin with."""
    spec = workload["spec"]
    stated = spec.get("replicas")
    count = replicas if replicas is not None else 1 if stated is None else int(stated)
    return BacktestTarget(
        workload["metadata"]["name"], count, spec["template"]["spec"], is_known=True
    )


def unknown_workload(
    name: str, replicas: int, requests: Json, container: str = _UNKNOWN
) -> BacktestTarget:
    """A workload of which nothing but the requests of its pods is known."""
    containers = [{"name": container, "resources": {"requests": dict(requests)}}]
    return BacktestTarget(name, replicas, {"containers": containers})


class BacktestReplicas:
    """The pods of a target while an autoscaler scales them.

    A pod is ready when its start-up time has passed since it was created; those that exist at the
    beginning always are.
    """

    def __init__(self, target: BacktestTarget, now_ns: int, startup_ns: int) -> None:
        self._target = target
        self._startup_ns = startup_ns
        self._created = 0
        self._since: dict[str, int] = {}
        self._objects: dict[str, tuple[bool, Json]] = {}
        self.scale(target.replicas, now_ns - max(HOUR_NS, startup_ns))

    def __len__(self) -> int:
        return len(self._since)

    def scale(self, replicas: int, now_ns: int) -> None:
        """Have so many; the newest are deleted first."""
        while len(self._since) > replicas:
            name, _ = self._since.popitem()
            self._objects.pop(name, None)
        while len(self._since) < replicas:
            self._created += 1
            created_ns = now_ns if self._startup_ns else now_ns - HOUR_NS
            self._since[f"{self._target.name}-{self._created}"] = created_ns

    def ready(self, now_ns: int) -> list[str]:
        """The names of those that serve."""
        return [name for name, since in self._since.items() if now_ns - since >= self._startup_ns]

    def objects(self, now_ns: int) -> list[Json]:
        """The pods as the API would show them."""
        return [self._object(name, since, now_ns) for name, since in self._since.items()]

    def _object(self, name: str, since_ns: int, now_ns: int) -> Json:
        is_ready = now_ns - since_ns >= self._startup_ns
        known = self._objects.get(name)
        if known is None or known[0] != is_ready:
            known = (is_ready, self._new_object(name, since_ns, is_ready=is_ready))
            self._objects[name] = known
        return known[1]

    def _new_object(self, name: str, since_ns: int, *, is_ready: bool) -> Json:
        changed_ns = since_ns + self._startup_ns if is_ready else since_ns
        return {
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"app": "backtest"}},
            "spec": self._target.pod_spec,
            "status": {
                "phase": "Running",
                "startTime": timestamps.format_time(since_ns),
                "conditions": [
                    {
                        "type": "Ready",
                        "status": "True" if is_ready else "False",
                        "lastTransitionTime": timestamps.format_time(changed_ns),
                    }
                ],
            },
        }
