"""The replicas that serve a stream of requests: pods of the stage, in the stocks of Skenario.

A replica is launching until its pod has been scheduled, started and become ready; then it is
active and gets requests. When its pod is terminating it gets no more, and ends those it has if
its pod runs long enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.sim.model import Model
from kubestage.sim.stock import ArrayStock, MapStock, SinkStock, wrong_kind
from kubestage.traffic.replica import CORES, KIND, Replica

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sim.entity import Entity
    from kubestage.sim.environment import Environment
    from kubestage.traffic.replica import State
    from kubestage.traffic.requests import Requests


LAUNCHING: Final = "ReplicasLaunching"
ACTIVE: Final = "ReplicasActive"
TERMINATING: Final = "ReplicasTerminating"
TERMINATED: Final = "ReplicasTerminated"


class _Source:
    """Where replicas come from: the pods of the store, which pass through here."""

    name = "ReplicaSource"
    kind_stocked = KIND
    count = 0

    def entities_in_stock(self) -> Sequence[Replica]:
        """Nothing: what comes out of here is not kept here."""
        return ()

    def remove(self, what: Entity | None = None) -> Replica | None:
        """The requested replica."""
        return what if isinstance(what, Replica) else None


class _Launching(MapStock[Replica]):
    """Replicas that are not ready; one that was active before finishes what it has."""

    def __init__(self, model: Replicas) -> None:
        super().__init__(LAUNCHING, KIND)
        self._model = model

    def add(self, entity: Replica) -> None:
        """Take a replica in."""
        super().add(entity)
        self._model.arrived(entity, LAUNCHING)


class _Active(ArrayStock[Replica]):
    """Replicas that get requests, in the order in which they became ready."""

    __slots__ = ("_model",)

    def __init__(self, model: Replicas) -> None:
        super().__init__(ACTIVE, KIND)
        self._model = model

    def add(self, entity: Replica) -> None:
        """Have a replica get requests."""
        super().add(entity)
        self._model.serve(entity)
        self._model.arrived(entity, ACTIVE)

    def remove(self, what: Entity | None = None) -> Replica | None:
        """Have a replica get no more requests."""
        replica = super().remove(what)
        if replica is not None:
            self._model.now().drain(replica.name)
        return replica


class _Terminating(MapStock[Replica]):
    """Replicas whose pods are going, and which end the requests they have."""

    def __init__(self, model: Replicas) -> None:
        super().__init__(TERMINATING, KIND)
        self._model = model

    def add(self, entity: Replica) -> None:
        """Take a replica in."""
        super().add(entity)
        self._model.arrived(entity, TERMINATING)


class _Terminated(SinkStock[Replica]):
    """The end of the road: what a replica had not finished is lost."""

    __slots__ = ("_model",)

    def __init__(self, model: Replicas) -> None:
        super().__init__(TERMINATED, KIND, keeps_entities=False)
        self._model = model

    def add(self, entity: Replica) -> None:
        """Let a replica go."""
        if entity.kind != KIND:
            raise wrong_kind(self, entity)
        super().add(entity)
        self._model.now().remove_replica(entity.name)
        self._model.arrived(entity, TERMINATED)


# What a movement is called that takes a replica from one stock to another.
_MOVEMENTS: Final = {
    ("", LAUNCHING): "begin_launch",
    (LAUNCHING, ACTIVE): "finish_launching",
    (LAUNCHING, TERMINATED): "terminate_launch",
    (ACTIVE, LAUNCHING): "become_unready",
    (ACTIVE, TERMINATING): "terminate_active",
    (TERMINATING, ACTIVE): "return_to_active",
    (TERMINATING, TERMINATED): "finish_terminating",
}
# Where the way to a stock leads through another, the next one on it.
_VIA: Final = {
    ("", ACTIVE): LAUNCHING,
    ("", TERMINATING): "",
    ("", TERMINATED): "",
    (LAUNCHING, TERMINATING): TERMINATED,
    (ACTIVE, TERMINATED): TERMINATING,
    (TERMINATING, LAUNCHING): TERMINATING,
}


class Replicas(Model):
    """The replicas of one stream, and their movements between stocks.

    Movements come one nanosecond after what they follow from, so that whatever else happens at a
    whole second, such as the arrival of a request, comes first.
    """

    def __init__(self, environment: Environment, name: str, requests: Requests) -> None:
        super().__init__(environment, name)
        self.requests = requests
        self.by_pod: dict[str, Replica] = {}
        self._source = _Source()
        self.launching = self.own(_Launching(self))
        self.active = self.own(_Active(self))
        self.terminating = self.own(_Terminating(self))
        self.terminated = self.own(_Terminated(self))
        self._stocks: dict[str, Any] = {"": self._source, **self.stocks}
        self._changing: list[tuple[int, Replica]] = []
        self._timer = environment.timer(f"{name}-changing", self._change)

    def place(self, uid: str, pod: str, stock: str, state: State, *, why: str = "") -> None:
        """A pod belongs in a stock, by what is known of it, and is in this state.

        If its container was started again, what was in flight is lost. A replica that has
        terminated does not come back; should its pod, against all rules, there is a new one. `why`
        is the reason for which the cluster ends it.
        """
        replica = self.by_pod.get(uid)
        if replica is None or replica.where == TERMINATED:
            if stock in (TERMINATING, TERMINATED):
                return
            replica = self.by_pod[uid] = Replica(pod.partition("/")[2], pod)
            replica.stated = state._replace(capacity=state.capacity or CORES)
            replica.adopt()
        stated = state._replace(capacity=state.capacity or replica.stated.capacity)
        if stated != replica.stated:
            replica.stated = stated
            due_ns = self.environment.clock.now_ns + 1
            self._changing.append((due_ns, replica))
            if not self._timer.is_set:
                self._timer.set(due_ns)
        replica.desired, replica.why = stock, why
        self._send(replica)

    def release(self, uid: str) -> None:
        """A pod is gone."""
        replica = self.by_pod.pop(uid, None)
        if replica is not None:
            replica.desired = TERMINATED
            self._send(replica)

    def now(self) -> Requests:
        """The requests, with all that was due by now done."""
        self.requests.advance(self.environment.clock.now_ns)
        return self.requests

    def serve(self, replica: Replica) -> None:
        """Have a replica get requests from now on."""
        if replica.since_ns is None:
            replica.since_ns = self.environment.clock.now_ns
        requests = self.now()
        requests.add_replica(replica.name, replica.capacity)
        requests.set_silent(replica.name, replica.is_silent)

    def _change(self) -> None:
        """What was reported of replicas a moment ago takes effect now."""
        now_ns = self.environment.clock.now_ns
        due = [replica for due_ns, replica in self._changing if due_ns <= now_ns]
        self._changing = [each for each in self._changing if each[0] > now_ns]
        if self._changing:
            self._timer.set(self._changing[0][0])
        for replica in due:
            if replica.where == TERMINATED:
                continue
            before = replica.adopt()
            if replica.starts != before.starts:
                replica.since_ns = None
                self.now().remove_replica(replica.name)
                if replica.where == ACTIVE:
                    self.serve(replica)
                continue
            if replica.capacity != before.capacity:
                self.now().set_capacity(replica.name, replica.capacity)
            if replica.is_silent != before.is_silent:
                self.now().set_silent(replica.name, replica.is_silent)

    def arrived(self, replica: Replica, stock: str) -> None:
        """A replica is in a stock; it goes on if it belongs elsewhere by now."""
        replica.where = stock
        replica.movement = None
        if stock != TERMINATED:
            self._send(replica)

    def _send(self, replica: Replica) -> None:
        """Have a replica moved to where it belongs, or a step closer."""
        where, desired, environment = replica.where, replica.desired, self.environment
        step = _VIA.get((where, desired), desired)
        pending = replica.movement
        if pending is not None:
            if pending.to_stock is self._stocks[step]:
                return
            environment.cancel(pending)
            replica.movement = None
        if step == where:
            return
        at_ns = environment.clock.now_ns + 1
        replica.movement = environment.schedule(
            _MOVEMENTS[where, step],
            at_ns,
            self._stocks[where],
            self._stocks[step],
            replica,
            notes=replica.why if step in (TERMINATING, TERMINATED) else "",
        )
