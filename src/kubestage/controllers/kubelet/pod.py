"""A pod as the kubelet knows it: an entity that moves from stock to stock through its life."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet.containers import RUNNING, Container
from kubestage.sim.entity import Entity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.events import History
    from kubestage.controllers.kubelet.holding import Hold
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.plan import PodPlan
    from kubestage.controllers.kubelet.references import Target
    from kubestage.controllers.kubelet.resize import Resize
    from kubestage.controllers.kubelet.statuses import Since
    from kubestage.controllers.kubelet.stocks import PodStock
    from kubestage.sim.movement import Movement


KIND: Final = "Pod"

# The steps of a pod's life that are due at a time.
LAUNCHED: Final = "launch"
PULLED: Final = "pull"
BEGIN: Final = "begin"
RESTART: Final = "restart"
STARTED: Final = "startup"
READY: Final = "ready"
UNREADY: Final = "unready"
SICK: Final = "unhealthy"
RETRY: Final = "retry"
PULL_BACKOFF: Final = "pull-backoff"
RESET: Final = "reset"
EXIT: Final = "exit"
PROGRAM: Final = "program"
HOOK_FAILED: Final = "hook-failed"
PROBES: Final = {
    "probe-startup": "startup",
    "probe-liveness": "liveness",
    "probe-readiness": "readiness",
}
OOM: Final = "oom"
RESIZE: Final = "resize"
RETRY_RESIZE: Final = "retry-resize"
DEADLINE: Final = "deadline"
ENDED: Final = "end"

Step = tuple[int, int, str, Container | None]


class Pod(Entity):
    """One pod from its creation to its end. Its name is its key in the store.

    `node` is set once the node has admitted or refused it. At most one movement of a pod is
    scheduled at a time: the one for the first of its `steps`, or the one that takes it to another
    stock now. `cause` is why it is to end, if it is; `is_over` once it has; `is_stale` if another
    client wrote its status, `is_changed` if one changed the rest of it; `is_resetting` while all
    its containers restart; `is_restored` if it existed on an earlier stage, of which this one is
    the rest; `resize` is there while it is to get other resources; `ephemerals` are containers that
    were added later; `holds` is what it waits for that is missing; `watched` are the objects that
    its node watches for it.
    """

    __slots__ = (
        "admitted_version", "cause", "conditions", "containers", "created", "deleting",
        "ephemerals", "extras", "generation", "gone", "grace_ns", "history", "holds", "inits",
        "ip", "is_changed", "is_over", "is_resetting", "is_restored", "is_stale", "launched",
        "message", "movement", "namespace", "node", "node_name", "phase", "plan", "pod_name",
        "qos", "reason", "resize", "serial", "since", "start_ns", "start_time", "status", "steps",
        "stock", "uid", "watched",
    )  # fmt: skip

    plan: PodPlan
    since: Since

    def __init__(self, key: str, metadata: Json) -> None:
        Entity.__init__(self, key, KIND)
        self.uid: str = metadata["uid"]
        self.namespace: str = metadata["namespace"]
        self.pod_name: str = metadata["name"]
        self.created: str | None = metadata.get("creationTimestamp")
        self.stock: PodStock | None = None
        self.movement: Movement | None = None
        self.node: Node | None = None
        self.node_name = ""
        self.steps: list[Step] = []
        self.serial = 0
        self.deleting = self.gone = self.launched = False
        self.is_over = self.is_resetting = self.is_stale = self.is_changed = False
        self.is_restored = False
        self.phase = self.reason = self.message = self.cause = self.ip = self.qos = ""
        self.history: History | None = None
        self.admitted_version = ""
        self.status: Json | None = None
        self.resize: Resize | None = None
        self.conditions: list[Json] | None = None
        self.extras: Sequence[Json] = ()
        self.generation = 0
        self.grace_ns = 0
        self.start_ns = 0
        self.start_time = ""
        self.inits: Sequence[Container] = ()
        self.containers: Sequence[Container] = ()
        self.ephemerals: Sequence[Container] = ()
        self.holds: tuple[Hold, ...] = ()
        self.watched: tuple[Target, ...] = ()

    @property
    def random_key(self) -> str:
        """What its random draws depend on."""
        return f"{self.name}@{self.created}"

    @property
    def described(self) -> str:
        """As messages of the kubelet name it."""
        return f"{self.pod_name}_{self.namespace}({self.uid})"

    def all_containers(self) -> Iterator[Container]:
        """Init containers and sidecars, then the others."""
        yield from self.inits
        yield from self.containers

    def running(self) -> list[Container]:
        """The containers that run."""
        return [each for each in (*self.inits, *self.containers) if each.state == RUNNING]

    def plan_step(self, at_ns: int, kind: str, container: Container | None = None) -> None:
        """Something is due at a time."""
        self.serial += 1
        heapq.heappush(self.steps, (at_ns, self.serial, kind, container))

    def drop_steps(self, container: Container | None = None) -> None:
        """Nothing is due any more, or nothing of one container."""
        if container is None:
            self.steps.clear()
        else:
            self.steps = [each for each in self.steps if each[3] is not container]
            heapq.heapify(self.steps)

    def drop_kind(self, kind: str, container: Container | None = None) -> None:
        """Nothing of a kind is due any more, or nothing of a kind for one container."""
        self.steps = [each for each in self.steps if each[2:] != (kind, container)]
        heapq.heapify(self.steps)

    def take_step(self, now_ns: int) -> Step | None:
        """The next step that is due by now."""
        if self.steps and self.steps[0][0] <= now_ns:
            return heapq.heappop(self.steps)
        return None
