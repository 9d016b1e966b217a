"""Pods that have much to say about one another, on nodes of a few topologies."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hypothesis.strategies import SearchStrategy

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns


HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
RACK = "rack"
NAMESPACES: dict[str, dict[str, str]] = {
    "red": {"env": "test"},
    "blue": {"env": "prod"},
    "bare": {},
}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod(
    name: str = "incoming",
    namespace: str = "red",
    labels: dict[str, str] | None = None,
    metadata: Json | None = None,
    **spec: Any,
) -> PodView:
    """A pod; `metadata` adds owners or a deletion time."""
    named = {"name": name, "namespace": namespace, "uid": name, "labels": labels or {}}
    raw = {"metadata": {**named, **(metadata or {})}, "spec": spec}
    return pod_views.of({"apiVersion": "v1", "kind": "Pod", **raw})


def term(selector: Json | None, topology_key: str = ZONE, **parts: Any) -> Json:
    """A pod affinity term."""
    found = {"topologyKey": topology_key, **parts}
    return found if selector is None else {"labelSelector": selector, **found}


def app(name: str) -> Json:
    """The selector of an app."""
    return {"matchLabels": {"app": name}}


def namespace_objects() -> list[Json]:
    """The namespaces, as objects; pods of `lost` are in one that does not exist."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        for name, labels in NAMESPACES.items()
    ]


# Lists in which what is usual comes often: most pods meet most selectors.
_NAMESPACES = ["red", "red", "red", "blue", "bare", "lost"]
_LABELS = [
    {"app": "web"},
    {"app": "web", "tier": "a"},
    {"app": "web", "tier": "b"},
    {"app": "db", "tier": "a"},
    {"app": ""},
    {},
]
_SELECTORS: list[Json | None] = [
    app("web"),
    app("web"),
    {"matchLabels": {"tier": "a"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]},
    {**app("web"), "matchExpressions": [{"key": "tier", "operator": "Exists"}]},
    {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]},
    {},
    None,
]
_NOT_PROD = {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]}
_ELSEWHERE: list[Json] = [
    {},
    {},
    {},
    {"namespaces": ["blue"]},
    {"namespaces": ["red", "bare"]},
    {"namespaceSelector": {}},
    {"namespaceSelector": {"matchLabels": {"env": "prod"}}, "namespaces": ["lost"]},
    {"namespaceSelector": {"matchExpressions": [{"key": "env", "operator": "Exists"}]}},
    {"namespaceSelector": _NOT_PROD},
]
_KEYS = [HOST, ZONE, RACK]
_METADATA: list[Json] = [
    {},
    {},
    {},
    {"deletionTimestamp": "2026-06-01T00:00:00Z"},
    *(
        {"ownerReferences": [{**owner, "name": "owner", "controller": True}]}
        for owner in (
            {"apiVersion": "apps/v1", "kind": "ReplicaSet"},
            {"apiVersion": "apps/v1", "kind": "StatefulSet"},
            {"apiVersion": "v1", "kind": "ReplicationController"},
            {"apiVersion": "apps/v2", "kind": "ReplicaSet"},
        )
    ),
]


def _term(dice: random.Random) -> Json:
    return term(dice.choice(_SELECTORS), dice.choice(_KEYS), **dice.choice(_ELSEWHERE))


def _side(dice: random.Random) -> Json:
    """Up to two terms of each kind."""
    required, preferred = dice.choice([0, 0, 1, 2]), dice.choice([0, 0, 1, 2])
    return {
        REQUIRED: [_term(dice) for _ in range(required)],
        PREFERRED: [
            {"weight": dice.randint(1, 100), "podAffinityTerm": _term(dice)}
            for _ in range(preferred)
        ],
    }


def _constraint(dice: random.Random) -> Json:
    found: Json = {
        "topologyKey": dice.choice(_KEYS),
        "whenUnsatisfiable": dice.choice(["DoNotSchedule", "ScheduleAnyway"]),
        "maxSkew": dice.randint(1, 3),
    }
    selector = dice.choice(_SELECTORS)
    if selector is not None:
        found["labelSelector"] = selector
    optional: Json = {
        "minDomains": dice.randint(1, 4),
        "nodeAffinityPolicy": dice.choice(["Honor", "Ignore"]),
        "nodeTaintsPolicy": dice.choice(["Honor", "Ignore"]),
        "matchLabelKeys": ["tier"],
    }
    return found | {name: value for name, value in optional.items() if dice.random() < 0.3}


def _sociable(dice: random.Random) -> Json:
    sides = [side for side in ("podAffinity", "podAntiAffinity") if dice.random() < 0.7]
    return {"affinity": {side: _side(dice) for side in sides}}


def _spreading(dice: random.Random) -> Json:
    return {
        "topologySpreadConstraints": [_constraint(dice) for _ in range(dice.randint(0, 3))],
        "nodeSelector": dice.choice([{}, {}, {}, {RACK: "1"}]),
        "tolerations": dice.choice([[], [{"key": "team", "operator": "Exists"}]]),
    }


def _pool(spec: Callable[[random.Random], Json]) -> list[Json]:
    dice = random.Random(7)
    return [
        {
            "namespace": dice.choice(_NAMESPACES),
            "labels": dice.choice(_LABELS),
            "metadata": dice.choice(_METADATA),
            **spec(dice),
        }
        for _ in range(400)
    ]


# One draw a pod: many small draws would leave little time for large crowds.
SOCIABLE = _pool(_sociable)
"""Pods that care who is near them."""
SPREADING = _pool(_spreading)
"""Pods that want to be spread."""


def pods(pool: list[Json], name: str = "incoming") -> SearchStrategy[PodView]:
    """A pod of the pool."""
    return st.sampled_from(pool).map(lambda parts: pod(name, **parts))


def nodes(name: str) -> SearchStrategy[Json]:
    """A node that has most of the topology labels and maybe a taint."""
    taint = {"key": "team", "value": "x", "effect": "NoSchedule"}
    labels: list[dict[str, str]] = [
        {HOST: name, ZONE: "a", RACK: "1"},
        {HOST: name, ZONE: "a", RACK: "1"},
        {HOST: name, ZONE: "b", RACK: "1"},
        {HOST: name, ZONE: "b", RACK: "2"},
        {HOST: name, ZONE: "", RACK: "2"},
        {HOST: name, ZONE: "b"},
        {HOST: name, RACK: "2"},
        {ZONE: "a"},
        {},
    ]
    return st.sampled_from(
        [clusters.node(name, labels=each) for each in labels]
        + [clusters.node(name, labels=each, taints=[taint]) for each in labels[::2]]
    )


@st.composite
def histories(draw: st.DrawFn, pool: list[Json]) -> tuple[list[Json], list[tuple[str, Any]]]:
    """Nodes, and what happens on them: pods come and go, a node changes, a pod is to be placed."""
    names = [f"node-{number}" for number in range(draw(st.integers(2, 6)))]
    found = [draw(nodes(name)) for name in names]
    steps: list[tuple[str, Any]] = []
    kinds = ["add"] * draw(st.integers(0, 6)) + draw(
        st.lists(st.sampled_from(["add", "add", "remove", "change", "place"]), max_size=8)
    )
    for number, step in enumerate(kinds):
        if step == "add":
            steps.append((step, (draw(st.sampled_from(names)), draw(pods(pool, f"pod-{number}")))))
        elif step == "remove":
            steps.append((step, draw(st.integers(0, 9))))
        elif step == "change":
            steps.append((step, draw(nodes(draw(st.sampled_from(names))))))
        else:
            steps.append((step, draw(pods(pool, f"pod-{number}"))))
    return found, [*steps, ("place", draw(pods(pool)))]


def play(history: tuple[list[Json], list[tuple[str, Any]]]) -> Iterator[tuple[Columns, PodView]]:
    """Live through a history; yields whenever a pod is to be placed."""
    found, steps = history
    over = clusters.columns(found)
    placed: list[tuple[int, str]] = []
    for step, what in steps:
        if step == "add":
            name, each = what
            over.add_pod(over.row_of[name], each)
            placed.append((over.row_of[name], each.uid))
        elif step == "remove" and placed:
            over.remove_pod(*placed.pop(what % len(placed)))
        elif step == "change":
            view = node_views.of(what)
            over.update_node(over.row_of[view.name], view)
        elif step == "place":
            yield over, what
