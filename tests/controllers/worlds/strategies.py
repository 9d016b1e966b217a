"""Stories of worlds at random: something is made, then much is done to it as time passes."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from tests.controllers.worlds.manifests import FAST, LATE

T = TypeVar("T")
Operation = tuple[Any, ...]
Operations = st.SearchStrategy[Operation]

_FEW: Final = st.integers(0, 4)
_VERSIONS: Final = st.integers(1, 3)
_ANY: Final = st.integers(0, 30)
BOUNDS: Final = st.sampled_from([1, 0, 2, "25%", "50%", "100%"])
_POLICIES: Final = st.sampled_from([None, "Background", "Foreground", "Orphan"])
_FLAGS: Final = st.booleans()
_RETENTION: Final = st.sampled_from(["Retain", "Delete"])
_WAITS: Final = st.sampled_from([0, 1, "100ms", "1s", "3s", "20s", "45s", "6m", "40m"])


def _apply(maker: str, name: st.SearchStrategy[str] | str, **fields: Any) -> Operations:
    named = st.just(name) if isinstance(name, str) else name
    return st.tuples(st.just("apply"), st.just(maker), named, st.fixed_dictionaries(fields))


def _some(verb: str, *parts: st.SearchStrategy[Any]) -> Operations:
    return st.tuples(st.just(verb), *parts)


DEPLOYMENT: Final = _apply(
    "deployment",
    st.sampled_from(["web", "api"]),
    replicas=_FEW,
    version=_VERSIONS,
    surge=BOUNDS,
    unavailable=BOUNDS,
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
        storage=st.just(FAST),
        retention=st.tuples(_RETENTION, _RETENTION),
    ),
    _apply(
        "stateful_set",
        "log",
        replicas=_FEW,
        version=_VERSIONS,
        policy=st.just("Parallel"),
        start=st.integers(0, 2),
        storage=st.just(LATE),
        retention=st.tuples(_RETENTION, _RETENTION),
    ),
)
DAEMON_SET: Final = _apply(
    "daemon_set", "agent", version=_VERSIONS, surge=st.integers(0, 1), on_delete=_FLAGS
)
JOB: Final = _apply(
    "job",
    st.sampled_from(["sum", "try"]),
    completions=_FEW,
    parallelism=st.integers(1, 3),
    exit_code=st.sampled_from([0, 0, 1]),
    completionMode=st.sampled_from(["NonIndexed", "Indexed"]),
    suspend=st.sampled_from([False, False, True]),
    ttlSecondsAfterFinished=st.sampled_from([None, None, 0, 60]),
    activeDeadlineSeconds=st.sampled_from([None, None, 30, 100]),
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
CLAIM: Final = _apply("claim", st.sampled_from(["c1", "c2"]), storage=st.sampled_from([FAST, LATE]))
CONSUMER: Final = _apply("consumer", "user", claim_name=st.sampled_from(["c1", "c2"]))
SERVICE: Final = _some("apply", st.just("service"), st.sampled_from(["web", "db"]))
BUDGET: Final = _some(
    "apply",
    st.just("budget"),
    st.sampled_from(["web", "db"]),
    st.sampled_from(["minAvailable", "maxUnavailable"]),
    st.sampled_from([1, 0, 2, "50%"]),
)
QUOTA: Final = _some("apply", st.just("quota"), st.just("small"), st.integers(0, 12))
NAMESPACE: Final = st.just(("settle_namespace", "side"))
MADE: Final[Operations] = st.one_of(
    DEPLOYMENT, REPLICATED, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB, CLAIM, CONSUMER, SERVICE,
    BUDGET, QUOTA, NAMESPACE, DEPLOYMENT, STATEFUL_SET,
)  # fmt: skip
DONE: Final[Operations] = st.one_of(
    _some("scale", _ANY, _FEW),
    _some("update", _ANY, _VERSIONS),
    _some("undo", _ANY),
    _some("patch_spec", st.just("deployment"), _ANY, st.fixed_dictionaries({"paused": _FLAGS})),
    _some("patch_spec", st.just("job"), _ANY, st.fixed_dictionaries({"suspend": _FLAGS})),
    _some("delete", _ANY, _POLICIES),
    _some("delete_pod", _ANY, st.sampled_from([None, 0, 5])),
    _some("evict_pod", _ANY),
    _some("relabel_pod", _ANY, st.sampled_from(["web", "bare", "nobody"])),
    _some("apply", st.just("node"), st.integers(0, 4)),
    _some("delete_node", _ANY),
    _some("cordon", _ANY, _FLAGS),
    _some("silence", _ANY, _FLAGS),
    _some("taint", _ANY, st.sampled_from(["NoSchedule", "NoExecute", None])),
    st.just(("delete_namespace", "side")),
    MADE,
)  # fmt: skip


_TARGETS: Final = (
    ("deployment", "web"),
    ("deployment", "api"),
    ("replica_set", "bare"),
    ("replication_controller", "old"),
    ("stateful_set", "db"),
    ("stateful_set", "log"),
    ("daemon_set", "agent"),
    ("job", "sum"),
    ("job", "try"),
    ("service", "web"),
    ("budget", "web"),
)


def stories(made: int, done: int) -> st.SearchStrategy[list[Operation]]:
    """So many things are made at first at most, and so many done with pauses between them."""
    beginnings = st.integers(1, made).flatmap(lambda size: _list_of(MADE, size))
    deeds = st.integers(0, done).flatmap(lambda size: _list_of(st.tuples(_WAITS, DONE), size))
    return st.tuples(beginnings, deeds).map(_told)


def _list_of(each: st.SearchStrategy[T], size: int) -> st.SearchStrategy[list[T]]:
    """A size drawn first is as often large as small."""
    return st.lists(each, min_size=size, max_size=size)


def independent() -> st.SearchStrategy[list[Operation]]:
    """Things that can be done in one instant in any order, for each is done to another object."""
    drops = st.tuples(st.sampled_from(_TARGETS), _POLICIES)
    dropped = drops.map(lambda found: ("drop", *found[0], found[1]))
    # Of one template: which of mixed pods have to go is a matter of where they are.
    alike = st.one_of(
        _apply("replica_set", "bare", replicas=_FEW),
        _apply("replication_controller", "old", replicas=_FEW),
    )
    made = st.one_of(DEPLOYMENT, alike, STATEFUL_SET, DAEMON_SET, JOB, SERVICE, BUDGET)
    return st.lists(st.one_of(made, made, dropped), min_size=2, max_size=8, unique_by=_target)


def _target(operation: Operation) -> tuple[str, str]:
    return operation[1], operation[2]


def _told(parts: tuple[list[Operation], list[tuple[object, Operation]]]) -> list[Operation]:
    beginning, deeds = parts
    told = list(beginning)
    for pause, deed in deeds:
        told += [("wait", pause), deed] if pause else [deed]
    return told
