"""The pods, nodes and autoscalers of a cluster over time: of a recording, or of a replay of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers import pods as pod_states
from kubestage.controllers.deployment.replica_sets import HASH_LABEL
from kubestage.controllers.ownership import controller_of, labels_of
from kubestage.objects import timestamps
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.log import Change as Stored

_SCALER: Final = "HorizontalPodAutoscaler"


class PodLife(msgspec.Struct):
    """One pod: when it was created and bound, and where."""

    key: str
    workload: str
    created_ns: int
    bound_ns: int | None = None
    node: str = ""
    restarts: int = 0


class PodLog:
    """What happened since a moment; all times count from it."""

    def __init__(self, begin_ns: int) -> None:
        self._begin_ns = begin_ns
        self.pods: dict[str, PodLife] = {}
        self.ended_pods: list[Json] = []
        self.node_counts: list[tuple[int, int]] = []
        self.steps: dict[str, list[int]] = {}
        """What each HPA desired, one number for each change."""
        self._nodes: set[str] = set()

    def begin(self, objects: list[Json]) -> None:
        """The state at the beginning."""
        for obj in objects:
            self.seen(0, None, obj)

    def on_stored(self, stage: Stage, change: Stored) -> None:
        """A change of the store of a stage."""
        if change.kind.kind not in ("Pod", "Node", _SCALER):
            return
        at_ns = stage.clock.unix_ns - self._begin_ns
        new = None if change.type == DELETED else change.new
        self.seen(at_ns, change.old, new)

    def seen(self, at_ns: int, old: Json | None, new: Json | None) -> None:
        """An object was, and is now."""
        obj = new or old
        if obj is None:
            return
        kind = obj["kind"]
        if kind == "Pod":
            self._pod(at_ns, old, new)
        elif kind == "Node":
            self._node(at_ns, obj["metadata"]["name"], is_there=new is not None)
        elif kind == _SCALER and new is not None:
            self._scaler(new)

    @property
    def placed(self) -> list[PodLife]:
        """Pods that got their node since the beginning."""
        return [each for each in self.pods.values() if each.bound_ns is not None]

    def _pod(self, at_ns: int, old: Json | None, new: Json | None) -> None:
        if new is None:
            return
        uid, node = _uid(new), new["spec"].get("nodeName")
        life = self.pods.get(uid)
        if life is None:
            if node and _created_ns(new) < self._begin_ns:
                # It had its node before.
                return
            metadata = new["metadata"]
            key = f"{metadata.get('namespace') or ''}/{metadata['name']}"
            life = self.pods[uid] = PodLife(key, workload_of(new), at_ns)
        if node and life.bound_ns is None:
            life.bound_ns, life.node = at_ns, node
        statuses = (new.get("status") or {}).get("containerStatuses") or ()
        life.restarts = sum(each.get("restartCount") or 0 for each in statuses)
        if pod_states.is_terminal(new) and not (old is not None and pod_states.is_terminal(old)):
            self.ended_pods.append(new)

    def _node(self, at_ns: int, name: str, *, is_there: bool) -> None:
        before = len(self._nodes)
        (self._nodes.add if is_there else self._nodes.discard)(name)
        if len(self._nodes) != before:
            self.node_counts.append((at_ns, len(self._nodes)))

    def _scaler(self, obj: Json) -> None:
        desired = (obj.get("status") or {}).get("desiredReplicas")
        if desired is None:
            return
        metadata = obj["metadata"]
        steps = self.steps.setdefault(f"{metadata.get('namespace')}/{metadata['name']}", [])
        if not steps or steps[-1] != desired:
            steps.append(desired)


def workload_of(pod: Json) -> str:
    """Who made a pod, under a name that is the same in every replay."""
    namespace = pod["metadata"].get("namespace") or ""
    owner = controller_of(pod)
    if owner is None:
        return f"pod/{namespace}/{pod['metadata']['name']}"
    kind, name = str(owner["kind"]), str(owner["name"])
    digest = labels_of(pod).get(HASH_LABEL)
    if kind == "ReplicaSet" and digest and name.endswith(f"-{digest}"):
        return f"deployment/{namespace}/{name.removesuffix(f'-{digest}')}"
    return f"{kind.lower()}/{namespace}/{name}"


def _created_ns(obj: Json) -> int:
    created = obj["metadata"].get("creationTimestamp")
    return timestamps.parse_time(created) if created else 0


def _uid(obj: Json) -> str:
    metadata = obj["metadata"]
    return str(metadata.get("uid") or f"{metadata.get('namespace')}/{metadata['name']}")
