"""The workload whose replicas are scaled, as far as an autoscaler looks at it."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS

NAMESPACE: Final = "default"
_MADE_UP: Final = "app"


class Target(msgspec.Struct, frozen=True):
    """The name of a workload, the replicas that it begins with, and the spec of its pods."""

    name: str
    replicas: int
    pod_spec: Json
    is_known: bool = False
    """Whether its manifest was given."""

    @property
    def container(self) -> str:
        """The container that uses what a CSV tells of whole pods."""
        name: str = self.pod_spec["containers"][0]["name"]
        return name

    def requests(self, container: str) -> Json:
        """What a container requests."""
        for each in self.pod_spec["containers"]:
            if each["name"] == container:
                found: Json = (each.get("resources") or {}).get("requests") or {}
                return found
        return {}


def of_workload(workload: Json, replicas: int | None = None) -> Target:
    """A Deployment or the like, unless another number of `replicas` is to begin with."""
    spec = workload["spec"]
    stated = spec.get("replicas")
    count = replicas if replicas is not None else 1 if stated is None else int(stated)
    return Target(workload["metadata"]["name"], count, spec["template"]["spec"], is_known=True)


def made_up(name: str, replicas: int, requests: Json, container: str = _MADE_UP) -> Target:
    """A workload of which nothing but the requests of its pods is known."""
    containers = [{"name": container, "resources": {"requests": dict(requests)}}]
    return Target(name, replicas, {"containers": containers})


class Replicas:
    """The pods of a target while an autoscaler has them come and go.

    A pod is ready when so long has passed since it came; those that are there at the beginning
    always are.
    """

    def __init__(self, target: Target, now_ns: int, startup_ns: int) -> None:
        self._target = target
        self._startup_ns = startup_ns
        self._made = 0
        self._since: dict[str, int] = {}
        self._objects: dict[str, tuple[bool, Json]] = {}
        self.scale(target.replicas, now_ns - max(HOUR_NS, startup_ns))

    def __len__(self) -> int:
        return len(self._since)

    def scale(self, replicas: int, now_ns: int) -> None:
        """Have so many; the newest go first."""
        while len(self._since) > replicas:
            name, _ = self._since.popitem()
            self._objects.pop(name, None)
        while len(self._since) < replicas:
            self._made += 1
            born_ns = now_ns if self._startup_ns else now_ns - HOUR_NS
            self._since[f"{self._target.name}-{self._made}"] = born_ns

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
            known = (is_ready, self._made_object(name, since_ns, is_ready=is_ready))
            self._objects[name] = known
        return known[1]

    def _made_object(self, name: str, since_ns: int, *, is_ready: bool) -> Json:
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
