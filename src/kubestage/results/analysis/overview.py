"""A run in a few numbers: step by step, and as it stands at its end."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.results.analysis import packed_steps, pod_state
from kubestage.results.analysis.capacity import allocation, rates, spread
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.free_capacity import fragmentation
from kubestage.results.analysis.measured import MeasureFigures  # noqa: TC001 - msgspec reads it
from kubestage.results.analysis.packed_steps import StepPacking  # noqa: TC001 - msgspec reads it
from kubestage.results.analysis.pod_tables import waiting_steps
from kubestage.results.analysis.registry import RunTable, table
from kubestage.results.analysis.table import Kind, columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.analysis.digest import Digest, Run, StepEnd
    from kubestage.results.analysis.registry import Rows


class ResourceSummary(msgspec.Struct, frozen=True, rename="camel"):
    """One resource at the end: how full the cluster is, how evenly, how much of it is stranded.

    `min`, `max`, `mean` and `stddev` are of the rates of the nodes that have any of it.
    """

    requested: int
    allocatable: int
    rate: float | None
    min: float | None
    max: float | None
    mean: float | None
    stddev: float | None
    stranded_rate: float | None


class Summary(msgspec.Struct, frozen=True, rename="camel"):
    """A run at its end.

    Each pod there ever was counts in one of `scheduled` (it has a node), `finished`, `pending`,
    `gated`, `preempted` and `deleted`; `pods` is their sum. Attempts are None if none were
    recorded. `pending_steps_mean` and `pending_steps_max` are of the pods that got a node.
    """

    name: str
    phase: str
    message: str
    steps: int
    last_step: int | None
    pods: int
    scheduled: int
    finished: int
    pending: int
    gated: int
    preempted: int
    deleted: int
    nodes: int
    nodes_used: int
    pending_steps_mean: float | None
    pending_steps_max: int | None
    attempts: int | None
    attempts_by_result: dict[str, int] | None
    resources: dict[str, ResourceSummary]
    packing: StepPacking | None
    """What nodes cost, and how well pods are packed; None of a run without steps."""
    measures: dict[str, MeasureFigures] | msgspec.UnsetType = msgspec.UNSET
    """What the measures of the run come to, if it has any."""


def summary(run: Run) -> Summary:
    """The run in a few numbers, as they are at its end."""
    known = digest(run)
    counts = collections.Counter(pod.status for pod in known.pods)
    waits = [waiting_steps(known, pod) for pod in known.pods if pod.bound is not None]
    end = known.steps[-1] if known.steps else None
    results = collections.Counter(
        attempt.result or "" for pod in known.pods for attempt in pod.attempts
    )
    return Summary(
        name=known.name,
        phase=known.phase,
        message=known.message,
        steps=len(known.steps),
        last_step=end.step if end is not None else None,
        pods=len(known.pods),
        scheduled=counts[pod_state.SCHEDULED],
        finished=sum(counts[phase] for phase in pod_state.OVER),
        pending=counts[pod_state.PENDING],
        gated=counts[pod_state.GATED],
        preempted=counts[pod_state.PREEMPTED],
        deleted=counts[pod_state.DELETED],
        nodes=len(end.nodes) if end is not None else 0,
        nodes_used=end.nodes_used if end is not None else 0,
        pending_steps_mean=sum(waits) / len(waits) if waits else None,
        pending_steps_max=max(waits, default=None),
        attempts=results.total() if known.has_attempts else None,
        attempts_by_result=dict(sorted(results.items())) if known.has_attempts else None,
        resources=_resources(known),
        packing=None if end is None else packed_steps.at_end_of(end, known.prices.currency),
        measures=_measures(known) or msgspec.UNSET,
    )


def _measures(run: Digest) -> dict[str, MeasureFigures]:
    found = ((each.name, each.figures) for each in run.measures)
    return {name: figures for name, figures in found if figures is not None}


@table(
    RunTable(
        name="summary",
        title="Summary",
        about="the run in a few numbers: pods, nodes, waiting, attempts",
        row="measure",
        columns=columns(measure=Kind.TEXT, resource=Kind.TEXT, value=Kind.FLOAT),
        order=10,
    )
)
def summary_table(run: Digest) -> Rows:
    """The summary as rows: a measure, the resource that it is about if any, the value."""
    values = msgspec.to_builtins(summary(run))
    rows: list[tuple[Any, ...]] = [
        (measure, None, value)
        for measure, value in values.items()
        if not isinstance(value, str | dict) and measure != "packing"
    ]
    for result, number in (values["attemptsByResult"] or {}).items():
        rows.append((f"attempts.{result}", None, number))
    for resource, parts in values["resources"].items():
        rows += [(measure, resource, value) for measure, value in parts.items()]
    packing = values["packing"] or {}
    rows += [
        (f"packing.{measure}", None, value)
        for measure, value in packing.items()
        if value is not None and not isinstance(value, str)
    ]
    for name, figures in (values.get("measures") or {}).items():
        rows.append((name, None, figures["final"]))
        rows += [(f"{name}.{part}", None, figures[part]) for part in ("mean", "max")]
    return rows


@table(
    RunTable(
        name="steps",
        title="Steps",
        about="what happened in each step, and what was there at its end",
        row="step",
        columns=columns(
            step=Kind.INT,
            nodes=Kind.INT,
            nodesUsed=Kind.INT,
            pods=Kind.INT,
            created=Kind.INT,
            scheduled=Kind.INT,
            pending=Kind.INT,
            gated=Kind.INT,
            preempted=Kind.INT,
            deleted=Kind.INT,
            finished=Kind.INT,
            attempts=Kind.INT,
        ),
        order=20,
        is_by_step=True,
    )
)
def by_step(run: Digest) -> Rows:
    """What happened in each step, and how many pods were there and pending at its end."""
    happened = _happened(run)
    return [
        (
            end.step,
            len(end.nodes),
            end.nodes_used,
            end.pods,
            happened["created"][end.step],
            happened["bound"][end.step],
            end.pending,
            end.gated,
            happened["preempted"][end.step],
            happened["deleted"][end.step],
            happened["finished"][end.step],
            happened["attempts"][end.step] if run.has_attempts else None,
        )
        for end in run.steps
    ]


def _happened(run: Digest) -> dict[str, collections.Counter[int | None]]:
    facts = ("created", "bound", "preempted", "deleted", "finished")
    counts = {fact: collections.Counter(getattr(pod, fact) for pod in run.pods) for fact in facts}
    tries = (attempt.step for pod in run.pods for attempt in pod.attempts)
    return {**counts, "attempts": collections.Counter(tries)}


def _resources(run: Digest) -> dict[str, ResourceSummary]:
    return dict(_each_resource(run, run.steps[-1])) if run.steps else {}


def _each_resource(run: Digest, end: StepEnd) -> Iterator[tuple[str, ResourceSummary]]:
    last = msgspec.structs.replace(run, steps=[end])
    stranded = {row["resource"]: row["strandedRate"] for row in fragmentation(last).records()}
    for row in allocation(last).records():
        name = row["resource"]
        _, low, high, mean, deviation = spread(rates(end.nodes, name))
        yield (
            name,
            ResourceSummary(
                row["requested"],
                row["allocatable"],
                row["rate"],
                low,
                high,
                mean,
                deviation,
                stranded[name],
            ),
        )
