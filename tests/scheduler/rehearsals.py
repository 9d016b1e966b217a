"""A small cluster with a scheduler at work on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler import config
from kubestage.scheduler.record import Recording
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.clock import Clock
from kubestage.sim.environment import Environment
from kubestage.sim.recorder import CountsOnly
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


SECOND = 1_000_000_000
POD, NODE, EVENT = ("v1", "Pod"), ("v1", "Node"), ("v1", "Event")


def configuration(*profiles: Json, **fields: Any) -> config.SchedulerConfiguration:
    """A configuration in the words of the API; without profiles, the default one."""
    body: Json = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        **fields,
    }
    if profiles:
        body["profiles"] = list(profiles)
    return config.from_dict(body)


def profile(name: str = "default-scheduler", *, enabled: Iterable[str] = (), **more: Any) -> Json:
    """A profile with plugins on top of the default ones."""
    plugins = {"multiPoint": {"enabled": [{"name": each} for each in enabled]}}
    return {"schedulerName": name, "plugins": plugins, **more}


class Rehearsal:
    """A store, a clock and a scheduler; with `by_itself` off the test drives it."""

    def __init__(
        self,
        *nodes: Json,
        configuration: config.SchedulerConfiguration | None = None,
        by_itself: bool = True,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.clock = Clock()
        self.environment = Environment(clock=self.clock, recorder=CountsOnly())
        streams = Streams(seed)
        self.store = Store(self.clock, streams, implicit_namespaces=True)
        for each in nodes:
            self.store.create(each)
        self.scheduler = Scheduler(
            self.store,
            self.environment if by_itself else None,
            streams,
            configuration,
            **{"recording": Recording.DECISIONS, **options},
        )

    def run(self, until_seconds: float) -> None:
        """Let time pass until then."""
        self.environment.run(until_ns=round(until_seconds * SECOND))

    def add_node(self, name: str, **fields: Any) -> Json:
        return self.store.create(make_node(name, **fields))

    def add_pod(self, name: str, **fields: Any) -> Json:
        return self.store.create(make_pod(name, **fields))

    def pod(self, name: str, namespace: str = "default") -> Json:
        return self.store.get(POD, name, namespace)

    def node_of(self, name: str) -> str:
        """The node of a pod, or ''."""
        found: str = self.pod(name)["spec"].get("nodeName", "")
        return found

    def condition(self, name: str) -> Json:
        """The PodScheduled condition of a pod."""
        conditions = self.pod(name)["status"]["conditions"]
        found: Json = next(each for each in conditions if each["type"] == "PodScheduled")
        return found

    def delete_pod(self, name: str) -> None:
        self.store.delete(POD, name, "default")

    def events(self, reason: str) -> list[Json]:
        """The Events of a reason, in the order they were written."""
        found = self.store.read(EVENT).values()
        return [each for each in found if each["reason"] == reason]

    def where(self) -> dict[str, list[str]]:
        """Names of pods by queue; empty queues are left out."""
        return {
            queue: [each.pod.name for each in pods]
            for queue, pods in self.scheduler.queue.pods().items()
            if pods
        }

    def attempts(self) -> list[tuple[float, str, str]]:
        """When, which pod, with what result."""
        return [
            (row.at_ns / SECOND, row.pod.removeprefix("default/"), row.result)
            for row in self.scheduler.record.decisions
        ]
