"""The contract of a control loop, and what a loop is given to work with."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.controllers.event_recorder import EventRecorder
from kubestage.controllers.lister import Lister
from kubestage.controllers.work_queue import WorkQueue
from kubestage.errors import KubestageError

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


ANY: Final = ("*", "*")
"""Stands for every kind in what a loop hears of."""

CHANGES: Final = ("*", "changes")
"""Stands for every kind as well, but what is there at the start is not told."""


class Cluster(msgspec.Struct, frozen=True):
    """What every loop works with.

    `ready` puts a key of a loop in line, `replace` puts a loop in the place of another, and
    `start_unix_ns` is when the loops began. `metrics` is what the metrics APIs serve. `what_if`
    makes a copy of the cluster on which pods can be tried, if there is a scheduler to try them.
    `autoscalers` are those that somebody brings, by the key of the HPA that they decide for.
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


class Retry(KubestageError):
    """A loop cannot finish a key now, and says why; it is tried again later."""


class Controller(abc.ABC):
    """One loop: it hears of changes, queues keys, and makes the world match what a key asks for.

    `name` is who its Events are from. A refusal by the store that `sync` lets through is a
    failure, as is `Retry`: the key is tried again later, `max_retries` times at most if set.
    """

    name: ClassVar[str]
    max_retries: ClassVar[int | None] = None

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
        """Whom to call for a change of which ``(group, kind)``, or of ANY, or for all CHANGES.

        What is there when the loop starts is told as additions. Every pod's every change is told,
        so a handler leaves quickly if it is not concerned, and queues keys if it is.
        """

    def start(self) -> None:  # noqa: B027 - few loops have anything to do here
        """Begin, once everything that is there has been told."""

    @abc.abstractmethod
    def sync(self, key: str) -> None:
        """Look at one key."""

    def allowance(self, wanted: int) -> int:
        """How many of the pods that a look is to make or delete its client lets it.

        If that is less, the key is looked at again as soon as the client lets more through.
        """
        return wanted if self.budget is None else self.budget.grant(wanted)

    @property
    def is_held_up(self) -> bool:
        """Whether the look under way was allowed less than it wanted."""
        return self.budget is not None and self.budget.is_short

    def _put_in_line(self, key: str) -> None:
        self.cluster.ready(self, key)
