"""What a plugin may use besides the pod and the columns of a call."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kubestage.scheduler.own_columns import ColumnDefinition
from kubestage.scheduler.waiting_pods import WaitingPods

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.extender import Extender
    from kubestage.scheduler.nominator import Nominator
    from kubestage.scheduler.runtime import Profile
    from kubestage.sim.clock import Clock


class Lister(Protocol):
    """The cluster's other objects, as the store has them now (JSON dicts, not to be changed)."""

    def get(
        self, api_version: str, kind: str, name: str, namespace: str = ""
    ) -> dict[str, Any] | None:
        """One object, or None."""
        ...

    def list(
        self, api_version: str, kind: str, namespace: str | None = None
    ) -> Iterable[dict[str, Any]]:
        """All objects of a kind, of one namespace or of all."""
        ...


class Client(Protocol):
    """How the scheduler changes the cluster; each call takes effect at once."""

    def bind(self, pod: PodView, node_name: str) -> None:
        """Assign a pod to a node."""
        ...

    def delete_pod(self, pod: PodView) -> None:
        """Delete a preempted pod."""
        ...

    def patch_status(self, pod: PodView, status: dict[str, Any]) -> None:
        """Merge into a pod's status."""
        ...

    def update(self, obj: dict[str, Any], subresource: str = "") -> dict[str, Any]:
        """Replace an object and return it as stored."""
        ...

    def create(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Add an object, naming it by its generateName, and return it as stored."""
        ...

    def delete(self, obj: dict[str, Any]) -> None:
        """Remove an object."""
        ...

    def event(
        self, regarding: dict[str, Any], kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Record an Event, such as Normal Scheduled or Warning FailedScheduling."""
        ...


@dataclasses.dataclass(slots=True)
class ClusterContext:
    """What other controllers do; shared by the plugins of all profiles, and it may change."""

    binds_volumes: bool = False


@dataclasses.dataclass(slots=True)
class Handle:
    """Passed to every plugin's constructor; `profile` is set once all plugins exist.

    `waiting` are the pods that wait for a permit, to be allowed or rejected by the plugins that
    have them wait. `activate`, where there is a queue, has pods tried again as soon as possible.
    Without a `clock` nothing has a timestamp and nothing times out.
    """

    lister: Lister
    client: Client
    nominator: Nominator
    stream: random.Random
    cache: Cache
    extenders: Sequence[Extender] = ()
    profile: Profile | None = None
    deterministic_preemption: bool = False
    waiting: WaitingPods = dataclasses.field(default_factory=WaitingPods)
    activate: Callable[[Iterable[PodView]], None] | None = None
    clock: Clock | None = None
    context: ClusterContext = dataclasses.field(default_factory=ClusterContext)

    @property
    def columns(self) -> Columns:
        """The columns over all nodes, up to date."""
        return self.cache.columns

    def add_column(self, name: str, *, dtype: Any = int, width: int = 0, fill: Any = 0) -> None:
        """Have a column of your own: a value for each node, or `width` of them.

        `columns.extended(name)` is the array. A node keeps its values as others come and go; one
        that comes has `fill`.
        """
        self.cache.own.add_column(name, ColumnDefinition(np.dtype(dtype), width, fill))

    def now_ns(self) -> int | None:
        """Unix time on the virtual clock, if there is one."""
        return None if self.clock is None else self.clock.unix_ns
