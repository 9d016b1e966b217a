"""Pages of a staged cluster that are not resources: health, version, metrics, node proxies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cluster import components, node_stats, node_summary, usage
from kubestage.cluster.access import Page
from kubestage.metrics.families import exposition
from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.cluster.components import Components

KUBERNETES: Final = "v1.36.4"
_HEALTH: Final = frozenset({"/healthz", "/livez", "/readyz"})
_POD: Final = re.compile(
    r"/api/v1/namespaces/kube-system/pods/(?:https?:)?([a-z0-9.-]+?)(?::\d+)?/proxy/metrics"
)
_NODE: Final = re.compile(r"/api/v1/nodes/(?:https?:)?([^/:]+)(?::\d+)?/proxy/(.+)")
_MISSING: Final = Page(404, "404 page not found\n")


class Pages:
    """Reads a page as it is now."""

    def __init__(self, of: Components) -> None:
        self._components = of

    def read(self, path: str) -> Page:
        """A page by its path; 404 if there is none."""
        path = path.partition("?")[0].rstrip("/")
        if path in _HEALTH:
            return Page(200, "ok")
        if path == "/version":
            return Page(200, msgspec.json.encode(_version()).decode())
        if path == "/metrics":
            return self._metrics(usage.APISERVER)
        match = _POD.fullmatch(path)
        if match is not None:
            return self._pod(match[1])
        match = _NODE.fullmatch(path)
        return _MISSING if match is None else self._node(match[1], match[2])

    def _metrics(self, component: str) -> Page:
        return Page(200, exposition(self._components.families(component)))

    def _pod(self, pod: str) -> Page:
        """The metrics of a component by the name of its pod: ``kube-scheduler-<node>``."""
        for component, (prefix, _) in components.CONTAINERS.items():
            if pod == prefix or pod.startswith(f"{prefix}-"):
                return self._metrics(component)
        return _missing("pods", pod)

    def _node(self, name: str, page: str) -> Page:
        found = self._components
        is_master = name == found.master
        if name not in found.store.read(gvk.NODE) and not is_master:
            return _missing("nodes", name)
        kubelet = found.kubelet
        node = None if kubelet is None else kubelet.nodes.get(name)
        clock = found.store.clock
        if page == "stats/summary":
            plane = found.control_plane() if is_master else []
            return Page(200, node_summary.summary(node, name, clock, plane).decode())
        nodes = [] if node is None else [node]
        if page == "metrics":
            families = node_stats.kubelet_families(nodes)
        elif page in ("metrics/cadvisor", "metrics/resource"):
            pods = node_stats.pods_of(nodes, clock.now_ns)
            families = node_stats.cadvisor_families(pods, {}, clock.epoch_ns)
        else:
            return _MISSING
        return Page(200, exposition(families))


def _missing(resource: str, name: str) -> Page:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'{resource} "{name}" not found',
        "reason": "NotFound",
        "details": {"name": name, "kind": resource},
        "code": 404,
    }
    return Page(404, msgspec.json.encode(status).decode())


def _version() -> dict[str, str]:
    _, major, minor, _ = re.split(r"[v.]", KUBERNETES)
    return {
        "major": major,
        "minor": minor,
        "gitVersion": KUBERNETES,
        "gitTreeState": "clean",
        "platform": "linux/amd64",
    }
