"""How replayed cases compare with their recordings: by category, by plugin, and where not."""

from __future__ import annotations

import collections
import itertools
import json
from typing import TYPE_CHECKING, Any

from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.scheduler.replay.comparison import CaseReport, Difference

    Reports = Sequence[tuple[str, CaseReport]]


def as_text(reports: Reports, differences: int) -> str:
    """Two tables, the first differences in full, and the sum in the last line."""
    lines = [
        *_table("CATEGORY", _by_category(reports), ("CASES", "DECISIONS", "IDENTICAL")),
        "",
        *_table("PLUGIN", _by_plugin(reports), ("ANSWERS", "IDENTICAL")),
        "",
    ]
    for path, difference in itertools.islice(_differences(reports), differences):
        lines += [*_in_full(path, difference), ""]
    total = sum(len(each.differences) for _, each in reports)
    if total > differences:
        more = f"the first {differences} are shown" if differences else "none is shown"
        lines += [f"{total} fields differ, {more}: --differences {total} prints all", ""]
    decisions = sum(each.decisions for _, each in reports)
    identical = sum(each.identical for _, each in reports)
    lines.append(f"decisions: {identical}/{decisions} identical")
    return "".join(f"{line}\n" for line in lines)


def as_dict(reports: Reports, differences: int) -> dict[str, Any]:
    """The same for machines."""
    return {
        "decisions": sum(each.decisions for _, each in reports),
        "identical": sum(each.identical for _, each in reports),
        "categories": {
            name: {"cases": cases, "decisions": decisions, "identical": identical}
            for name, (cases, decisions, identical) in _by_category(reports).items()
        },
        "plugins": {
            name: {"answers": answers, "identical": identical}
            for name, (answers, identical) in _by_plugin(reports).items()
        },
        "differentFields": sum(len(each.differences) for _, each in reports),
        "differences": [
            {
                "file": path,
                "case": each.case,
                "attempt": each.attempt,
                "pod": each.pod,
                "path": each.path,
                "expected": each.expected,
                "got": each.got,
            }
            for path, each in itertools.islice(_differences(reports), differences)
        ],
    }


def _by_category(reports: Reports) -> dict[str, tuple[int, ...]]:
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    for _, report in reports:
        row = sums[report.category or "-"]
        row[0] += 1
        row[1] += report.decisions
        row[2] += report.identical
    return {name: tuple(row) for name, row in sorted(sums.items())}


def _by_plugin(reports: Reports) -> dict[str, tuple[int, ...]]:
    answers: collections.Counter[str] = collections.Counter()
    wrong: collections.Counter[str] = collections.Counter()
    for _, report in reports:
        answers.update(report.answers)
        wrong.update(report.wrong_answers)
    return {name: (answers[name], answers[name] - wrong[name]) for name in sorted(answers)}


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


def _differences(reports: Reports) -> Iterable[tuple[str, Difference]]:
    return ((path, each) for path, report in reports for each in report.differences)


def _in_full(path: str, difference: Difference) -> list[str]:
    where = f"{difference.case}, " if difference.case else ""
    attempt = f"attempt {difference.attempt}, pod {difference.pod}" if difference.attempt else "end"
    return [
        f"Difference in {path}",
        f"  at:        {where}{attempt}",
        f"  field:     {difference.path}",
        f"  expected:  {shown(difference.expected)}",
        f"  got:       {shown(difference.got)}",
    ]


def shown(value: Any) -> str:
    """A value in one line."""
    return "(nothing)" if value is None else json.dumps(value, ensure_ascii=False)
