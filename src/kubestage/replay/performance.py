"""One performance of a scenario: its operations done from first to last, every step compared."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.replay import comparison, events, settling, trace, view
from kubestage.replay.cluster import LabCluster
from kubestage.replay.comparison import Difference
from kubestage.replay.operations import Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.scenario import RecordedScenario, RecordedStep


# Requests take a moment, in which the loops react to the one before.
_BETWEEN_OPERATIONS_NS: Final = 5_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class ReplayChoices:
    """What recordings leave open.

    Steps are compared when they first match.
    """

    seed: int
    """Of random numbers."""
    passed_over: int | None = None
    """A step of which not the first moment that matches counts, but the next."""
    skipped: frozenset[int] = frozenset()
    """Steps that match at no moment: they are compared as early as possible, so as not to disturb
    those that follow."""


@dataclasses.dataclass(slots=True)
class Performance:
    """How it went; `stuck_at` is the step that matched at no moment, behind which it ended."""

    differences: list[Difference] = dataclasses.field(default_factory=list)
    trace_differences: list[Difference] = dataclasses.field(default_factory=list)
    stuck_at: int | None = None


def perform(scenario: RecordedScenario, choices: ReplayChoices) -> Performance:
    """Do it all, up to the first step that matches at no moment and is not skipped."""
    cluster = LabCluster(scenario, choices.seed)
    operator = Operator(cluster)
    performance = Performance()
    for number, step in enumerate(scenario.steps):
        cluster.record.begin()
        refusals = _operate(cluster, operator, step)
        found = _differences_at(cluster, scenario, number, refusals, choices)
        if found is None:
            performance.stuck_at = number
            break
        performance.differences.extend(found)
        for each in trace.compare(step.trace, trace.noted(cluster.record)):
            performance.trace_differences.append(Difference(number, "trace", *each))
    return performance


def _operate(cluster: LabCluster, operator: Operator, step: RecordedStep) -> list[Json]:
    refusals = []
    for number, operation in enumerate(step.operation):
        if number:
            cluster.run_until(cluster.clock.now_ns + _BETWEEN_OPERATIONS_NS)
        refusal = operator.do(operation)
        if refusal is not None:
            refusals.append(refusal)
    return refusals


def _differences_at(
    cluster: LabCluster,
    scenario: RecordedScenario,
    number: int,
    refusals: list[Json],
    choices: ReplayChoices,
) -> list[Difference] | None:
    """The differences at the moment that is chosen; None if no moment will do."""
    step = scenario.steps[number]
    to_pass_over = 1 if number == choices.passed_over else 0
    for _ in settling.moments(cluster, scenario, step):
        found = _compare(cluster, scenario, number, refusals)
        if number in choices.skipped:
            return found
        if not found:
            if not to_pass_over:
                return found
            to_pass_over -= 1
    if number in choices.skipped:
        restless = Difference(number, "state", "", "quiet", "not quiet")
        return [restless, *_compare(cluster, scenario, number, refusals)]
    return None


def _compare(
    cluster: LabCluster, scenario: RecordedScenario, number: int, refusals: list[Json]
) -> list[Difference]:
    found = _differences(cluster, number, scenario.steps[number], refusals)
    if scenario.kubelet != "parallel":
        return list(found)
    # Pods that start while the controllers are at work make every run another one: what varied
    # between the recorded runs may be yet another thing in ours.
    return [
        each for each in found if f"steps/{number}/{each.kind}/{each.path}" not in scenario.varies
    ]


def _differences(
    cluster: LabCluster, number: int, step: RecordedStep, refusals: list[Json]
) -> Iterator[Difference]:
    record = cluster.record
    for each in comparison.differences(step.errors, refusals):
        yield Difference(number, "errors", *each)
    state = view.state(cluster.store, record, cluster.namespace)
    for each in comparison.compare_state(step.state, state):
        yield Difference(number, "state", *each)
    found = events.recorded_form(record.occurrences, record.naming)
    for each in events.compare(*events.without_random(step, found)):
        yield Difference(number, "events", *each)
