"""WaitForNodes: until so many nodes are ready for pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import node_readiness
from kubestage.cluster.access import Resource, Selection
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import MeasurementResult
from kubestage.measure.waits.counted import CountedWait, unchecked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from kubestage.aliases import Json
    from kubestage.measure.informer import ObjectCounts


NODE: Final = Resource("v1", "Node")
_READY: Final = "ready"
_NOT_READY: Final = "not ready"
_MANY: Final = 10


class NodesParams(Selecting, frozen=True, kw_only=True):
    """The parameters of WaitForNodes."""

    min_desired_node_count: int
    max_desired_node_count: int
    timeout: Duration = Duration(30 * durations.MINUTE)
    refresh_interval: Duration = Duration(30 * durations.SECOND)

    def problems(self) -> Iterator[InputError]:
        """Some number is within the bounds."""
        if self.max_desired_node_count < max(self.min_desired_node_count, 0):
            problem = (
                f"no number is from {self.min_desired_node_count} to {self.max_desired_node_count}"
            )
            yield InputError(problem, path="params.maxDesiredNodeCount", fix="raise it")

    def later_problems(self) -> Iterator[InputError]:
        """The first check is in time."""
        yield from unchecked(self.timeout, self.refresh_interval)


class WaitForNodes(CountedWait[NodesParams]):
    """Waits until the number of nodes that take pods is within bounds."""

    params_type = NodesParams

    def selection(self, params: NodesParams) -> Selection:
        """The nodes that are waited for; they have no namespace."""
        return Selection(NODE, "", params.label_selector, params.field_selector)

    def sort(self, params: NodesParams, obj: Json) -> Hashable | None:
        """Whether a node takes pods."""
        del params
        return _READY if node_readiness.is_schedulable_and_untainted(obj) else _NOT_READY

    def pace_ns(self, params: NodesParams) -> tuple[int, int]:
        """As configured."""
        return params.refresh_interval, params.timeout

    def is_reached(self, params: NodesParams, counts: ObjectCounts) -> bool:
        """Whether there are enough, and not too many."""
        ready = counts.number_of(_READY)
        return params.min_desired_node_count <= ready <= params.max_desired_node_count

    def missed(self, params: NodesParams, counts: ObjectCounts) -> MeasurementResult:
        """How many there are, and which ones are not ready."""
        low, high = params.min_desired_node_count, params.max_desired_node_count
        text = (
            f"timeout while waiting for [{low}-{high}] Nodes with selector '{params.selected}' "
            f"to be ready - currently there is {counts.number_of(_READY)} Nodes"
        )
        bad = counts.keys(_NOT_READY)
        if bad:
            more = f" and {len(bad) - _MANY} more" if len(bad) > _MANY else ""
            text += f"; not ready: {', '.join(bad[:_MANY])}{more}"
        return MeasurementResult(errors=(text,))
