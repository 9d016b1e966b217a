"""The bodies of requests and responses about the past, and about other clusters."""

from __future__ import annotations

from typing import Literal

import msgspec

from kubestage.aliases import Json
from kubestage.server.kubestage_api.shapes import RequestBody, ResponseBody


class HistoryBounds(ResponseBody, frozen=True):
    """How much is remembered at most; null is without limit."""

    changes: int | None
    bytes: int | None


class History(ResponseBody, frozen=True):
    """From when to when the past is known, and how much memory that takes.

    `sequence` is the number of the next change, `forgotten` how many of the oldest were forgotten.
    """

    begin: str
    end: str
    changes: int
    forgotten: int
    bytes: int
    limits: HistoryBounds
    is_whole: bool
    sequence: int


class HistoryMap(ResponseBody, frozen=True, omit_defaults=True):
    """Nodes and pods at `begin`, and each change of what a map shows of them, in order.

    A row of `pods` is a key, the index of a template, a node and a phase. A row of `changes` is
    the time since `begin` in milliseconds, `p` or `n`, the key or name, and the rest of the row,
    which is missing where the pod or node is gone. `nodes` and `pods` are missing, and
    `templates` are only new ones, if the request has `after`.
    """

    begin: str
    end: str
    sequence: int
    is_whole: bool
    templates: list[Json]
    changes: list[list[msgspec.Raw]]
    nodes: list[Json] | msgspec.UnsetType = msgspec.UNSET
    pods: list[list[msgspec.Raw]] | msgspec.UnsetType = msgspec.UNSET


class HistorySlices(ResponseBody, frozen=True):
    """The lives of pods. Rows name others by their index, -1 is none; times are milliseconds
    since `begin`. With `after`, each list has only what is new, and indices continue.

    A row of `pods` is a name and a template. A row of `slices` is a time, a pod, a phase (gone, if
    the pod is), a node and a text; a sixth number is its template from then on. It ends with the
    next row of the pod. A row of `instants` is a time, a kind (unschedulable, preemption, eviction,
    restart), a pod, a text, and the pod that preempted it. A row of `nodeStates` is a time, a node,
    whether it is ready and cordoned (1 or 0), and its cores, bytes and pods; the node is gone where
    these are missing. A row of `replicas` is a time, a workload, and desired and ready replicas.
    """

    begin: str
    end: str
    sequence: int
    is_whole: bool
    phases: list[str]
    templates: list[Json]
    nodes: list[str]
    workloads: list[str]
    texts: list[str]
    pods: list[list[msgspec.Raw]]
    slices: list[list[float]]
    instants: list[list[msgspec.Raw]]
    node_states: list[list[float]]
    replicas: list[list[float]]


class Mark(ResponseBody, frozen=True):
    """All that happened of one kind at one moment."""

    at: str
    kind: str
    subject: str
    text: str
    severity: Literal["info", "warning", "bad"]
    count: int


class Marks(ResponseBody, frozen=True):
    """Marks in order. One of the same `at` and `kind` as an earlier one takes its place."""

    sequence: int
    marks: list[Mark]


class SchedulingDecision(ResponseBody, frozen=True):
    """One attempt of the scheduler: how many nodes it evaluated, and how many were feasible."""

    number: int
    at: str
    pod: str
    result: str
    node: str
    evaluated: int
    feasible: int
    message: str


class Decisions(ResponseBody, frozen=True):
    """Attempts in order; `begin` is the time of the oldest one that is remembered."""

    decisions: list[SchedulingDecision]
    begin: str | None
    total: int


class Origin(ResponseBody, frozen=True):
    """From which cluster a fork was made, and at which moment."""

    cluster: str
    at: str


class Cluster(ResponseBody, frozen=True):
    """A cluster of this server; its API lies below `path`."""

    name: str
    path: str
    title: str
    kind: str
    is_read_only: bool
    origin: Origin | None
    now: str
    nodes: int
    pods: int


class Clusters(ResponseBody, frozen=True):
    """All clusters, the first one first."""

    clusters: list[Cluster]


class NewFork(RequestBody, frozen=True):
    """A new cluster, as another one was at a moment; without `at`, as it is now.

    `configuration` is a KubeSchedulerConfiguration, as an object or as text; `settings` are those
    of controllers and autoscalers, as in `kubestage serve --setting`, by name.
    """

    from_: str = msgspec.field(name="from", default="")
    at: str | None = None
    name: str | None = None
    title: str | None = None
    configuration: Json | str | None = None
    seed: int | None = None
    settings: dict[str, str | int | float | bool] | None = None
