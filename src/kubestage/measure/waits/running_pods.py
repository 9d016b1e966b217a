"""WaitForRunningPods: until so many pods of a selection run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.golang import durations
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import MeasurementResult
from kubestage.measure.waits import pod_status
from kubestage.measure.waits.counted import CountedWait, unchecked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from kubestage.aliases import Json
    from kubestage.errors import InputError
    from kubestage.measure.informer import ObjectCounts


POD: Final = Resource("v1", "Pod")


class RunningPodsParams(Selecting, frozen=True, kw_only=True):
    """The parameters of WaitForRunningPods."""

    desired_pod_count: int
    timeout: Duration = Duration(60 * durations.SECOND)
    refresh_interval: Duration = Duration(5 * durations.SECOND)
    is_fatal: bool = False

    def later_problems(self) -> Iterator[InputError]:
        """The first check is in time."""
        yield from unchecked(self.timeout, self.refresh_interval)


class WaitForRunningPods(CountedWait[RunningPodsParams]):
    """Waits until the desired number of pods runs and all others have ended.

    With ``isFatal`` a timeout ends the test.
    """

    params_type = RunningPodsParams

    def selection(self, params: RunningPodsParams) -> Selection:
        """The pods that are waited for."""
        return Selection(POD, params.namespace, params.label_selector, params.field_selector)

    def sort(self, params: RunningPodsParams, obj: Json) -> Hashable | None:
        """The state of a pod."""
        del params
        return pod_status.state_of(obj)

    def pace_ns(self, params: RunningPodsParams) -> tuple[int, int]:
        """As configured."""
        return params.refresh_interval, params.timeout

    def is_reached(self, params: RunningPodsParams, counts: ObjectCounts) -> bool:
        """Whether the right number runs, and no other pod is pending or terminating."""
        running = counts.number_of(pod_status.RUNNING_AND_READY)
        inactive = counts.number_of(pod_status.INACTIVE)
        return running == params.desired_pod_count and counts.total == running + inactive

    def missed(self, params: RunningPodsParams, counts: ObjectCounts) -> MeasurementResult:
        """The counts, and the pods that do not run."""
        desired, running = params.desired_pod_count, counts.number_of(pod_status.RUNNING_AND_READY)
        text = (
            f"got context deadline exceeded while waiting for {desired} pods to be running in "
            f"{params.selected} - summary of pods : "
            f"{pod_status.summary(counts.number_of, counts.total, desired, running)}"
        )
        bad = pod_status.describe(counts.informer.objects.values())
        if bad:
            text += f"- not running: {bad}"
        return MeasurementResult(errors=(text,), is_fatal=params.is_fatal)
