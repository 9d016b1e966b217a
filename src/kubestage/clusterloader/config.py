"""A load as a value: what a configuration says once it is rendered, read and checked."""

from __future__ import annotations

from typing import Any

import msgspec


class NamespaceRange(msgspec.Struct, frozen=True):
    """Namespaces ``<basename>-<min>`` to ``<basename>-<max>``, both included.

    Without a basename they are those that the run makes.
    """

    min: int
    max: int
    basename: str | None = None


class ObjectType(msgspec.Struct, frozen=True):
    """The kind of objects that the configuration states for a template."""

    api_group: str
    api_version: str
    kind: str


class ObjectSpec(msgspec.Struct, frozen=True):
    """One object of a bundle: its name's beginning, its template and what fills it.

    `list_unknown` is the label selector (as JSON) by which objects are counted that others have
    created; None where there are no others. `object_type` is what the configuration states of the
    kind, if it did; the template's word stands.
    """

    basename: str
    template_path: str
    fill_map: dict[str, Any] = msgspec.field(default_factory=dict)
    list_unknown: dict[str, Any] | None = None
    object_type: ObjectType | None = None


class Phase(msgspec.Struct, frozen=True):
    """A number of bundles that is to be there in each namespace.

    Exactly one of `namespace_range` and `namespace_list` may be set; with neither, the objects are
    cluster-scoped.
    """

    objects: tuple[ObjectSpec, ...]
    replicas_per_namespace: int
    tuning_set: str
    namespace_range: NamespaceRange | None = None
    namespace_list: tuple[str, ...] | None = None


class Instance(msgspec.Struct, frozen=True):
    """One of several measurements of a method that are mentioned together."""

    identifier: str
    params: dict[str, Any] = msgspec.field(default_factory=dict)


class Mention(msgspec.Struct, frozen=True):
    """A measurement that a step mentions, with what it is to do.

    Either `identifier` is set or there are `instances`, whose parameters override `params`.
    """

    method: str
    identifier: str = ""
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    instances: tuple[Instance, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """Phases or measurements that go on at the same time; a step with a name is timed."""

    name: str = ""
    phases: tuple[Phase, ...] = ()
    measurements: tuple[Mention, ...] = ()


class QpsLoad(msgspec.Struct, frozen=True):
    """Evenly, so many a second."""

    qps: float


class RandomizedLoad(msgspec.Struct, frozen=True):
    """So many a second on average, with gaps that are uniform between none and twice the mean."""

    average_qps: float


class SteppedLoad(msgspec.Struct, frozen=True):
    """Bursts with a pause after each."""

    burst_size: int
    step_delay_ns: int


class TimeLimitedLoad(msgspec.Struct, frozen=True):
    """Evenly over a time."""

    time_limit_ns: int


class RandomizedTimeLimitedLoad(msgspec.Struct, frozen=True):
    """Each at a random moment of a time."""

    time_limit_ns: int


class ParallelismLimitedLoad(msgspec.Struct, frozen=True):
    """The next when one is done: so many are under way at once."""

    parallelism_limit: int


class GlobalQpsLoad(msgspec.Struct, frozen=True):
    """So many a second over all phases that use the tuning set, after a burst."""

    qps: float
    burst: int


class PoissonLoad(msgspec.Struct, frozen=True):
    """At random, so many a second on average and each independent of the others."""

    expected_actions_per_second: float


Load = (
    QpsLoad
    | RandomizedLoad
    | SteppedLoad
    | TimeLimitedLoad
    | RandomizedTimeLimitedLoad
    | ParallelismLimitedLoad
    | GlobalQpsLoad
    | PoissonLoad
)


class TuningSet(msgspec.Struct, frozen=True):
    """How the actions of a phase are spread over time."""

    name: str
    load: Load
    initial_delay_ns: int = 0


class Namespaces(msgspec.Struct, frozen=True):
    """The namespaces that a run makes: ``<prefix>-1`` to ``<prefix>-<number>``.

    An empty prefix stands for one that the run draws.
    """

    number: int = 1
    prefix: str = ""
    delete_stale: bool = False
    delete_automanaged: bool = True
    enable_existing: bool = False
    delete_timeout_ns: int = 600_000_000_000


class NodeFailure(msgspec.Struct, frozen=True):
    """Nodes that fail while the load runs."""

    failure_rate: float
    interval_ns: int
    jitter_factor: float
    simulated_downtime_ns: int


class ChaosMonkey(msgspec.Struct, frozen=True):
    """What goes wrong on purpose."""

    node_failure: NodeFailure | None = None
    excluded_nodes: frozenset[str] = frozenset()


class Dependency(msgspec.Struct, frozen=True):
    """Something that is set up before the first step and taken down after the last."""

    name: str
    method: str
    timeout_ns: int = 0
    params: dict[str, Any] = msgspec.field(default_factory=dict)


class Config(msgspec.Struct, frozen=True):
    """A whole load."""

    steps: tuple[Step, ...]
    name: str = ""
    tuning_sets: tuple[TuningSet, ...] = ()
    namespaces: Namespaces = Namespaces()
    chaos_monkey: ChaosMonkey = ChaosMonkey()
    dependencies: tuple[Dependency, ...] = ()
