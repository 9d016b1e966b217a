"""The result of a run: of manifests, of Scenarios, or of a cluster that ran for a while."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import gvk
from kubestage.results import analysis
from kubestage.results.analysis.table import Column, Kind, Table, columns
from kubestage.runs.notebook import TableResult

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.packing.packing import Packing
    from kubestage.results.run_record_reader import RecordReader
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.placements import Placement, Summary
    from kubestage.runs.pod_explanation import PodExplanation
    from kubestage.runs.workloads import Workload
    from kubestage.scheduler.record import Decision
    from kubestage.stage import Stage

_PLACEMENTS: Final = columns(
    namespace=Kind.TEXT,
    pod=Kind.TEXT,
    status=Kind.TEXT,
    node=Kind.TEXT,
    profile=Kind.TEXT,
    priority=Kind.INT,
    attempts=Kind.INT,
    evaluatedNodes=Kind.INT,
    feasibleNodes=Kind.INT,
    message=Kind.TEXT,
)
_PODS: Final = columns(namespace=Kind.TEXT, pod=Kind.TEXT, phase=Kind.TEXT, node=Kind.TEXT)


class RunResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run; a notebook shows its main table."""

    stage: Stage
    """The cluster as it is at the end."""
    failure: str | None = None
    """Why the run failed, if it did."""
    unscheduled: int = 0
    """How many pods are without a node at the end."""
    notes: Sequence[str] = ()
    """What the user may not have intended, or should know."""
    timings: RecordedTimings | None = None
    """How long scheduling took, if it was measured or modelled."""
    saved: Mapping[str, pathlib.Path] = {}
    """The run directories, by the name of the Scenario."""
    explanation: PodExplanation | None = None
    """Why the pod of `RunOptions.explain` is where it is."""

    @abc.abstractmethod
    def charts(self) -> dict[str, ChartType]:
        """Every chart of the run, by name; needs the extra ``charts``."""

    def packing(self) -> Packing:
        """What the cluster costs per hour at the end, and how well its pods are packed."""
        from kubestage.results.packing import packing

        return packing.of_store(self.stage.store)

    def close(self) -> None:
        """Delete temporary files; what is in run directories stays."""


class ManifestsResult(RunResult, frozen=True, kw_only=True):
    """Where the pods of plain manifests are."""

    scenario: Json
    """The Scenario that the manifests mean, with its status."""
    seed: int
    start_ns: int
    """The moment of the calendar at which time began."""
    placements: Sequence[Placement]
    workloads: Sequence[Workload]
    summary: Summary
    decisions: Sequence[Decision] | None = None
    """Every attempt, unless the detail is ``summary``."""
    explanations: Sequence[Json] | None = None
    """Every attempt in full, if the detail is ``full``."""

    def table(self) -> Table:
        """A row for each pod."""
        rows: list[tuple[Any, ...]] = [
            (
                each.namespace,
                each.name,
                each.status,
                each.node or None,
                each.profile,
                each.priority,
                each.attempts,
                each.evaluated,
                each.feasible,
                each.message,
            )
            for each in self.placements
        ]
        return Table(_PLACEMENTS, rows)

    def headline(self) -> str:
        """How many pods there are, by status."""
        counts = {status: number for status, number in self.summary.counts.items() if number}
        return ", ".join(f"{number:,} {status.lower()}" for status, number in counts.items())

    def charts(self) -> dict[str, ChartType]:
        """Every chart of the run, by name; needs the extra ``charts``."""
        return _scenario_charts(self.scenario)


class ScenariosResult(RunResult, frozen=True, kw_only=True):
    """Scenarios with their statuses, in the order in which they ran."""

    scenarios: Sequence[Json]
    open_record: Callable[[str], RecordReader | None]
    """Opens the details of a Scenario's attempts, if they were recorded."""
    delete_records: Callable[[], None]

    def table(self) -> Table:
        """A row for each step of each Scenario."""
        rows: list[tuple[Any, ...]] = []
        head: tuple[Column, ...] = ()
        for each in self.scenarios:
            if "scenarioResult" in each["status"]:
                steps = analysis.table(each, "steps")
                head = steps.columns
                rows += [(each["metadata"]["name"], *row) for row in steps.rows]
        return Table((Column("scenario", Kind.TEXT), *head), rows)

    def headline(self) -> str:
        """How each Scenario ended."""
        phases = (
            f"{each['metadata']['name']}: {each['status']['phase']}" for each in self.scenarios
        )
        return ", ".join(phases)

    def charts(self, scenario: str | None = None) -> dict[str, ChartType]:
        """Every chart of a Scenario, by default of the first; needs the extra ``charts``."""
        named = (each for each in self.scenarios if scenario in (None, each["metadata"]["name"]))
        return _scenario_charts(next(named))

    def close(self) -> None:
        """Delete temporary files; what is in run directories stays."""
        self.delete_records()


class LivingResult(RunResult, frozen=True, kw_only=True):
    """A cluster after it has run for a while."""

    record: Life | None = None
    """What happened meanwhile."""

    def table(self) -> Table:
        """A row for each pod at the end."""
        rows: list[tuple[Any, ...]] = [
            (
                pod["metadata"]["namespace"],
                pod["metadata"]["name"],
                (pod.get("status") or {}).get("phase"),
                pod["spec"].get("nodeName"),
            )
            for pod in self.stage.store.read(gvk.POD).values()
        ]
        return Table(_PODS, rows)

    def headline(self) -> str:
        """What went wrong, most severe first, or else the virtual time at the end."""
        from kubestage.results.life import headline

        news = [] if self.record is None else headline.headline(self.record)
        return "; ".join(news) or f"at {self.stage.now}"

    def charts(self) -> dict[str, ChartType]:
        """Every chart of the run, by name; none without a record; needs the extra ``charts``."""
        from kubestage.results import charts

        return {} if self.record is None else charts.of_life(self.record)


def _scenario_charts(scenario: Json) -> dict[str, ChartType]:
    from kubestage.results import charts

    return charts.all(scenario)
