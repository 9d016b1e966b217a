"""The plan of a load as text: ``--dry-run``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cli import printing
from kubestage.golang import durations
from kubestage.objects.tables import text
from kubestage.runs.load import planning
from kubestage.units import SECOND_NS
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.clusterloader.planned import LoadPlan, PlannedStep
    from kubestage.runs.load.planning import PlannedTest


_LINES: Final = 20


def formatted(planned: Sequence[PlannedTest], output: str) -> str:
    """All plans in one of the formats."""
    if output == "json":
        return printing.as_json({"plans": [each.as_data() for each in planned]})
    return "\n".join("".join(f"{line}\n" for line in _lines(each)) for each in planned)


def _lines(planned: PlannedTest) -> Iterator[str]:
    plan, test = planned.plan, planned.test
    name = test.identifier or plan.name or test.path
    yield f"{name}: {plural(len(plan.steps), 'step')} for {plural(planned.nodes, 'node')}"
    yield ""
    rows: list[tuple[str, ...]] = [("STEP", "NAME", "CALLS", "PODS", "TAKES", "DOES")]
    for number, step in enumerate(plan.steps, 1):
        rows.extend(_rows(number, step))
    yield from text.align(rows)
    yield ""
    created = ", ".join(f"{count:,} {kind}" for kind, count in plan.created.items() if count)
    yield f"Creates {created or 'nothing'} in {plural(plan.namespaces, 'namespace')}."
    yield f"About {plural(plan.peak_pods, 'pod')} at most, {plural(plan.calls, 'API call')}."
    yield _takes(plan)
    for title, lines in (
        ("Problems", planned.problems),
        ("Notes", plan.notes),
        ("Warnings", planned.warnings),
    ):
        if lines:
            yield ""
            yield f"{title}:"
            yield from (f"  {line}" for line in lines[:_LINES])
            if len(lines) > _LINES:
                yield f"  and {len(lines) - _LINES:,} more"


def _takes(plan: LoadPlan) -> str:
    least = _duration(plan.expected_ns)
    if not plan.is_open_ended:
        return f"Takes about {least}."
    return f"Takes {least} and what waiting takes (marked +)."


def _rows(number: int, step: PlannedStep) -> Iterator[tuple[str, ...]]:
    takes = _duration(step.expected_ns) + ("+" if step.is_open_ended else "")
    cells = (str(number), step.name or "-", f"{step.calls:,}", f"{step.pods:,}", takes)
    for does in planning.described(step) or ("-",):
        yield (*cells, does)
        cells = ("", "", "", "", "")


def _duration(duration_ns: int) -> str:
    return durations.go_string(durations.round_to(duration_ns, SECOND_NS // 10))
