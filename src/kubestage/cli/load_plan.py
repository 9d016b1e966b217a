"""``--dry-run``: everything is rendered and checked, and what would be done is told."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.cli import load_compose, load_options, load_stage, load_tests, printing
from kubestage.load.planned import Plan  # noqa: TC001 - read by msgspec
from kubestage.objects import durations
from kubestage.objects.tables import text
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_tests import Test
    from kubestage.load.planned import PlannedPhase, PlannedStep
    from kubestage.measure.registry import Registry


_LINES: Final = 20


class Planned(msgspec.Struct, frozen=True):
    """The plan of one test, and what is odd about its configuration."""

    test: load_tests.Test
    plan: Plan
    nodes: int
    warnings: tuple[str, ...]


def plans(tests: Sequence[Test], choices: Choices, registry: Registry) -> list[Planned]:
    """The plans of tests, made without a cluster."""
    nodes = _nodes(choices)
    client = None if choices.is_real else load_stage.profile_of(choices).client
    limits = load_compose.limits_of(choices, nodes, client)
    found = []
    for test in tests:
        chance = random.Random(choices.seed)
        loaded = load_tests.load(test, choices, nodes, registry, chance)
        plan = load_compose.plan_of(loaded, nodes, limits)
        found.append(Planned(test, plan, nodes, loaded.warnings))
    return found


def written(planned: Sequence[Planned], output: str) -> str:
    """All plans in one of the formats."""
    if output == "json":
        return printing.as_json({"plans": [_data(each) for each in planned]})
    return "\n".join("".join(f"{line}\n" for line in _told(each)) for each in planned)


def is_sound(planned: Sequence[Planned]) -> bool:
    """Whether nothing is known that would fail a run."""
    return not any(each.plan.problems for each in planned)


def _nodes(choices: Choices) -> int:
    if choices.nodes is not None or not choices.stage:
        return choices.nodes or load_options.NODES
    stage = load_stage.furnish(choices, load_stage.profile_of(choices))
    return load_stage.nodes_of(stage, choices)


def _data(planned: Planned) -> Json:
    plan = planned.plan
    found: Json = {
        "path": planned.test.path,
        "identifier": planned.test.identifier,
        "nodes": planned.nodes,
        "calls": plan.calls,
        "expectedSeconds": plan.expected_ns / SECOND_NS,
        "openEnded": plan.is_open_ended,
        "name": plan.name,
        "namespaces": plan.namespaces,
        "created": plan.created,
        "peak": plan.peak,
        "peakPods": plan.peak_pods,
        "problems": list(plan.problems),
        "notes": list(plan.notes),
        "warnings": list(planned.warnings),
    }
    found["steps"] = [
        {
            "name": step.name,
            "calls": step.calls,
            "actions": step.actions,
            "expectedSeconds": step.expected_ns / SECOND_NS,
            "openEnded": step.is_open_ended,
            "pods": step.pods,
            "does": list(_does(step)),
        }
        for step in plan.steps
    ]
    return found


def _told(planned: Planned) -> Iterator[str]:
    plan, test = planned.plan, planned.test
    name = test.identifier or plan.name or test.path
    yield f"{name}: {len(plan.steps)} steps for {_count(planned.nodes, 'node')}"
    yield ""
    rows: list[tuple[str, ...]] = [("STEP", "NAME", "CALLS", "PODS", "TAKES", "DOES")]
    for number, step in enumerate(plan.steps, 1):
        rows.extend(_rows(number, step))
    yield from text.align(rows)
    yield ""
    created = ", ".join(f"{count:,} {kind}" for kind, count in plan.created.items() if count)
    yield f"Creates {created or 'nothing'} in {_count(plan.namespaces, 'namespace')}."
    yield f"About {plan.peak_pods:,} pods at most, {plan.calls:,} API calls."
    yield _takes(plan)
    for title, lines in (
        ("Problems", plan.problems),
        ("Notes", plan.notes),
        ("Warnings", planned.warnings),
    ):
        if lines:
            yield ""
            yield f"{title}:"
            yield from (f"  {line}" for line in lines[:_LINES])
            if len(lines) > _LINES:
                yield f"  and {len(lines) - _LINES:,} more"


def _takes(plan: Plan) -> str:
    least = _duration(plan.expected_ns)
    if not plan.is_open_ended:
        return f"Takes about {least}."
    return f"Takes {least} and what waiting takes (marked +)."


def _rows(number: int, step: PlannedStep) -> Iterator[tuple[str, ...]]:
    takes = _duration(step.expected_ns) + ("+" if step.is_open_ended else "")
    cells = (str(number), step.name or "-", f"{step.calls:,}", f"{step.pods:,}", takes)
    for does in _does(step) or ("-",):
        yield (*cells, does)
        cells = ("", "", "", "", "")


def _does(step: PlannedStep) -> list[str]:
    found = [line for phase in step.phases for line in _phase(phase)]
    found += [
        f"{each.method} {each.identifier}" + (f" ({each.action})" if each.action else "")
        for each in step.measurements
    ]
    return found


def _phase(phase: PlannedPhase) -> Iterator[str]:
    for each in phase.objects:
        parts = [
            f"{verb} {count:,}"
            for verb, count in (
                ("create", each.create),
                ("patch", each.patch),
                ("delete", each.delete),
            )
            if count
        ]
        done = ", ".join(parts) or "leave"
        yield f"{done} {each.kind} {each.basename} ({phase.tuning_set})"


def _duration(duration_ns: int) -> str:
    return durations.go_string(durations.round_to(duration_ns, SECOND_NS // 10))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
