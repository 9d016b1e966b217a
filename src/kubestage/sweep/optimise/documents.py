"""What a search came to, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import wording
from kubestage.objects.tables import text
from kubestage.results import analysis
from kubestage.sweep.report import amounts, axis_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.sweep.optimise.finals import Finalist
    from kubestage.sweep.optimise.result import OptimiseResult

FORMATS: Final = ("table", "json", "markdown", "csv")
_LIMITS: Final = {True: "meets", False: "misses", None: "unsure"}
_MARKUP: Final = re.compile(r"[|<>*`\[\]]")


def formatted(result: OptimiseResult, output: str) -> str:
    """A search in one of the formats; CSV has a row for each trial."""
    if output == "json":
        encoded = msgspec.json.encode(result.to_dict())
        return msgspec.json.format(encoded, indent=2).decode() + "\n"
    if output == "csv":
        return analysis.as_csv(result.table())
    head, rows = finalists(result)
    if output == "markdown":
        lines = [f"## {_escaped(result.headline())}", "", _row(head), _row(["---"] * len(head))]
        lines += [*map(_row, rows), "", *notes(result)]
        if result.apply:
            lines += ["", "```sh", *result.apply, "```"]
    else:
        lines = [result.headline(), ""]
        lines += [line.rstrip() for line in text.align([head, *rows])]
        lines += ["", *notes(result)]
        if result.apply:
            lines += ["", "Apply it:", *(f"  {each}" for each in result.apply)]
    return "".join(f"{line}\n" for line in lines)


def finalists(result: OptimiseResult) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The final comparison: heading and rows."""
    axes = result.rows.axes
    aims = result.aims
    is_single = len(aims.objectives) == 1
    head = (
        *axis_names.short(axes),
        *(each.measure for each in aims.objectives),
        *(("BESIDE THE FIRST",) if is_single else ()),
        *(each.text for each in aims.constraints),
        "STANDING",
    )
    rows = [
        (
            *axis_names.values(each.standing.setting, axes),
            *_objectives(result, each),
            *((_difference(result, each),) if is_single else ()),
            *_limits(result, each),
            each.status,
        )
        for each in result.finals.finalists
    ]
    return head, rows


def notes(result: OptimiseResult) -> Iterator[str]:
    """How it was searched."""
    definition = result.definition
    tried = [each for each in result.trials if not each.is_repeated]
    repeated = len(result.trials) - len(tried)
    runs = wording.plural(len(result.rows.rows), "run")
    again = f", {wording.plural(repeated, 'proposal')} repeated" if repeated else ""
    saved = ""
    if result.saved:
        saved = f"; {result.saved:,} runs of settings that were clearly not the best were saved"
    yield (
        f"{wording.plural(len(tried), 'setting')} were tried by {definition.sampler}{again}, "
        f"in {runs}{saved}."
    )
    seeds = len(result.finals.seeds)
    yield (
        f"The figures above are of {seeds} new seeds that the search did not use, with intervals "
        f"of {definition.level:g}%, differences paired by seed, and all pairs corrected by Holm."
    )
    failed = sum(not each.is_repeated and each.values is None for each in result.trials)
    if failed:
        yield f"{wording.plural(failed, 'setting')} failed or had no such measure."


def _objectives(result: OptimiseResult, finalist: Finalist) -> list[str]:
    found = finalist.standing.objectives
    if not found:
        return ["-" for _ in result.aims.objectives]
    return [
        amounts.mean(estimate, result.rows.measures[objective.measure].unit)
        for objective, estimate in zip(result.aims.objectives, found, strict=True)
    ]


def _difference(result: OptimiseResult, finalist: Finalist) -> str:
    found = finalist.difference
    if found is None or found.estimate.mean is None:
        return ""
    unit = result.rows.measures[result.aims.objectives[0].measure].unit
    return f"{amounts.change(found.estimate, unit)} ({amounts.share(found.share)})"


def _limits(result: OptimiseResult, finalist: Finalist) -> list[str]:
    found = finalist.standing.limited
    if not found:
        return ["-" for _ in result.aims.constraints]
    return [
        f"{amounts.mean(estimate, limit.unit)}, {_LIMITS[holds]}"
        for limit, estimate, holds in zip(
            result.aims.constraints, found, finalist.limits, strict=True
        )
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(found: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", found.replace("\n", " "))
