"""Operations at random, weighted so that much of what is done is done to what there is."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from tests.controllers.worlds.manifests import FAST, LATE

Operations = st.SearchStrategy[tuple[Any, ...]]

_DEPLOYMENTS: Final = st.sampled_from(["web", "api"])
_FEW: Final = st.integers(0, 4)
_VERSIONS: Final = st.integers(1, 3)
_NODES: Final = st.integers(0, 3)
_PODS: Final = st.integers(0, 15)
_BOUNDS: Final = st.sampled_from([0, 1, 2, "25%", "50%", "100%"])
_POLICIES: Final = st.sampled_from(["Background", "Foreground", "Orphan", None])
_FLAGS: Final = st.booleans()
_RETENTION: Final = st.sampled_from(["Retain", "Delete"])
_WAITS: Final = st.sampled_from([1, "100ms", "1s", "3s", "20s", "45s", "6m", "40m"])
_SCALABLE: Final = st.sampled_from(
    [
        ("deployment", "web"),
        ("deployment", "api"),
        ("replica_set", "bare"),
        ("replication_controller", "old"),
        ("stateful_set", "db"),
        ("stateful_set", "log"),
    ]
)
_MADE: Final = st.sampled_from(
    [
        ("deployment", "web"),
        ("deployment", "api"),
        ("replica_set", "bare"),
        ("replication_controller", "old"),
        ("stateful_set", "db"),
        ("stateful_set", "log"),
        ("daemon_set", "agent"),
        ("job", "sum"),
        ("job", "try"),
        ("cron_job", "tick"),
        ("claim", "c1"),
        ("claim", "c2"),
        ("budget", "web"),
        ("budget", "db"),
        ("service", "web"),
        ("service", "db"),
        ("quota", "small"),
        ("node", "n0"),
        ("node", "n1"),
        ("pod", "user"),
    ]
)


def _apply(maker: str, name: st.SearchStrategy[str] | str, **fields: Any) -> Operations:
    named = st.just(name) if isinstance(name, str) else name
    optional = st.fixed_dictionaries({}, optional=fields)
    return st.tuples(st.just("apply"), st.just(maker), named, optional)


def _some(verb: str, *parts: st.SearchStrategy[Any]) -> Operations:
    return st.tuples(st.just(verb), *parts)


DEPLOYMENT: Final = _apply(
    "deployment",
    _DEPLOYMENTS,
    replicas=_FEW,
    version=_VERSIONS,
    surge=_BOUNDS,
    unavailable=_BOUNDS,
    paused=_FLAGS,
    minReadySeconds=st.sampled_from([0, 5]),
    revisionHistoryLimit=st.integers(0, 2),
)
STATEFUL_SET: Final = st.one_of(
    _apply(
        "stateful_set",
        "db",
        replicas=_FEW,
        version=_VERSIONS,
        partition=st.integers(0, 2),
        storage=st.sampled_from([FAST, LATE]),
        retention=st.tuples(_RETENTION, _RETENTION),
    ),
    _apply(
        "stateful_set",
        "log",
        replicas=_FEW,
        version=_VERSIONS,
        policy=st.just("Parallel"),
        start=st.integers(0, 2),
    ),
)
DAEMON_SET: Final = _apply(
    "daemon_set", "agent", version=_VERSIONS, surge=st.integers(0, 1), on_delete=_FLAGS
)
JOB: Final = _apply(
    "job",
    st.sampled_from(["sum", "try"]),
    completions=_FEW,
    parallelism=st.integers(0, 3),
    exit_code=st.integers(0, 1),
    completionMode=st.sampled_from(["NonIndexed", "Indexed"]),
    suspend=_FLAGS,
    ttlSecondsAfterFinished=st.integers(0, 60),
    activeDeadlineSeconds=st.integers(10, 100),
)
REPLICATED: Final = st.one_of(
    _apply("replica_set", "bare", replicas=_FEW, version=_VERSIONS),
    _apply("replication_controller", "old", replicas=_FEW, version=_VERSIONS),
)
CRON_JOB: Final = _apply(
    "cron_job",
    "tick",
    schedule=st.sampled_from(["* * * * *", "*/10 * * * *"]),
    policy=st.sampled_from(["Allow", "Forbid", "Replace"]),
    suspend=_FLAGS,
    successfulJobsHistoryLimit=st.integers(0, 2),
)
VOLUMES: Final = st.one_of(
    _apply("claim", st.sampled_from(["c1", "c2"]), storage=st.sampled_from([FAST, LATE])),
    _apply("consumer", "user", claim_name=st.sampled_from(["c1", "c2"])).filter(lambda op: op[3]),
)
POLICIES: Final = st.one_of(
    _some("apply", st.just("service"), st.sampled_from(["web", "db"])),
    _some(
        "apply",
        st.just("budget"),
        st.sampled_from(["web", "db"]),
        st.sampled_from(["minAvailable", "maxUnavailable"]),
        st.sampled_from([0, 1, 2, "50%"]),
    ),
    _some("apply", st.just("quota"), st.just("small"), st.integers(0, 12)),
)
NODES: Final = st.one_of(
    _some("apply", st.just("node"), _NODES),
    _some("delete", st.just("node"), _NODES.map("n{}".format)),
    _some("cordon", _NODES, _FLAGS),
    _some("silence", _NODES, _FLAGS),
    _some("taint", _NODES, st.sampled_from(["NoSchedule", "NoExecute", None])),
)
PODS: Final = st.one_of(
    _some("delete_pod", _PODS, st.sampled_from([None, 0, 5])),
    _some("evict_pod", _PODS),
    _some("relabel_pod", _PODS, st.sampled_from(["web", "bare", "nobody"])),
)
SCALE: Final = st.tuples(_SCALABLE, _FEW).map(lambda found: ("scale", *found[0], found[1]))
DELETE: Final = st.tuples(_MADE, _POLICIES).map(lambda found: ("delete", *found[0], found[1]))
UNDO: Final = _some("undo", _DEPLOYMENTS)
NAMESPACES: Final = st.sampled_from([("settle_namespace", "side"), ("delete_namespace", "side")])
WAIT: Final = _some("wait", _WAITS)

OPERATION: Final[Operations] = st.one_of(
    WAIT, DEPLOYMENT, WAIT, STATEFUL_SET, DAEMON_SET, WAIT, JOB, REPLICATED, CRON_JOB, WAIT,
    VOLUMES, POLICIES, NODES, PODS, SCALE, DELETE, UNDO, NAMESPACES, PODS,
)  # fmt: skip
"""Anything that can be done, or some time that passes."""
