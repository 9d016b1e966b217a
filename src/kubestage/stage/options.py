"""The options of a stage's scheduler, as typed keyword arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.scheduler.extender import Transport
    from kubestage.scheduler.failure_handler import Unschedulable
    from kubestage.scheduler.pacing import SchedulerPacing
    from kubestage.scheduler.record import Recording
    from kubestage.scheduler.selection import TieBreak


class SchedulerOptions(TypedDict, total=False):
    """Options of `Stage.add_scheduler` and `Stage.configure_scheduler`."""

    plugins: Mapping[str, type[Any]] | None
    """Your own plugin classes, by name."""
    tie_break: TieBreak | str
    """Which of several best nodes is taken; ``heap`` is what kube-scheduler does."""
    unschedulable: Unschedulable | str
    """What becomes of a pod that fits nowhere: ``retry`` has it tried again, with ``leave`` it has
    failed for good (phase Failed, reason Unschedulable)."""
    measures: Sequence[Any]
    """Your own measures: functions of a moment, or classes (`kubestage.scheduler.framework`)."""
    recording: Recording | str
    """What is recorded of attempts: ``none``, ``decisions`` or ``full``."""
    transport: Transport | None
    """How HTTP extenders are called."""
    stopwatch: Callable[[], int] | None
    """Measures durations, in nanoseconds; by default the virtual clock, which stands still."""
    events: bool
    """Whether Events are written."""
    pacing: SchedulerPacing | None
    """How much virtual time the scheduler takes for its work."""
    model: SchedulerPacing | None
    """How long work would have taken; metrics show it, and no time passes."""
    keeps_timings: bool
    """Whether durations of a pacing are recorded by profile, extension point and plugin."""
