"""One controller whose pods are waited for.

ClusterLoader2 polls the pods every five seconds from the start of the wait, and the wait ends at
such a poll. As nothing changes between two events, only those polls are made that follow a change
which may have been the last one missing: waiting for thousands of controllers costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.golang import durations
from kubestage.measure.waits import pod_status, pod_updates

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Moments, Timer
    from kubestage.measure.waits.eligible_nodes import EligibleNodes, NodeCounter
    from kubestage.measure.waits.owned_pods import Pods


PENDING: Final = ""
RUNNING: Final = "running"
DELETED: Final = "deleted"
TIMEOUT: Final = "timeout"
DELETE_TIMEOUT: Final = "delete timeout"

POLL_NS: Final = 5 * durations.SECOND


class DesiredPods(msgspec.Struct, frozen=True):
    """What the pods of a controller should be.

    `count` is None where it depends on the nodes, `template` the pods' spec if pods that are not
    made from it do not count. Without `timeout_ns` the wait has no end.
    """

    count: int | None
    is_deleted: bool
    template: Json | None
    count_error_margin: int
    timeout_ns: int


class ControlledObject:
    """The wait for one controller, from a change of its spec until its pods are as desired."""

    def __init__(
        self,
        key: str,
        desired_pods: DesiredPods,
        pods: Pods,
        moments: Moments,
        ended: Callable[[ControlledObject], None],
    ) -> None:
        self.key = key
        self.status = PENDING
        self.error = ""
        self.bad: list[Json] = []
        self.began_ns = moments.now_ns
        self.took_ns = 0
        self._desired_pods = desired_pods
        self._pods = pods
        self._moments = moments
        self._ended = ended
        self._is_over = False
        self._poll_timer: Timer | None = None
        self._end_timer: Timer | None = None
        self._nodes: EligibleNodes | None = None
        self._counter: NodeCounter | None = None

    def begin(self, nodes: EligibleNodes | None, spec: Json) -> None:
        """Start to wait; `nodes` and the spec of a pod determine how many pods a DaemonSet has."""
        timeout_ns = self._desired_pods.timeout_ns
        if timeout_ns:
            self._end_timer = self._moments.at(self.began_ns + timeout_ns, self._time_out)
        if self._desired_pods.count is None:
            assert nodes is not None
            self._nodes, self._counter = nodes, nodes.counter(spec, self._change)
        self._pods.listen(self._change)
        self._change()

    def stop(self) -> None:
        """Stop waiting, without a callback."""
        self._is_over = True
        for timer in (self._poll_timer, self._end_timer):
            if timer is not None:
                timer.cancel()
        self._poll_timer = self._end_timer = None
        self._pods.leave()
        if self._nodes is not None and self._counter is not None:
            self._nodes.leave(self._counter)
            self._nodes = None

    @property
    def desired(self) -> int:
        """How many pods there are to be."""
        if self._desired_pods.count is not None:
            return self._desired_pods.count
        return self._counter.count if self._counter is not None else 0

    def _change(self) -> None:
        if self._is_over or self._poll_timer is not None:
            return
        if self._is_right(self._running()):
            passed_ns = max(self._moments.now_ns - self.began_ns, 1)
            at_ns = self.began_ns + -(-passed_ns // POLL_NS) * POLL_NS
            self._poll_timer = self._moments.at(at_ns, self._poll)

    def _poll(self) -> None:
        self._poll_timer = None
        if self._is_right(self._running()) and self._is_right(self._updated()):
            self._end(DELETED if self._desired_pods.is_deleted else RUNNING)

    def _running(self) -> int:
        return self._pods.count(pod_status.RUNNING_AND_READY)

    def _updated(self) -> int:
        template = self._desired_pods.template
        if template is None:
            return self._running()
        running = self._pods.in_state(pod_status.RUNNING_AND_READY)
        return sum(pod_updates.is_updated(template, pod.get("spec") or {}) for pod in running)

    def _is_right(self, running: int) -> bool:
        """Whether this many running pods are the desired ones, and the others are no problem."""
        desired, margin = self.desired, self._desired_pods.count_error_margin
        if running < desired - margin:
            return False
        total, inactive = self._pods.total, self._pods.count(pod_status.INACTIVE)
        if running == desired and total == running + inactive:
            return True
        return margin > 0 and total - inactive <= desired and inactive <= margin

    def _time_out(self) -> None:
        self._end_timer = None
        pods, desired = self._pods, self.desired
        every = pods.all()
        self.bad = [
            pod for pod in every if pod_status.state_of(pod) != pod_status.RUNNING_AND_READY
        ]
        namespace, _, name = self.key.rpartition("/")
        summary = pod_status.summary(pods.count, pods.total, desired, self._updated())
        self.error = (
            f"{self.key}: got context deadline exceeded while waiting for {desired} pods to be "
            f"running in namespace({namespace}), controlledBy({name}) - summary of pods : {summary}"
        )
        described = pod_status.describe(self.bad)
        if described:
            self.error += f"- not running: {described}"
        self._end(DELETE_TIMEOUT if self._desired_pods.is_deleted else TIMEOUT)

    def _end(self, status: str) -> None:
        self.status = status
        self.took_ns = self._moments.now_ns - self.began_ns
        self.stop()
        self._ended(self)
