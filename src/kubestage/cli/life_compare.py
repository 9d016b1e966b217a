"""``kubestage compare`` of living runs: the figures of their summaries side by side."""

from __future__ import annotations

import pathlib
import shutil
import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec
import typer

from kubestage.cli import failures, timings_report
from kubestage.cli.explaining import blocks
from kubestage.errors import InputError
from kubestage.objects.tables import text
from kubestage.results import analysis, run_directory, timings
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.life import comparison, wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.comparison import Measure, Worse


_TABLE: Final = columns(
    measure=Kind.TEXT,
    subject=Kind.TEXT,
    run=Kind.TEXT,
    value=Kind.FLOAT,
    delta=Kind.FLOAT,
    best=Kind.INT,
)
_LABELS: Final = {
    "failedPercent": "failed",
    "responseMean": "mean",
    "responseP50": "p50",
    "responseP95": "p95",
    "responseP99": "p99",
    "responseMax": "longest",
    "replicaHours": "replica-hours",
    "nodeHours": "node-hours",
    "rescalesUp": "up",
    "rescalesDown": "down",
}


def is_meant(inputs: Sequence[str]) -> bool:
    """Whether living runs are to be compared; those and others have nothing in common."""
    lives = [run_directory.is_life(each) for each in inputs if pathlib.Path(each).exists()]
    if len(lives) < len(inputs):
        # Whoever opens it has the words for it.
        return False
    if any(lives) and not all(lives):
        odd = inputs[lives.index(not lives[0])]
        raise InputError(
            "living runs and runs of Scenarios cannot be compared",
            file=str(odd),
            fix="name runs of one sort",
        )
    return all(lives)


def compare(
    inputs: Sequence[str], output: str, metrics: Sequence[str] | None, *, fail_if_worse: bool
) -> int:
    """Print the figures of living runs; 1 if one that must not be worse is."""
    names = _short(inputs)
    lives = [run_directory.open_life(each)[0] for each in inputs]
    known = comparison.measures([each.summary for each in lives])
    found = _worse(names, known, metrics) if fail_if_worse else []
    sys.stdout.write(_written(names, known, _durations(inputs, names), output))
    sys.stdout.flush()
    for name, each in zip(names[1:], lives[1:], strict=True):
        if each.seconds != lives[0].seconds:
            first, other = (wording.moment(one.seconds) for one in (lives[0], each))
            typer.echo(f"Note: {names[0]} lived for {first}, {name} for {other}", err=True)
    if not found:
        return 0
    told = "; ".join(f"{each.run}: {_against_first(each)}" for each in found)
    failures.tell(f"worse than {names[0]}: {told}")
    return failures.NOT_AS_WANTED


def _worse(
    names: Sequence[str], known: Sequence[Measure], metrics: Sequence[str] | None
) -> list[Worse]:
    try:
        return comparison.worse(names, known, metrics)
    except InputError as error:
        error.path = "--metric"
        raise


def _durations(inputs: Sequence[str], names: Sequence[str]) -> Table | None:
    """How long scheduling took, run by run; None unless that is known of all of them."""
    kept = [found for each in inputs if (found := timings.beside(each)) is not None]
    return timings.side_by_side(names, kept) if len(kept) == len(inputs) else None


def _written(
    names: Sequence[str], known: Sequence[Measure], durations: Table | None, output: str
) -> str:
    if output == "csv":
        return analysis.as_csv(_table(names, known))
    if output == "json":
        told: Json = {"runs": list(names), "measures": list(_told(names, known))}
        if durations is not None:
            told["timings"] = list(durations.records())
        return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
    lines = list(_lines(names, known))
    if durations is not None:
        lines += ["", *timings_report.compared(durations, names)]
    return "".join(f"{line}\n" for line in lines)


def _told(names: Sequence[str], known: Sequence[Measure]) -> Iterator[Json]:
    for each in known:
        yield {
            "measure": each.name,
            "subject": each.resource,
            "better": each.better,
            "values": list(each.values),
            "deltas": [each.delta(at) for at in range(len(names))],
            "best": [names[at] for at in sorted(each.best)],
        }


def _table(names: Sequence[str], known: Sequence[Measure]) -> Table:
    rows: list[tuple[Any, ...]] = [
        (
            each.name,
            each.resource,
            name,
            each.values[at],
            each.delta(at) if at else None,
            int(at in each.best),
        )
        for each in known
        for at, name in enumerate(names)
    ]
    return Table(_TABLE, rows)


def _lines(names: Sequence[str], known: Sequence[Measure]) -> Iterator[str]:
    rows = [("MEASURE", *(_label(each) for each in known))]
    rows += [(name, *(_cell(each, at) for each in known)) for at, name in enumerate(names)]
    for block in blocks(rows, shutil.get_terminal_size().columns):
        yield from (line.rstrip() for line in text.align(list(zip(*block, strict=True))))
        yield ""
    yield f"* is best; in brackets, against {names[0]}."


def _label(measure: Measure) -> str:
    name = _LABELS.get(measure.name, measure.name)
    return name if measure.resource is None else f"{measure.resource} {name}"


def _cell(measure: Measure, at: int) -> str:
    value, delta = measure.values[at], measure.delta(at)
    if value is None:
        return "-"
    told = _shown(measure, value)
    if at and delta:
        # Of shares, a difference is in points.
        change = _shown(measure, abs(delta)).removesuffix("%")
        told += f" ({'+' if delta > 0 else '-'}{change})"
    return f"{told} *" if at in measure.best else told


def _against_first(worse: Worse) -> str:
    measure = worse.measure
    before, now = (measure.values[at] for at in (0, worse.at))
    assert before is not None
    assert now is not None
    return f"{_label(measure)} {_shown(measure, now)}, not {_shown(measure, before)}"


def _shown(measure: Measure, value: float) -> str:
    if measure.name.startswith("response"):
        return wording.milliseconds(value)
    if measure.name == "failedPercent":
        return f"{value:.2f}%"
    is_whole = measure.name not in ("replicaHours", "nodeHours", "cost")
    return f"{value:,}" if is_whole else f"{value:,.2f}"


def _short(inputs: Sequence[str]) -> list[str]:
    """The names of directories, as long as they tell runs apart."""
    last = [pathlib.Path(each).name for each in inputs]
    return last if len(set(last)) == len(last) else list(inputs)
