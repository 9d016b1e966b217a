"""ResourceUsageSummary: what the containers of the system use of CPU and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Call, Resource
from kubestage.measure import percentiles, perf_data
from kubestage.measure.components import constraints, control_plane
from kubestage.measure.components.usage_probes import NodeProbe
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import (
    NOT_STARTED,
    NOTHING,
    MeasurementResult,
    PendingResult,
    Series,
    Summary,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer
    from kubestage.measure.components.constraints import Constraint
    from kubestage.measure.components.usage_probes import Usage
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "ResourceUsageSummary"
MOST_NODES: Final = 1000
"""In a larger cluster only the control plane and nodes with other pods than daemons are polled."""

_PODS: Final = Resource("v1", "Pod")
_PERIOD_NS: Final = 60_000_000_000
_MASTER_PERIOD_NS: Final = 10_000_000_000
_PATIENCE_NS: Final = 120_000_000_000
_POLL_NS: Final = 100_000_000
_PERCENTS: Final = (100, 50, 90, 99)
_CHECKED_PERCENTILE: Final = 99
_CHARTED: Final = 12


class UsageParams(Params, frozen=True, kw_only=True):
    """`namespace` is where the pods of the system are, `resource_constraints` a file of limits."""

    namespace: str = control_plane.NAMESPACE
    resource_constraints: str = ""
    host: str = ""

    def files(self) -> Iterator[tuple[str, str]]:
        """The limits."""
        yield "resourceConstraints", self.resource_constraints


class ResourceUsageSummary(Measurement[UsageParams]):
    """Polls kubelets: those of the control plane every ten seconds, others every minute."""

    params_type = UsageParams
    needs_start = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._probes: list[NodeProbe] | None = None
        self._constraints: dict[str, Constraint] = {}

    def start(self, params: UsageParams) -> Result:
        """Find the nodes, and start."""
        facilities = self.context.facilities
        self._constraints = constraints.read(
            params.resource_constraints, facilities.nodes, facilities.objects
        )
        self.dispose()
        return _Beginning(self, params).pending

    def begin(self, pods: list[Json], nodes: list[Json]) -> None:
        """Poll the nodes, each a little later than the one before."""
        masters = set(control_plane.masters(nodes, is_stage=self.cluster.is_stage))
        count = max(len(nodes), self.context.facilities.nodes)
        names, containers = _chosen(pods, nodes, masters, are_all=count <= MOST_NODES)
        gap_ns = _PERIOD_NS // max(len(names), 1)
        self._probes = [
            NodeProbe(
                self.cluster,
                name,
                containers,
                _MASTER_PERIOD_NS if name in masters else _PERIOD_NS,
                index * gap_ns,
            )
            for index, name in enumerate(names)
        ]

    def gather(self, params: UsageParams) -> Result:
        """Stop, wait for the last answers, and report what was used."""
        del params
        if self._probes is None:
            return NOT_STARTED
        self.dispose()
        return self.wait(
            self._are_finished, self._summarize, every_ns=_POLL_NS, timeout_ns=_PATIENCE_NS
        )

    def dispose(self) -> None:
        """Stop requesting."""
        for probe in self._probes or ():
            probe.stop()

    def _are_finished(self) -> bool:
        return all(probe.is_finished for probe in self._probes or ())

    def _summarize(self, are_finished: bool) -> MeasurementResult:
        del are_finished
        probes = [probe for probe in self._probes or () if probe.is_finished]
        usages: dict[str, Usage] = {}
        for probe in probes:
            for name, usage in probe.usages.items():
                usages.setdefault(name, usage)
        rows = {percent: _rows(usages, percent) for percent in _PERCENTS}
        problems, verdicts = constraints.check(rows[_CHECKED_PERCENTILE], self._constraints)
        document = {
            str(percent): [{"Name": name, "CPU": cpu, "Mem": memory} for name, cpu, memory in found]
            for percent, found in rows.items()
            if found
        }
        error = f"resource constraints: {len(problems)} constraints violated: "
        silent = [probe.problem for probe in probes if probe.problem]
        return MeasurementResult(
            summaries=(Summary(NAME, perf_data.pretty(document), self.cluster.moments.unix_ns),),
            verdicts=verdicts,
            series=_series(usages, rows[_CHECKED_PERCENTILE]),
            errors=(f"{error}[{' '.join(problems)}]",) if problems else (),
            warnings=(_silence(silent),) if silent else (),
        )


class _Beginning:
    """The requests of the pods and the nodes."""

    def __init__(self, measurement: ResourceUsageSummary, params: UsageParams) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._pods: list[Json] = []
        call = Call(verb="list", resource=_PODS, namespace=params.namespace)
        measurement.cluster.call(call, self._pods_listed)

    def _pods_listed(self, answer: Answer) -> None:
        if not self._is_refused("pods", answer):
            self._pods = control_plane.items(answer)
            control_plane.list_nodes(self._measurement.cluster, self._nodes_listed)

    def _nodes_listed(self, answer: Answer) -> None:
        if not self._is_refused("nodes", answer):
            self._measurement.begin(self._pods, control_plane.items(answer))
            self.pending.resolve(NOTHING)

    def _is_refused(self, what: str, answer: Answer) -> bool:
        if answer.error is not None:
            problem = f"listing {what} error: {answer.error.message}"
            self.pending.resolve(MeasurementResult(errors=(problem,)))
        return answer.error is not None


def _chosen(
    pods: list[Json], nodes: list[Json], masters: set[str], *, are_all: bool
) -> tuple[list[str], frozenset[str]]:
    """The nodes to poll, and the names of the containers that matter."""
    containers: set[str] = set()
    places: set[str] = set()
    for pod in pods:
        place = (pod.get("spec") or {}).get("nodeName", "")
        if not are_all and place not in masters and _is_daemon(pod):
            continue
        places.add(place)
        status = pod.get("status") or {}
        for kind in ("initContainerStatuses", "containerStatuses"):
            containers.update(each.get("name", "") for each in status.get(kind) or ())
    names = [node["metadata"]["name"] for node in nodes]
    unregistered = sorted(masters.difference(names))
    if unregistered:
        containers.update(control_plane.COMPONENTS)
    chosen = [name for name in names if are_all or name in masters or name in places]
    return [*unregistered, *chosen], frozenset(containers)


def _is_daemon(pod: Json) -> bool:
    """Whether a pod is one that each node has: a DaemonSet's, or the node's own."""
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(
        owner.get("controller") and owner.get("kind") in ("DaemonSet", "Node") for owner in owners
    )


def _rows(usages: dict[str, Usage], percent: int) -> list[tuple[str, float, int]]:
    return [
        (
            name,
            percentiles.nearest_rank(sorted(usages[name].cpu), percent),
            percentiles.nearest_rank(sorted(usages[name].memory), percent),
        )
        for name in sorted(usages)
    ]


def _series(usages: dict[str, Usage], rows: list[tuple[str, float, int]]) -> tuple[Series, ...]:
    """Charts of the containers that use most; hundreds of them could not be read."""
    most = sorted(rows, key=_by_cpu)[:_CHARTED]
    return tuple(series for name, _, _ in most for series in usages[name].series(name))


def _by_cpu(row: tuple[str, float, int]) -> tuple[float, str]:
    return -row[1], row[0]


def _silence(problems: list[str]) -> str:
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"{NAME}: {problems[0]}{more}"
