"""What a measure is: a number about the cluster, computed at each decision or step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.record import Decision

DECISION: Final = "decision"
STEP: Final = "step"
SHARE: Final = "share"
"""The unit of a value between 0 and 1 that is shown in percent."""

DECLARED: Final = "measure_definition"
"""The attribute of a function or class that `measure` sets."""

Occasion = Literal["decision", "step"]
Better = Literal["more", "less"]
_Measured = TypeVar("_Measured")


class MeasureDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """The name of a measure, when it is computed, and how its values are read."""

    name: str
    at: Occasion = DECISION
    """After each attempt that binds a pod or fails (`decision`), or at the end of each step."""
    better: Better | None = None
    """Whether more or less is better, if either is."""
    unit: str | None = None
    """``share`` for values from 0 to 1, which are shown in percent; else any word."""


class Moment(NamedTuple):
    """The cluster when a measure is computed.

    The columns count the pod that was bound. `waiting` is how many pods the queue has, without the
    pod of the decision. At the end of a step there is neither decision nor pod.
    """

    columns: Columns
    at_ns: int
    """Virtual nanoseconds since the start."""
    waiting: int
    decision: Decision | None = None
    pod: PodView | None = None


class MeasureClass(Protocol):
    """A measure with a state of its own; it is made as a plugin is, and may have its hooks.

    Its name is that of the class, or the attribute `name`.
    """

    def __init__(self, args: Any, handle: Any) -> None: ...

    def measure(self, moment: Moment) -> float:
        """The value at this moment."""
        ...


def measure(
    name: str,
    *,
    at: Occasion = DECISION,
    better: Better | None = None,
    unit: str | None = None,
) -> Callable[[_Measured], _Measured]:
    """Declare the function or class that it decorates as a measure::

        @measure("emptyNodes", at="step", better="more")
        def empty_nodes(moment):
            return int((moment.columns.pod_count == 0).sum())

    Values land in the record of a run; the last one, the mean and the greatest are measures of
    the run: ``emptyNodes``, ``emptyNodes.mean``, ``emptyNodes.max``.
    """
    declared = MeasureDefinition(name=name, at=at, better=better, unit=unit)

    def decorate(measured: _Measured) -> _Measured:
        setattr(measured, DECLARED, declared)
        return measured

    return decorate
