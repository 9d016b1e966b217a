"""Where pods and nodes are: stocks that notify the kubelet of each arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

from kubestage.controllers.kubelet.node import Node
from kubestage.controllers.kubelet.pod import KIND, Pod
from kubestage.sim.entity import Entity
from kubestage.sim.stock import wrong_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

E = TypeVar("E", bound=Entity)

WAITING: Final = "PodsWaiting"
STARTING: Final = "PodsStarting"
RUNNING: Final = "PodsRunning"
ENDING: Final = "PodsEnding"
FINISHED: Final = "PodsFinished"
GONE: Final = "PodsGone"


class PodStock:
    """Pods in one part of their lifecycle.

    They are kept by uid: the name of a pod that is going may already be another's.
    """

    __slots__ = ("_arrived", "_pods", "kind_stocked", "name")

    def __init__(self, name: str, arrived: Callable[[Pod], None]) -> None:
        self.name = name
        self.kind_stocked = KIND
        self._arrived = arrived
        self._pods: dict[str, Pod] = {}

    @property
    def count(self) -> int:
        """How many pods it holds."""
        return len(self._pods)

    def entities_in_stock(self) -> Sequence[Pod]:
        """The pods it holds, longest-staying first."""
        return list(self._pods.values())

    def add(self, pod: Pod) -> None:
        """Take a pod in, and see to what is due."""
        if pod.kind != KIND:
            raise wrong_kind(self, pod)
        self._pods[pod.uid] = pod
        pod.stock = self
        pod.movement = None
        self._arrived(pod)

    def remove(self, what: Entity | None = None) -> Pod | None:
        """Give up a given pod."""
        return None if what is None else self._pods.pop(cast("Pod", what).uid, None)


class Created(Generic[E]):
    """Where entities come from: the store, whose new objects pass through here."""

    __slots__ = ("_type", "kind_stocked", "name")

    def __init__(self, name: str, kind: str, entity_type: type[E]) -> None:
        self.name = name
        self.kind_stocked = kind
        self._type = entity_type

    @property
    def count(self) -> int:
        """Zero: what comes out of here is not kept here."""
        return 0

    def entities_in_stock(self) -> Sequence[E]:
        """Nothing, for the same reason."""
        return ()

    def remove(self, what: Entity | None = None) -> E | None:
        """The requested entity."""
        return what if isinstance(what, self._type) else None


class PodsGone:
    """The end of the road, which keeps nothing."""

    __slots__ = ("_arrived", "count", "kind_stocked", "name")

    def __init__(self, arrived: Callable[[Pod], None]) -> None:
        self.name = GONE
        self.kind_stocked = KIND
        self.count = 0
        self._arrived = arrived

    def entities_in_stock(self) -> Sequence[Pod]:
        """Nothing: pods that are gone are only counted."""
        return ()

    def add(self, pod: Pod) -> None:
        """Let a pod go."""
        if pod.kind != KIND:
            raise wrong_kind(self, pod)
        self.count += 1
        pod.stock = pod.movement = None
        self._arrived(pod)


class NodeStock:
    """Nodes in one state; arrivals are reported."""

    __slots__ = ("_arrived", "_nodes", "kind_stocked", "name")

    def __init__(self, name: str, arrived: Callable[[Node], None]) -> None:
        self.name = name
        self.kind_stocked = "Node"
        self._arrived = arrived
        self._nodes: dict[str, Node] = {}

    @property
    def count(self) -> int:
        """How many nodes it holds."""
        return len(self._nodes)

    def entities_in_stock(self) -> Sequence[Node]:
        """The nodes it holds, longest-staying first."""
        return list(self._nodes.values())

    def add(self, node: Node) -> None:
        """Take a node in, and see to what that means."""
        self._nodes[node.uid] = node
        node.stock = self
        node.movement = None
        self._arrived(node)

    def remove(self, what: Entity | None = None) -> Node | None:
        """Give up a given node."""
        return self._nodes.pop(what.uid, None) if isinstance(what, Node) else None
