"""The plugin contract: what a scheduling plugin may claim, and what it is given.

A plugin is a class with a `name` that claims some of the protocols below. Built-in plugins work
on columns: `filter` answers for many nodes at once with one code a node (0 lets it pass), and
`status` is what a code means; `score` answers with one integer a node. A plugin of your own may
instead be scalar and claim `NodeFilter` and `NodeScore`, one node at a time::

    class OnlyEvenNodes:
        name = "OnlyEvenNodes"

        def __init__(self, args, handle):
            self.handle = handle

        def filter_node(self, state, pod, node):
            if int(node.name[-1]) % 2:
                return unschedulable("node has an odd number")
            return SUCCESS

A plugin is made once per profile, with its arguments and a `Handle`. What it learns about one pod
it keeps in the cycle state (`state[self.name] = ...`), never on itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from kubestage.scheduler.arrays import Codes, Ints, Mask, Rows
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.contract.checked_plugin import MAX_NODE_SCORE
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.device_definition import DeviceRequest, Devices
from kubestage.scheduler.device_table import DeviceTable
from kubestage.scheduler.measures import MeasureDefinition, Moment, measure
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.status import (
    SKIP,
    SUCCESS,
    Code,
    PostFilterResult,
    Status,
    error,
    unresolvable,
    unschedulable,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.diagnosis import Diagnosis

__all__ = [
    "MAX_NODE_SCORE", "SKIP", "SUCCESS", "ActionType", "Bind", "ClusterEvent", "Code", "Codes",
    "Columns", "CycleState", "DeviceRequest", "DeviceTable", "Devices", "EnqueueExtensions",
    "EventHint", "EventResource", "Filter", "Hooks", "Ints", "Mask", "MeasureDefinition",
    "Measured", "Moment", "NodeFilter", "NodeInfo", "NodeScore", "Permit", "Plugin", "PostBind",
    "PostFilter", "PostFilterResult", "PreBind", "PreEnqueue", "PreFilter", "PreFilterExtensions",
    "PreScore", "QueueSort", "Remembered", "Reserve", "Rows", "Score", "ScoreExtensions",
    "SharesDevices", "Status", "error", "measure", "unresolvable", "unschedulable",
]  # fmt: skip


@runtime_checkable
class Plugin(Protocol):
    """Anything that a configuration can name."""

    name: str


@runtime_checkable
class PreEnqueue(Plugin, Protocol):
    """Decides whether a pod may enter the active queue at all."""

    def pre_enqueue(self, pod: PodView) -> Status: ...


@runtime_checkable
class QueueSort(Plugin, Protocol):
    """Orders the active queue: the pod with the least key is scheduled first."""

    def sort_key(self, pod: PodView, queued_at_ns: int) -> tuple[int, ...]: ...


@runtime_checkable
class EnqueueExtensions(Plugin, Protocol):
    """Names the cluster events that may make a pod schedulable which the plugin rejected."""

    def events_to_register(self) -> Sequence[EventHint]: ...


@runtime_checkable
class PreFilter(Plugin, Protocol):
    """Called once per attempt, before Filter.

    The second value restricts the nodes to those names; None leaves all. SKIP means that the
    plugin's `filter` need not run for this pod.
    """

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]: ...


@runtime_checkable
class PreFilterExtensions(Plugin, Protocol):
    """Keeps the plugin's pre-filter state true while pods are tried on and off a node.

    `columns` already shows the change; the state is the attempt's own clone.
    """

    def add_pod(
        self, state: CycleState, pod: PodView, added: PodView, columns: Columns, row: int
    ) -> None: ...

    def remove_pod(
        self, state: CycleState, pod: PodView, removed: PodView, columns: Columns, row: int
    ) -> None: ...


@runtime_checkable
class Filter(Plugin, Protocol):
    """Rejects nodes, many at once.

    `filter` returns one code a row, 0 for those that pass, or None if all do; it may be called with
    rows that another plugin has rejected already. `status` is what a code means.
    """

    def filter(
        self, state: CycleState, pod: PodView, columns: Columns, rows: Rows
    ) -> Codes | None: ...

    def status(self, state: CycleState, pod: PodView, code: int) -> Status: ...


@runtime_checkable
class Remembered(Plugin, Protocol):
    """Declares that filters and scores depend on the node, the pods on it and the pod's key alone.

    `depends_on` is "node". Then the plugin is called for nodes that changed since it was last
    called for a pod with the same key. Without `pod_key`, the key is all that the pod's template
    decides: requests, affinity, tolerations, images, labels, annotations and priority.
    """

    depends_on: str

    def pod_key(self, pod: PodView) -> Hashable: ...


@runtime_checkable
class NodeFilter(Plugin, Protocol):
    """Rejects nodes, one at a time."""

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status: ...


@runtime_checkable
class PostFilter(Plugin, Protocol):
    """Tries to make room when no node fits."""

    def post_filter(
        self, state: CycleState, pod: PodView, diagnosis: Diagnosis
    ) -> tuple[PostFilterResult | None, Status]: ...


@runtime_checkable
class PreScore(Plugin, Protocol):
    """Called with the feasible rows before scoring; SKIP leaves the score out."""

    def pre_score(
        self, state: CycleState, pod: PodView, columns: Columns, rows: Ints
    ) -> Status: ...


@runtime_checkable
class Score(Plugin, Protocol):
    """Ranks feasible rows, many at once, with any integers if it normalises them later."""

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints: ...


@runtime_checkable
class NodeScore(Plugin, Protocol):
    """Ranks feasible nodes, one at a time."""

    def score_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> int: ...


@runtime_checkable
class ScoreExtensions(Plugin, Protocol):
    """Brings a plugin's scores into [0, MAX_NODE_SCORE]."""

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints: ...


@runtime_checkable
class Reserve(Plugin, Protocol):
    """Claims what the pod needs on the chosen node, and gives it back if binding fails."""

    def reserve(self, state: CycleState, pod: PodView, node_name: str) -> Status: ...

    def unreserve(self, state: CycleState, pod: PodView, node_name: str) -> None: ...


@runtime_checkable
class Permit(Plugin, Protocol):
    """Allows, refuses or delays binding; with WAIT comes a timeout in virtual nanoseconds."""

    def permit(self, state: CycleState, pod: PodView, node_name: str) -> tuple[Status, int]: ...


@runtime_checkable
class PreBind(Plugin, Protocol):
    """Does what must be done before a pod is bound; after WAIT it is called again in a second."""

    def pre_bind(self, state: CycleState, pod: PodView, node_name: str) -> Status: ...


@runtime_checkable
class Bind(Plugin, Protocol):
    """Binds the pod; SKIP leaves it to the next plugin."""

    def bind(self, state: CycleState, pod: PodView, node_name: str) -> Status: ...


@runtime_checkable
class PostBind(Plugin, Protocol):
    """Called after the pod is bound."""

    def post_bind(self, state: CycleState, pod: PodView, node_name: str) -> None: ...


@runtime_checkable
class SharesDevices(Plugin, Protocol):
    """Has pods share the devices of nodes, such as GPUs; `columns.devices(name)` is their state.

    `pick_devices` returns the numbers of the devices that a pod gets on its node, or None if there
    is too little room; `free` is what is free of each. Without it, the fullest with room are taken.
    """

    devices: Devices

    def pick_devices(
        self, state: CycleState, pod: PodView, node_name: str, free: Ints
    ) -> Sequence[int] | None: ...


@runtime_checkable
class Hooks(Plugin, Protocol):
    """Is called when nodes and pods come and go; a plugin may have some of these methods.

    They are called for all nodes and pods of the cluster, those that were there before the
    scheduler included, and whatever brought the change about. `on_node` is called for a change of a
    node, too; `on_pod_removed` for a pod that has ended.
    """

    def on_node(self, node: NodeView) -> None: ...

    def on_node_removed(self, node_name: str) -> None: ...

    def on_pod_bound(self, pod: PodView, node_name: str) -> None: ...

    def on_pod_removed(self, pod: PodView, node_name: str) -> None: ...


@runtime_checkable
class Measured(Plugin, Protocol):
    """Measures something at each decision, under the plugin's name; see `measure`."""

    def measure(self, moment: Moment) -> float: ...
