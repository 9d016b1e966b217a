"""WaitForRunningPods: until so many pods of a selection run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.measure.outcome import Outcome
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.waits import pod_status
from kubestage.measure.waits.counted import CountedWait
from kubestage.objects import durations

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json
    from kubestage.measure.informer import Tally


POD: Final = Resource("v1", "Pod")


class RunningPodsParams(Selecting, frozen=True, kw_only=True):
    """What WaitForRunningPods is told."""

    desired_pod_count: int
    timeout: Duration = Duration(60 * durations.SECOND)
    refresh_interval: Duration = Duration(5 * durations.SECOND)
    is_fatal: bool = False


class WaitForRunningPods(CountedWait[RunningPodsParams]):
    """Waits until the wanted number of pods runs and all others have ended.

    With ``isFatal`` a test that waits in vain is over.
    """

    params_type = RunningPodsParams

    def selection(self, params: RunningPodsParams) -> Selection:
        """The pods that are waited for."""
        return Selection(POD, params.namespace, params.label_selector, params.field_selector)

    def sort(self, params: RunningPodsParams, obj: Json) -> Hashable | None:
        """The state of a pod."""
        del params
        return pod_status.of(obj)

    def pace_ns(self, params: RunningPodsParams) -> tuple[int, int]:
        """As configured."""
        return params.refresh_interval, params.timeout

    def is_reached(self, params: RunningPodsParams, tally: Tally) -> bool:
        """Whether the right number runs, and no other pod is about to or on its way out."""
        running = tally.of(pod_status.RUNNING_AND_READY)
        inactive = tally.of(pod_status.INACTIVE)
        return running == params.desired_pod_count and tally.total == running + inactive

    def missed(self, params: RunningPodsParams, tally: Tally) -> Outcome:
        """The counts, and the pods that do not run."""
        desired, running = params.desired_pod_count, tally.of(pod_status.RUNNING_AND_READY)
        text = (
            f"got context deadline exceeded while waiting for {desired} pods to be running in "
            f"{params.selected} - summary of pods : "
            f"{pod_status.summary(tally.of, tally.total, desired, running)}"
        )
        bad = pod_status.describe(tally.informer.objects.values())
        if bad:
            text += f"- not running: {bad}"
        return Outcome(errors=(text,), is_fatal=params.is_fatal)
