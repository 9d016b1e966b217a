"""One performance of a scenario: its operations done from first to last, every step compared."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.replay import comparison, events, settling, trace, view
from kubestage.replay.cluster import Cluster
from kubestage.replay.comparison import Difference
from kubestage.replay.operations import Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.scenario import Scenario, Step


# Requests take a moment, in which the loops react to the one before.
_BETWEEN_OPERATIONS_NS: Final = 5_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class Choices:
    """What recordings leave open.

    `seed` is chance. Steps are looked at when they first match; `passed_over` is one of which this
    moment is not taken but the next one that matches. `given_up` are steps that match at no
    moment: they are looked at as early as may be, so as not to disturb what comes after them.
    """

    seed: int
    passed_over: int | None = None
    given_up: frozenset[int] = frozenset()


@dataclasses.dataclass(slots=True)
class Performance:
    """How it went; `stuck_at` is the step that matched at no moment, behind which it ended."""

    differences: list[Difference] = dataclasses.field(default_factory=list)
    trace_differences: list[Difference] = dataclasses.field(default_factory=list)
    stuck_at: int | None = None


def perform(scenario: Scenario, choices: Choices) -> Performance:
    """Do it all, up to the first step that matches at no moment and is not given up."""
    cluster = Cluster(scenario, choices.seed)
    operator = Operator(cluster)
    performance = Performance()
    for number, step in enumerate(scenario.steps):
        cluster.record.begin()
        refusals = _operate(cluster, operator, step)
        found = _look(cluster, scenario, number, refusals, choices)
        if found is None:
            performance.stuck_at = number
            break
        performance.differences.extend(found)
        for each in trace.compare(step.trace, trace.told(cluster.record)):
            performance.trace_differences.append(Difference(number, "trace", *each))
    return performance


def _operate(cluster: Cluster, operator: Operator, step: Step) -> list[Json]:
    refusals = []
    for number, operation in enumerate(step.operation):
        if number:
            cluster.run_until(cluster.clock.now_ns + _BETWEEN_OPERATIONS_NS)
        refusal = operator.do(operation)
        if refusal is not None:
            refusals.append(refusal)
    return refusals


def _look(
    cluster: Cluster, scenario: Scenario, number: int, refusals: list[Json], choices: Choices
) -> list[Difference] | None:
    """The differences at the moment that is chosen; None if no moment will do."""
    step = scenario.steps[number]
    to_pass_over = 1 if number == choices.passed_over else 0
    for _ in settling.moments(cluster, scenario, step):
        found = _compare(cluster, scenario, number, refusals)
        if number in choices.given_up:
            return found
        if not found:
            if not to_pass_over:
                return found
            to_pass_over -= 1
    if number in choices.given_up:
        restless = Difference(number, "state", "", "quiet", "not quiet")
        return [restless, *_compare(cluster, scenario, number, refusals)]
    return None


def _compare(
    cluster: Cluster, scenario: Scenario, number: int, refusals: list[Json]
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
    cluster: Cluster, number: int, step: Step, refusals: list[Json]
) -> Iterator[Difference]:
    record = cluster.record
    for each in comparison.differences(step.errors, refusals):
        yield Difference(number, "errors", *each)
    state = view.state(cluster.store, record, cluster.namespace)
    for each in comparison.compare_state(step.state, state):
        yield Difference(number, "state", *each)
    told = events.told(record.occurrences, record.naming)
    for each in events.compare(*events.without_chance(step, told)):
        yield Difference(number, "events", *each)
