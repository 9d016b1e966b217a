"""Small clusters with a bit of everything, and a way to ask a plugin about each node."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.status import SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hypothesis.strategies import SearchStrategy

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


GPU = "example.com/gpu"
ZONES = ("a", "b", "c")
FEATURES = ("RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport")


def handle(objects: Iterable[Json] = ()) -> Handle:
    """What plugins are made with, in a cluster of these objects and no nodes."""
    cluster = ReplayCluster(objects, Cache())
    return Handle(cluster, cluster, Nominator(), random.Random(0), Cache())


def node(name: str, **parts: Any) -> Json:
    """A node; `labels` go to its metadata, `taints` and `unschedulable` to its spec."""
    spec = {key: parts.pop(key) for key in ("taints", "unschedulable") if key in parts}
    labels = parts.pop("labels", {})
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}, **parts}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "spec": spec, "status": status,
    }  # fmt: skip


def pod(name: str = "incoming", requests: Json | None = None, **spec: Any) -> PodView:
    """A pod of one container, unless its `containers` are given."""
    container = {"name": "main", "image": "web", "resources": {"requests": requests or {}}}
    metadata = {"name": name, "namespace": "default", "uid": name}
    raw = {"metadata": metadata, "spec": {"containers": [container], **spec}}
    return pod_views.of({"apiVersion": "v1", "kind": "Pod", **raw})


def columns(nodes: Sequence[Json], on: dict[str, list[PodView]] | None = None) -> Columns:
    """Columns over nodes with pods on them."""
    infos = [NodeInfo(node_views.of(each)) for each in nodes]
    found = Columns(infos)
    for name, pods in (on or {}).items():
        for each in pods:
            found.add_pod(found.row_of[name], each)
    return found


def verdicts(plugin: Any, incoming: PodView, over: Columns) -> list[Status]:
    """What a plugin says to each node, the same whichever way the rows are named."""
    state = CycleState()
    if hasattr(plugin, "pre_filter"):
        status, _ = plugin.pre_filter(state, incoming, over)
        if status.is_skip:
            return [SUCCESS] * len(over)
        assert status.is_success
    count = len(over)
    codes = _codes(plugin.filter(state, incoming, over, slice(0, count)), count)
    backwards = np.arange(count)[::-1].copy()
    answer = plugin.filter(state, incoming, over, backwards)
    assert _codes(answer, count) == codes[::-1]
    for row in range(count):
        assert _codes(plugin.filter(state, incoming, over, np.array([row])), 1) == [codes[row]]
        taken = over.take([row])
        assert _codes(plugin.filter(state, incoming, taken, np.array([0])), 1) == [codes[row]]
    return [plugin.status(state, incoming, code) if code else SUCCESS for code in codes]


def _codes(answer: Any, count: int) -> list[int]:
    if answer is None:
        return [0] * count
    assert answer.dtype == np.int32
    codes: list[int] = answer.tolist()
    return codes


def scores(plugin: Any, incoming: PodView, over: Columns) -> tuple[list[int], list[int]] | None:
    """Raw and normalised scores of all nodes; None if the plugin sits it out."""
    state, rows = CycleState(), np.arange(len(over))
    if hasattr(plugin, "pre_score") and plugin.pre_score(state, incoming, over, rows).is_skip:
        return None
    raw = plugin.score(state, incoming, over, rows)
    assert raw.dtype == np.int64
    backwards = plugin.score(state, incoming, over, rows[::-1].copy())
    assert backwards.tolist() == raw.tolist()[::-1]
    normalized = raw
    if hasattr(plugin, "normalize"):
        normalized = plugin.normalize(state, incoming, raw, over, rows)
    return raw.tolist(), normalized.tolist()


_amounts: SearchStrategy[Json] = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(["0", "100m", "750m", "1", "2", "5"]),
        "memory": st.sampled_from(["0", "100Mi", "1Gi", "3000000001", "6Gi", "9Gi"]),
        "ephemeral-storage": st.sampled_from(["1Gi", "20Gi"]),
        GPU: st.sampled_from(["0", "1", "3"]),
        "hugepages-2Mi": st.sampled_from(["2Mi", "64Mi"]),
    },
)
_taints = st.lists(
    st.fixed_dictionaries(
        {
            "key": st.sampled_from(["team", "disk", "node.kubernetes.io/unschedulable"]),
            "value": st.sampled_from(["", "x", "y"]),
            "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        }
    ),
    max_size=3,
)
_tolerations = st.lists(
    st.fixed_dictionaries(
        {"operator": st.sampled_from(["", "Equal", "Exists", "Lt"])},
        optional={
            "key": st.sampled_from(["team", "disk", "node.kubernetes.io/unschedulable"]),
            "value": st.sampled_from(["", "x", "y"]),
            "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        },
    ),
    max_size=3,
)
_images = st.lists(
    st.fixed_dictionaries(
        {
            "names": st.lists(st.sampled_from(["web:latest", "db:1", "big:latest"]), min_size=1),
            "sizeBytes": st.integers(0, 4_000_000_000),
        }
    ),
    max_size=3,
)
_labels: SearchStrategy[Json] = st.fixed_dictionaries(
    {},
    optional={"zone": st.sampled_from(ZONES), "gen": st.sampled_from(["1", "2", "10", "x"])},
)
_expressions = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "key": st.sampled_from(["zone", "gen", "other"]),
                "operator": st.sampled_from(["In", "NotIn"]),
                "values": st.lists(st.sampled_from(["a", "b", "1", "2"]), min_size=1, max_size=3),
            }
        ),
        st.fixed_dictionaries(
            {
                "key": st.sampled_from(["zone", "gen"]),
                "operator": st.sampled_from(["Exists", "DoesNotExist", "Unheard"]),
            }
        ),
        st.fixed_dictionaries(
            {
                "key": st.just("gen"),
                "operator": st.sampled_from(["Gt", "Lt"]),
                "values": st.lists(st.sampled_from(["1", "9"]), min_size=1, max_size=1),
            }
        ),
    ),
    max_size=2,
)
_fields = st.lists(
    st.fixed_dictionaries(
        {
            "key": st.sampled_from(["metadata.name", "metadata.other"]),
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": st.lists(st.sampled_from(["node-0", "node-1", ""]), min_size=1, max_size=1),
        }
    ),
    max_size=2,
)
terms: SearchStrategy[Json] = st.fixed_dictionaries(
    {}, optional={"matchExpressions": _expressions, "matchFields": _fields}
)
_ports = st.lists(
    st.fixed_dictionaries(
        {
            "hostPort": st.sampled_from([0, 80, 443]),
            "containerPort": st.just(80),
            "protocol": st.sampled_from(["TCP", "UDP"]),
            "hostIP": st.sampled_from(["", "0.0.0.0", "10.0.0.1", "10.0.0.2"]),
        }
    ),
    max_size=3,
)


@st.composite
def specs(draw: st.DrawFn) -> Json:
    """A pod spec with some resources, ports, images and tolerations."""
    containers = [
        {
            "name": f"c{number}",
            "image": draw(st.sampled_from(["web", "db:1", "big", "none"])),
            "resources": {"requests": draw(_amounts)},
            "ports": draw(_ports),
            "restartPolicyRules": draw(
                st.lists(
                    st.fixed_dictionaries(
                        {"action": st.sampled_from(["Restart", "RestartAllContainers"])}
                    ),
                    max_size=1,
                )
            ),
        }
        for number in range(draw(st.integers(1, 2)))
    ]
    spec: Json = {"containers": containers, "tolerations": draw(_tolerations)}
    if draw(st.booleans()):
        init = {"name": "init", "image": "db:1", "resources": {"requests": draw(_amounts)}}
        spec["initContainers"] = [init]
    if draw(st.booleans()):
        requests = draw(_amounts)
        spec["resources"] = {
            "requests": {k: requests[k] for k in ("cpu", "memory") if k in requests}
        }
    if draw(st.booleans()):
        spec["overhead"] = {"cpu": "250m", "memory": "120Mi"}
    if draw(st.booleans()):
        spec |= {"hostNetwork": True, "hostUsers": draw(st.booleans())}
    return spec


@st.composite
def nodes(draw: st.DrawFn) -> list[Json]:
    """One to five nodes."""
    found = []
    for number in range(draw(st.integers(1, 5))):
        allocatable = {"cpu": "4", "memory": "8Gi", "pods": str(draw(st.integers(0, 4)))}
        allocatable |= draw(_amounts)
        found.append(
            node(
                f"node-{number}",
                labels=draw(_labels),
                taints=draw(_taints),
                unschedulable=draw(st.booleans()),
                allocatable=allocatable,
                images=draw(_images),
                declaredFeatures=sorted(draw(st.sets(st.sampled_from(FEATURES)))),
            )
        )
    return found


@st.composite
def clusters(draw: st.DrawFn) -> Columns:
    """Columns that pods have come to and gone from, and on which a node has changed."""
    over = columns(draw(nodes()))
    where: dict[str, int] = {}
    for number in range(draw(st.integers(0, 6))):
        each = pod(f"pod-{number}", **draw(specs()))
        where[each.uid] = draw(st.integers(0, len(over) - 1))
        over.add_pod(where[each.uid], each)
    gone = draw(st.lists(st.sampled_from(sorted(where)), max_size=2, unique=True)) if where else []
    for uid in gone:
        over.remove_pod(where[uid], uid)
    if draw(st.booleans()):
        row = draw(st.integers(0, len(over) - 1))
        changed = draw(nodes())[0]
        metadata = {**changed["metadata"], "name": over.names[row]}
        for key in ("zone", "gen"):
            over.label(key)
        over.update_node(row, node_views.of({**changed, "metadata": metadata}))
    return over
