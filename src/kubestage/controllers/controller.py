"""The contract of a control loop, and what a loop is given to work with."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.controllers.lister import Lister
from kubestage.controllers.node_decisions import NodeDecisions
from kubestage.controllers.work_queue import WorkQueue
from kubestage.errors import KubestageError
from kubestage.store.event_recorder import EventRecorder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.controllers.budget import Budget
    from kubestage.controllers.hpa.framework import Autoscaler
    from kubestage.controllers.node_autoscaler.what_if import WhatIf
    from kubestage.controllers.settings import Settings
    from kubestage.metrics.scraper import Metrics
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams
    from kubestage.store.log import Change
    from kubestage.store.store import Store

    Handler = Callable[[Change], None]
    Handlers = Mapping[tuple[str, str], Handler]
    Ready = Callable[["Controller", str], None]
    Replace = Callable[["Controller", "Controller"], None]
    Loop = Callable[["Cluster"], "Controller"]
    """A Controller class, or what else makes a loop for a cluster."""


ANY: Final = ("*", "*")
"""Stands for every kind in what a loop is notified of."""

CHANGES: Final = ("*", "changes")
"""Stands for every kind as well, but not for what exists at the start."""


class Cluster(msgspec.Struct, frozen=True):
    """What every loop works with.

    `ready` puts a key of a loop in line, `replace` puts a loop in the place of another, and
    `start_unix_ns` is when the loops began. `metrics` is what the metrics APIs serve. `what_if`
    makes a copy of the cluster on which pods can be tried, if there is a scheduler to try them.
    `autoscalers` are those that the user provides, by the key of the HPA that they decide for.
    `decisions` takes what is decided about nodes, and why.
    """

    store: Store
    environment: Environment
    streams: Streams
    settings: Settings
    ready: Ready
    replace: Replace
    start_unix_ns: int
    metrics: Metrics
    what_if: WhatIf | None = None
    autoscalers: Mapping[str, type[Autoscaler]] = {}
    decisions: NodeDecisions = msgspec.field(default_factory=NodeDecisions)


class Retry(KubestageError):
    """A loop cannot finish a key now, for this reason; it is tried again later."""


class Controller(abc.ABC):
    """One loop: it is notified of changes, queues keys, and syncs each with its desired state.

    `name` is who its Events are from. A refusal by the store that `sync` lets through is a
    failure, as is `Retry`: the key is tried again later, `max_retries` times at most if set.
    """

    name: str
    max_retries: ClassVar[int | None] = None
    ignores_rewordings: ClassVar[bool] = False
    """Whether a pod that waits and gets another message in a condition, and no more, is nothing to
    the loop; then it is not notified of that."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.store = cluster.store
        self.clock = cluster.environment.clock
        self.settings = cluster.settings
        self.lister = Lister(cluster.store)
        self.events = EventRecorder(cluster.store, self.name)
        self.queue = WorkQueue(self.name, cluster.environment, self._put_in_line)
        self.budget: Budget | None = None

    @abc.abstractmethod
    def handlers(self) -> Handlers:
        """What to call for a change of which ``(group, kind)``, or of ANY, or for all CHANGES.

        What exists when the loop starts is delivered as additions. Every change of every pod is
        delivered, so a handler returns quickly if it is not concerned, and queues keys if it is.
        """

    def start(self) -> None:  # noqa: B027 - few loops have anything to do here
        """Start, once everything that exists has been delivered."""

    @abc.abstractmethod
    def sync(self, key: str) -> None:
        """Bring one key to its desired state, as far as that is possible now."""

    def allowance(self, requested: int) -> int:
        """How many of the pods that a sync has to create or delete its client allows.

        If that is less, the key is synced again as soon as the client allows more.
        """
        return requested if self.budget is None else self.budget.grant(requested)

    @property
    def is_held_up(self) -> bool:
        """Whether the present sync was allowed less than it requested."""
        return self.budget is not None and self.budget.is_short

    def _put_in_line(self, key: str) -> None:
        self.cluster.ready(self, key)
