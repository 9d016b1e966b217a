"""From the chosen node to the bound pod: assume, reserve, permit, bind, or all the way back."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.scheduler import extender
from kubestage.scheduler.event_handlers import placed
from kubestage.scheduler.extender import ExtenderError
from kubestage.scheduler.failure_handler import Failure, misfit
from kubestage.scheduler.queue import occasions
from kubestage.scheduler.status import SKIP, SUCCESS, Code, Status, error
from kubestage.store.event_recorder import NORMAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.client import StoreClient
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.extender import Extender
    from kubestage.scheduler.queue import QueuedPod, SchedulingQueue
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.timing import Timekeeper
    from kubestage.scheduler.waiting_pods import WaitingPod, WaitingPods

MAX_WAIT_NS: Final = 15 * 60 * 1_000_000_000
"""No plugin may keep a pod waiting for longer."""

POLL_NS: Final = 1_000_000_000
"""How often a plugin is called again while a pod waits for what it needs before it is bound."""


@dataclasses.dataclass(slots=True)
class Placement:
    """A pod on its way to the chosen node; `pod` is the pod as if it were there already.

    `again_ns` is set while a plugin has it wait for something before it is bound.
    """

    number: int
    queued: QueuedPod
    attempt: AnyAttempt
    pod: PodView
    node_name: str
    started_ns: int
    again_ns: int | None = None


class BindingCycle:
    """Carries placements out; what fails is handed back as a Failure with everything undone."""

    def __init__(
        self,
        cache: Cache,
        queue: SchedulingQueue,
        client: StoreClient,
        waiting: WaitingPods,
        extenders: Sequence[Extender],
        time: Timekeeper,
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._client = client
        self._waiting = waiting
        self._extenders = extenders
        self._time = time
        self.writes_events = client.writes_events

    def assume(
        self, number: int, queued: QueuedPod, attempt: AnyAttempt, started_ns: int
    ) -> Placement:
        """Count the pod in on its node before it is there, so that others can be tried."""
        node_name = attempt.node_name
        assert node_name is not None
        pod = msgspec.structs.replace(queued.pod, node_name=node_name)
        self._cache.assume_pod(pod)
        self._queue.nominations.remove(pod.uid)
        return Placement(number, queued, attempt, pod, node_name, started_ns)

    def reserve(self, placement: Placement) -> Failure | None:
        """Let plugins reserve what the pod needs, then run the Permit plugins.

        Afterwards the pod may be waiting.
        """
        status = self._run("Reserve", "reserve", placement.attempt.profile.reserve, placement)
        if status is SUCCESS:
            status = self._permit(placement)
        if status is SUCCESS:
            return None
        self._undo(placement)
        return misfit(status) if status.is_rejected else Failure(status.message)

    def bind(self, placement: Placement) -> Failure | None:
        """Bind a pod that need not wait; a plugin may make it wait again (`again_ns`)."""
        waiting = self._waiting.get(placement.pod.uid)
        if waiting is not None:
            self._waiting.remove(placement.pod.uid)
            status = self._waited(waiting)
            if not status.is_success:
                failure = misfit(status) if status.is_rejected else Failure(status.message)
                return self._fail(placement, failure)
        # From here on no event can make a difference.
        self._queue.done(placement.pod.uid)
        placement.again_ns = None
        status = self._run("PreBind", "pre_bind", placement.attempt.profile.pre_bind, placement)
        if status.code is Code.WAIT:
            placement.again_ns = self._time.clock.now_ns + POLL_NS
            return None
        if status is SUCCESS:
            status = self._bind(placement)
        if not status.is_success:
            return self._fail(placement, Failure(status.message, status.is_rejected))
        return None

    def finish(self, placement: Placement) -> None:
        """Announce that the pod is bound."""
        pod, profile, node_name = placement.pod, placement.attempt.profile, placement.node_name
        self.announce(pod, pod.key, node_name, profile.name)
        self._time.bound(placement.queued)
        for plugin in profile.post_bind:
            plugin.post_bind(placement.attempt.state, pod, node_name)
        self._time.ran("PostBind", SUCCESS, profile.name)

    def announce(self, pod: PodView, key: str, node_name: str, profile: str) -> None:
        """Write the Event with the node that a pod was bound to."""
        note = f"Successfully assigned {key} to {node_name}"
        self._client.event(pod.raw, NORMAL, "Scheduled", "Binding", note, profile)

    def release(self, placement: Placement, failure: Failure, fail: Callable[[], None]) -> None:
        """A pod that was as good as bound makes room again; `fail` puts it back.

        One that was rejected goes back first: the room that it leaves is no reason to retry it.
        """
        freed, uid = placed(placement.pod), placement.pod.uid
        if failure.is_rejected:
            fail()
            self._queue.move_all(
                occasions.ASSIGNED_POD_DELETE, freed, None, lambda pod: pod.uid != uid
            )
        else:
            self._queue.move_all(occasions.ASSIGNED_POD_DELETE, freed, None)
            fail()

    def _permit(self, placement: Placement) -> Status:
        timeouts_ns: dict[str, int] = {}
        found = SUCCESS
        for plugin in placement.attempt.profile.permit:
            status, timeout_ns = plugin.permit(
                placement.attempt.state, placement.pod, placement.node_name
            )
            if status.code is Code.WAIT:
                timeouts_ns[plugin.name] = min(timeout_ns, MAX_WAIT_NS)
            elif not status.is_success:
                found = _objection("Permit", plugin.name, status)
                break
        observed = found
        if found.is_success and timeouts_ns:
            pod, node_name = placement.pod, placement.node_name
            self._waiting.add(pod, node_name, timeouts_ns, self._time.clock.now_ns)
            observed = Status(Code.WAIT)
        self._time.ran("Permit", observed, placement.attempt.profile.name)
        return found

    def _waited(self, waiting: WaitingPod) -> Status:
        """How a pod's waiting ended."""
        status = waiting.decision
        assert status is not None, "only pods whose fate is decided are bound"
        waited_ns = self._time.clock.now_ns - waiting.since_ns
        self._time.metrics.permitted(status.code.value, waited_ns)
        if status.is_success or status.is_rejected:
            return status
        return error(f"waiting on permit for pod: {status.message}")

    def _bind(self, placement: Placement) -> Status:
        pod, node_name = placement.pod, placement.node_name
        if self._extenders:
            try:
                if extender.bind(self._extenders, pod, node_name):
                    return SUCCESS
            except ExtenderError as problem:
                return error(str(problem))
        profile, state = placement.attempt.profile, placement.attempt.state
        status = self.bind_by_plugin(profile, state, pod, node_name)
        self._time.ran("Bind", status, profile.name)
        return status

    def bind_by_plugin(
        self, profile: Profile, state: CycleState, pod: PodView, node_name: str
    ) -> Status:
        """Have the first plugin bind a pod that does not leave it to the next."""
        status = SKIP
        for plugin in profile.bind:
            status = plugin.bind(state, pod, node_name)
            if status is SUCCESS:
                break
            if not status.is_skip:
                return SUCCESS if status.is_success else _objection("Bind", plugin.name, status)
        return status

    def refused(self, placement: Placement, status: Status) -> Failure:
        """A pod of the fast lane could not be bound."""
        self._time.ran("Bind", status, placement.attempt.profile.name)
        return self._fail(placement, Failure(status.message, status.is_rejected))

    def _run(self, point: str, method: str, plugins: Iterable[Any], placement: Placement) -> Status:
        """Call plugins in turn until one objects."""
        state, pod, node_name = placement.attempt.state, placement.pod, placement.node_name
        found = SUCCESS
        for plugin in plugins:
            status: Status = getattr(plugin, method)(state, pod, node_name)
            if status is not SUCCESS and not status.is_success:
                found = _objection(point, plugin.name, status)
                break
        self._time.ran(point, found, placement.attempt.profile.name)
        return found

    def _fail(self, placement: Placement, failure: Failure) -> Failure:
        self._undo(placement)
        return failure

    def _undo(self, placement: Placement) -> None:
        """Give back what was claimed, in reverse order, and forget that the pod was there."""
        state, pod, node_name = placement.attempt.state, placement.pod, placement.node_name
        for plugin in reversed(placement.attempt.profile.reserve):
            plugin.unreserve(state, pod, node_name)
        self._time.ran("Unreserve", SUCCESS, placement.attempt.profile.name)
        self._cache.forget_pod(pod.uid)


def _objection(point: str, plugin: str, status: Status) -> Status:
    """A plugin's objection: a refusal stays one, as does a delay; else it is an error."""
    if status.is_rejected:
        return status.by(plugin)
    if status.code is Code.WAIT:
        return status
    return error(f'running {point} plugin "{plugin}": {status.message}')
