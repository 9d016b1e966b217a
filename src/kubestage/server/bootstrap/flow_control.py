"""The priority levels and flow schemas that API Priority and Fairness begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

_VERSION: Final = "flowcontrol.apiserver.k8s.io/v1"
_ANNOTATIONS: Final = {"apf.kubernetes.io/autoupdate-spec": "true"}
_EVERYBODY: Final = ("Group:system:unauthenticated", "Group:system:authenticated")
_ACCOUNTS: Final = "ServiceAccount:kube-system/*"
_ALL: Final = ("*",)


class _Level(NamedTuple):
    """A level that limits requests; without queues it rejects those beyond its share."""

    name: str
    shares: int
    lendable: int
    queues: int = 0
    hand: int = 0


class _Rule(NamedTuple):
    """Requests that a schema takes: about resources, or to paths."""

    verbs: tuple[str, ...] = _ALL
    groups: tuple[str, ...] = _ALL
    resources: tuple[str, ...] = _ALL
    is_cluster_wide: bool = True
    paths: tuple[str, ...] = ()


class _Schema(NamedTuple):
    name: str
    level: str
    precedence: int
    distinguisher: str
    subjects: tuple[str, ...]
    rules: tuple[_Rule, ...] = (_Rule(), _Rule(paths=_ALL))


_QUEUE_LENGTH: Final = 50
_LEVELS: Final = (
    _Level("catch-all", 5, 0),
    _Level("system", 30, 33, 64, 6),
    _Level("node-high", 40, 25, 64, 6),
    _Level("leader-election", 10, 0, 16, 4),
    _Level("workload-high", 40, 50, 128, 6),
    _Level("workload-low", 100, 90, 128, 6),
    _Level("global-default", 20, 50, 128, 6),
)
_LEASES: Final = _Rule(
    groups=("coordination.k8s.io",), resources=("leases",), is_cluster_wide=False
)
_SCHEMAS: Final = (
    _Schema("exempt", "exempt", 1, "", ("Group:system:masters",)),
    _Schema("catch-all", "catch-all", 10_000, "ByUser", _EVERYBODY),
    _Schema("system-nodes", "system", 500, "ByUser", ("Group:system:nodes",)),
    _Schema(
        "system-node-high",
        "node-high",
        400,
        "ByUser",
        ("Group:system:nodes",),
        (_Rule(groups=("",), resources=("nodes", "nodes/status")), _LEASES),
    ),
    _Schema(
        "probes",
        "exempt",
        2,
        "",
        _EVERYBODY,
        (_Rule(verbs=("get",), paths=("/healthz", "/readyz", "/livez")),),
    ),
    _Schema(
        "system-leader-election",
        "leader-election",
        100,
        "ByUser",
        ("User:system:kube-controller-manager", "User:system:kube-scheduler", _ACCOUNTS),
        (_LEASES._replace(verbs=("get", "create", "update")),),
    ),
    _Schema(
        "kube-controller-manager",
        "workload-high",
        800,
        "ByNamespace",
        ("User:system:kube-controller-manager",),
    ),
    _Schema("kube-scheduler", "workload-high", 800, "ByNamespace", ("User:system:kube-scheduler",)),
    _Schema("kube-system-service-accounts", "workload-high", 900, "ByNamespace", (_ACCOUNTS,)),
    _Schema("service-accounts", "workload-low", 9000, "ByUser", ("Group:system:serviceaccounts",)),
    _Schema("global-default", "global-default", 9900, "ByUser", _EVERYBODY),
)


def objects(now: str) -> Iterator[Json]:
    """All of them, levels first; a schema reports that its level is there."""
    exempt = {"nominalConcurrencyShares": 0, "lendablePercent": 0}
    yield _named("PriorityLevelConfiguration", "exempt", {"type": "Exempt", "exempt": exempt})
    yield from map(_level, _LEVELS)
    for schema in _SCHEMAS:
        yield {**_schema(schema), "status": {"conditions": [_found(schema.level, now)]}}


def _found(level: str, now: str) -> Json:
    message = (
        "This FlowSchema references the PriorityLevelConfiguration object named "
        f'"{level}" and it exists'
    )
    return {
        "type": "Dangling",
        "status": "False",
        "lastTransitionTime": now,
        "reason": "Found",
        "message": message,
    }


def _named(kind: str, name: str, spec: Json) -> Json:
    metadata = {"name": name, "annotations": _ANNOTATIONS}
    return {"apiVersion": _VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def _level(level: _Level) -> Json:
    response: Json = {"type": "Reject"}
    if level.queues:
        queuing = {
            "queues": level.queues,
            "handSize": level.hand,
            "queueLengthLimit": _QUEUE_LENGTH,
        }
        response = {"type": "Queue", "queuing": queuing}
    limited = {
        "nominalConcurrencyShares": level.shares,
        "lendablePercent": level.lendable,
        "limitResponse": response,
    }
    spec = {"type": "Limited", "limited": limited}
    return _named("PriorityLevelConfiguration", level.name, spec)


def _schema(schema: _Schema) -> Json:
    spec: Json = {
        "matchingPrecedence": schema.precedence,
        "priorityLevelConfiguration": {"name": schema.level},
        "rules": [_rules(schema)],
    }
    if schema.distinguisher:
        spec["distinguisherMethod"] = {"type": schema.distinguisher}
    return _named("FlowSchema", schema.name, spec)


def _rules(schema: _Schema) -> Json:
    rules: Json = {"subjects": [_subject(each) for each in schema.subjects]}
    for rule in schema.rules:
        if rule.paths:
            paths = {"verbs": [*rule.verbs], "nonResourceURLs": [*rule.paths]}
            rules.setdefault("nonResourceRules", []).append(paths)
            continue
        resources: Json = {
            "verbs": [*rule.verbs],
            "apiGroups": [*rule.groups],
            "resources": [*rule.resources],
            "namespaces": ["*"],
        }
        if rule.is_cluster_wide:
            resources["clusterScope"] = True
        rules.setdefault("resourceRules", []).append(resources)
    return rules


def _subject(text: str) -> Json:
    kind, _, name = text.partition(":")
    if kind == "ServiceAccount":
        namespace, _, bare = name.partition("/")
        return {"kind": kind, "serviceAccount": {"namespace": namespace, "name": bare}}
    return {"kind": kind, kind.lower(): {"name": name}}
