"""Where the control plane is: the nodes that it runs on, and the pages of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Call, Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer, Cluster, Page


NAMESPACE: Final = "kube-system"
STAGE_MASTER: Final = "master"
"""The node of a stage's control plane, where no node is marked as such."""
SCHEDULER: Final = ("https:kube-scheduler", 10259)
CONTROLLER_MANAGER: Final = ("https:kube-controller-manager", 10257)
ETCD: Final = ("etcd", 2381)
STAGE_ETCD: Final = ("etcd-server", 2382)
COMPONENTS: Final = (
    "etcd-container",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
)
"""The containers of a stage's control plane, whose pods are not registered either."""
NODES: Final = Resource("v1", "Node")

_ROLE: Final = "node-role.kubernetes.io/control-plane"


def is_control_plane(node: Json) -> bool:
    """Whether a node has the label or taint of the control plane."""
    taints = (node.get("spec") or {}).get("taints") or ()
    return _ROLE in (node["metadata"].get("labels") or ()) or any(
        taint.get("key") == _ROLE for taint in taints
    )


def is_called_master(name: str) -> bool:
    """Whether a node is named as those of the control plane once were: ``master(-...)?``."""
    return name.endswith("master") or (len(name) >= 10 and name[:-3].endswith("master-"))


def masters(nodes: Sequence[Json], *, is_stage: bool) -> list[str]:
    """The names of the nodes of the control plane; a stage has one that is not registered."""
    found = [node["metadata"]["name"] for node in nodes if is_control_plane(node)]
    return [stage_master(nodes)] if is_stage and not found else found


def stage_master(nodes: Sequence[Json]) -> str:
    """The node of a stage's control plane."""
    names = (node["metadata"]["name"] for node in nodes)
    return next(filter(is_called_master, names), STAGE_MASTER)


def metrics_page(component: tuple[str, int], master: str) -> str:
    """The path of the metrics of a component that runs in a pod of a node."""
    pod, port = component
    return f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}-{master}:{port}/proxy/metrics"


def node_page(node: str, page: str) -> str:
    """A page of a node's kubelet."""
    return f"/api/v1/nodes/{node}/proxy/{page}"


def list_nodes(cluster: Cluster, done: Callable[[Answer], None]) -> None:
    """List all nodes."""
    cluster.call(Call(verb="list", resource=NODES), done)


def items(answer: Answer) -> list[Json]:
    """The objects of a list."""
    found: list[Json] = (answer.object or {}).get("items") or []
    return found


class Pages:
    """Several pages that are requested at once; `done` receives all, in their order."""

    def __init__(
        self, cluster: Cluster, paths: Sequence[str], done: Callable[[list[Page]], None]
    ) -> None:
        self._done = done
        self._pages: list[Page | None] = [None] * len(paths)
        self._missing = len(paths)
        for index, path in enumerate(paths):
            cluster.raw(path, _Page(self, index).answered)

    def answered(self, index: int, page: Page) -> None:
        """One of them has arrived."""
        self._pages[index] = page
        self._missing -= 1
        if not self._missing:
            self._done([page for page in self._pages if page is not None])


class _Page:
    """One of several pages."""

    __slots__ = ("_index", "_pages")

    def __init__(self, pages: Pages, index: int) -> None:
        self._pages, self._index = pages, index

    def answered(self, page: Page) -> None:
        self._pages.answered(self._index, page)
