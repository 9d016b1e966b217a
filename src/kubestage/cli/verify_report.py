"""How recordings compare, as text: by category, plugin and topic, and the first differences."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from kubestage.objects.tables import text
from kubestage.runs import verify_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.runs.verify import VerifyResult
    from kubestage.runs.verify_counts import ComparedCase, PlayedScenario, PlayedWorld
    from kubestage.scheduler.replay.comparison import Difference


def as_text(result: VerifyResult, differences: int) -> str:
    """Tables, the first differences in full, and the sum in the last line of each kind."""
    parts = []
    if result.cases:
        parts.append(_case_lines(result.cases, differences))
    if result.scenarios:
        parts.append(_scenario_lines(result.scenarios, differences))
    for program, worlds in verify_counts.by_program(result.worlds).items():
        parts.append(_world_lines(program, worlds, differences))
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in parts)


def _case_lines(cases: Sequence[ComparedCase], differences: int) -> list[str]:
    categories, plugins = verify_counts.by_category(cases), verify_counts.by_plugin(cases)
    lines = [
        *_table("CATEGORY", categories, ("CASES", "DECISIONS", "IDENTICAL")),
        "",
        *_table("PLUGIN", plugins, ("ANSWERS", "IDENTICAL")),
        "",
    ]
    for path, difference in itertools.islice(verify_counts.case_differences(cases), differences):
        lines += [*_in_full(path, difference), ""]
    lines += _more(sum(len(each.report.differences) for each in cases), differences)
    decisions = sum(each.report.decisions for each in cases)
    identical = sum(each.report.identical for each in cases)
    return [*lines, f"decisions: {identical}/{decisions} identical"]


def _scenario_lines(scenarios: Sequence[PlayedScenario], differences: int) -> list[str]:
    rows = verify_counts.by_topic(scenarios)
    if len(rows) > 1:
        rows["total"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    cells = [("TOPIC", "SCENARIOS", "STEPS", "IDENTICAL", "DIFFERENT")]
    for name, (number, steps, identical) in rows.items():
        cells.append((name, str(number), str(steps), str(identical), str(number - identical)))
    lines = [*text.align(cells), ""]
    found = verify_counts.scenario_differences(scenarios)
    for path, result, each in itertools.islice(found, differences):
        lines += [
            f"Difference in {path}",
            f"  at:        {result.scenario.name}, step {each.step}",
            f"  field:     {each.kind} {each.path}".rstrip(),
            f"  expected:  {_value(each.expected)}",
            f"  got:       {_value(each.actual)}",
            "",
        ]
    lines += _more(sum(len(each.result.differences) for each in scenarios), differences)
    same = sum(each.result.is_same for each in scenarios)
    return [*lines, f"scenarios: {same}/{len(scenarios)} identical"]


def _world_lines(program: str, worlds: Sequence[PlayedWorld], differences: int) -> list[str]:
    rows = verify_counts.by_world_category(worlds)
    if len(rows) > 1:
        rows["total"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    cells: list[tuple[str, ...]] = [
        ("CATEGORY", "WORLDS", "IDENTICAL", "STEPS", "DECISIONS", "IDENTICAL", "DIFFERENT")
    ]
    for name, (number, steps, decisions, same, identical) in rows.items():
        numbers = (number, same, steps, decisions, identical, decisions - identical)
        cells.append((name, *map(str, numbers)))
    lines = [*text.align(cells), ""]
    found = list(verify_counts.world_differences(worlds))
    for world, each in found[:differences]:
        where = "" if each.counts else " (the real program's order is random here)"
        lines += [
            f"Difference in {world.path}",
            f"  at:        {world.report.name}, step {each.step} at {each.time:g} s",
            f"  field:     {each.field}{each.path}{where}",
            f"  expected:  {_value(each.expected)}",
            f"  got:       {_value(each.got)}",
            "",
        ]
    lines += _more(len(found), differences)
    decisions = sum(each.report.decisions for each in worlds)
    identical = sum(each.report.identical for each in worlds)
    same = sum(each.report.is_same for each in worlds)
    return [
        *lines,
        f"{program}: {same}/{len(worlds)} worlds, {identical}/{decisions} decisions identical",
    ]


def _table(
    heading: str, rows: dict[str, tuple[int, ...]], columns: tuple[str, ...]
) -> Iterable[str]:
    """Rows with a last column for what is not identical, and their sum."""
    if len(rows) > 1:
        rows = {**rows, "total": tuple(map(sum, zip(*rows.values(), strict=True)))}
    cells = [(heading, *columns, "DIFFERENT")]
    for name, numbers in rows.items():
        different = numbers[-2] - numbers[-1]
        cells.append((name, *map(str, numbers), str(different)))
    return text.align(cells)


def _more(total: int, differences: int) -> list[str]:
    if total <= differences:
        return []
    more = f"the first {differences} are shown" if differences else "none is shown"
    return [f"{total} fields differ, {more}: --differences {total} prints all", ""]


def _in_full(path: str, difference: Difference) -> list[str]:
    where = f"{difference.case}, " if difference.case else ""
    attempt = f"attempt {difference.attempt}, pod {difference.pod}" if difference.attempt else "end"
    return [
        f"Difference in {path}",
        f"  at:        {where}{attempt}",
        f"  field:     {difference.path}",
        f"  expected:  {_value(difference.expected)}",
        f"  got:       {_value(difference.got)}",
    ]


def _value(value: Any) -> str:
    """A value in one line."""
    return "(nothing)" if value is None else json.dumps(value, ensure_ascii=False)
