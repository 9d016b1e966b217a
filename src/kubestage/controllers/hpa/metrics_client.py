"""The queries of the autoscaler to the metrics APIs, and a client of the stage's board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from kubestage.controllers.disruption import budget_status
from kubestage.metrics.board import MetricsError
from kubestage.objects import labels
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.metrics.board import Board
    from kubestage.metrics.samples import ContainerSample
    from kubestage.objects.kinds import KindTable
    from kubestage.objects.labels import Selector


_MILLI: Final = 1000


class PodMetric(NamedTuple):
    """A value of a pod, in thousandths, over the window that ends at a moment of the calendar."""

    unix_ns: int
    window_ns: int
    value_milli: int


class MetricsClient(Protocol):
    """Answers for the pods of one autoscaler; `MetricsError` has the message of the API.

    A pod of which nothing is known is left out. Metric selectors have been read: one that an
    autoscaler does not state selects everything.
    """

    def resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        """What pods use of ``cpu`` or ``memory``: a container of theirs, or all if unnamed."""
        ...

    def raw(self, metric: str, selector: Selector) -> dict[str, PodMetric]:
        """A custom metric of pods."""
        ...

    def of_object(self, metric: str, reference: Json, selector: Selector) -> int:
        """A custom metric of one object, in thousandths."""
        ...

    def external(self, metric: str, selector: Selector) -> list[int]:
        """The values of an external metric, in thousandths."""
        ...


class BoardClient:
    """Reads the board for some pods of a namespace."""

    def __init__(
        self, board: Board, kinds: KindTable, namespace: str, pods: Iterable[Json]
    ) -> None:
        self._board = board
        self._kinds = kinds
        self._namespace = namespace
        self._pods = pods

    def resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        """PodMetrics of the pods; a sample without the container is left out."""
        samples = self._board.pods(self._namespace)
        found: dict[str, PodMetric] = {}
        is_empty = True
        for pod in self._pods:
            name = pod["metadata"]["name"]
            sample = samples.get(name)
            if sample is None:
                continue
            is_empty = False
            containers = sample.containers
            if container:
                expected = [containers[container]] if container in containers else []
            else:
                expected = list(containers.values())
            value = _usage(expected, resource)
            if value is not None:
                found[name] = PodMetric(sample.unix_ns, sample.window_ns, value)
        if is_empty:
            raise MetricsError("no metrics returned from resource metrics API")
        return found

    def raw(self, metric: str, selector: Selector) -> dict[str, PodMetric]:
        """Values on the board have no labels of their own, which a metric selector may ask for."""
        values = self._board.values(self._namespace, "pods", metric)
        if not values or not selector.matches({}):
            raise _unknown(metric, "pods")
        found: dict[str, PodMetric] = {}
        for pod in self._pods:
            sample = values.get(pod["metadata"]["name"])
            if sample is not None:
                found[sample.name] = PodMetric(sample.unix_ns, sample.window_ns, sample.value_milli)
        if not found:
            raise MetricsError("no metrics returned from custom metrics API")
        return found

    def of_object(self, metric: str, reference: Json, selector: Selector) -> int:
        """The board knows objects by their resource and group."""
        name = reference["name"]
        group, _, _ = reference.get("apiVersion", "").rpartition("/")
        if reference["kind"] == "Namespace" and not group:
            # An autoscaler reads its own namespace only, whatever the reference states.
            name = self._namespace
        resource = self._resource(group, reference["kind"])
        sample = self._board.values(self._namespace, resource, metric).get(name)
        if sample is None or not selector.matches({}):
            raise _unknown(metric, f"{resource} {name}")
        return sample.value_milli

    def external(self, metric: str, selector: Selector) -> list[int]:
        """All values whose labels match."""
        found = [
            each.value_milli for each in self._board.external(self._namespace, metric, selector)
        ]
        if not found:
            raise MetricsError("no metrics returned from external metrics API")
        return found

    def _resource(self, group: str, kind: str) -> str:
        for row in self._kinds:
            if (row.group, row.kind) == (group, kind):
                return row.resource
        where = f'"{kind}" in group "{group}"'
        raise MetricsError(
            f"unable to fetch metrics from custom metrics API: no matches for kind {where}"
        )


def selector_of(written: Json | None) -> Selector:
    """The metric selector that an autoscaler states; without one nothing is filtered."""
    return labels.EVERYTHING if written is None else labels.from_label_selector(written)


def selector_text(written: Json | None) -> str:
    """The metric selector as messages show it."""
    return budget_status.selector_text(written)


def _usage(containers: Sequence[ContainerSample], resource: str) -> int | None:
    """The sum in thousandths, each container rounded up; None if there is nothing to add up."""
    if not containers:
        return None
    if resource == "cpu":
        return sum(-(-each.cpu_nanos // MILLISECOND_NS) for each in containers)
    if resource == "memory":
        return sum(each.memory_bytes for each in containers) * _MILLI
    return None


def _unknown(metric: str, what: str) -> MetricsError:
    return MetricsError(
        "unable to fetch metrics from custom metrics API: "
        f"the server could not find the metric {metric} for {what}"
    )
