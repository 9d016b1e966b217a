"""A comparison of runs as text: figures side by side, then what changed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cli import compare_divergence, timings_report
from kubestage.cli.compare_labels import LEFT_OVER_AMOUNTS, LEFT_OVER_LABELS
from kubestage.cli.explain_text import ExplainLayout
from kubestage.cli.explaining import blocks, count
from kubestage.objects.tables import text as tables
from kubestage.results import analysis
from kubestage.results.analysis import measured
from kubestage.results.packing import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.results.comparison import Changes, Comparison, Measure, PodChange, Worse
    from kubestage.runs.compare import ComparedPair, ComparedRuns

_FEW: Final = 5
_LABELS: Final = {
    "allocation": "allocated",
    "nodesUsed": "nodes used",
    "costPerHour": "cost per hour",
    "idleShare": "idle",
    "strandedShare": "stranded",
    **LEFT_OVER_LABELS,
}
# Known only if anything is free: else they have no row.
_OFTEN_UNKNOWN: Final = ("strandedShare", "fragmentation")
_OFTEN_NONE: Final = tuple(LEFT_OVER_LABELS)


class CompareLayout(msgspec.Struct, frozen=True, kw_only=True):
    """How much is shown: all pods or a few, the scores of the best `top` nodes, and the width."""

    shows_all: bool
    top: int
    width: int


def text(compared: ComparedRuns, output: str, layout: CompareLayout, worse: Sequence[Worse]) -> str:
    """A comparison in one of the formats."""
    if output == "csv":
        return analysis.as_csv(compared.table())
    if output == "json":
        encoded = msgspec.json.encode(compared.to_dict(worse))
        return msgspec.json.format(encoded, indent=2).decode() + "\n"
    lines = list(_figures(compared.comparison, layout.width))
    for pair in compared.pairs:
        lines += ["", *_pair(compared, pair, layout)]
    durations = compared.durations
    if durations is not None:
        shown = timings_report.compared(durations, compared.names, shows_all=layout.shows_all)
        lines += ["", *shown]
    return "".join(f"{line}\n" for line in lines)


def _pair(compared: ComparedRuns, pair: ComparedPair, layout: CompareLayout) -> Iterator[str]:
    first, second = compared.names[pair.first], compared.names[pair.second]
    digests = compared.comparison.digests
    yield from _changed(pair.changes, first, second, shows_all=layout.shows_all)
    yield ""
    yield from compare_divergence.lines(
        pair.divergence,
        (first, second),
        (digests[pair.first], digests[pair.second]),
        ExplainLayout(layout.width, layout.top),
    )


def _figures(compared: Comparison, width: int) -> Iterator[str]:
    """All measures, a column for each run."""
    rows = [each for each in compared.measures if _is_shown(each)]
    columns = [("MEASURE", *(label(each) for each in rows))]
    for at, name in enumerate(compared.names):
        columns.append((name, *(_cell(each, at) for each in rows)))
    for block in blocks(columns, width):
        yield from (line.rstrip() for line in tables.align(list(zip(*block, strict=True))))
        yield ""
    legend = "min, max and stddev are of how full the nodes are"
    if len(compared.names) > 1:
        legend = f"* is best; in brackets, against {compared.names[0]}; {legend}."
    yield legend


def _is_shown(measure: Measure) -> bool:
    if measure.name in _OFTEN_NONE:
        return any(measure.values)
    is_known = any(value is not None for value in measure.values)
    return is_known or measure.name not in _OFTEN_UNKNOWN


def label(measure: Measure) -> str:
    """What tables call a measure."""
    name = _LABELS.get(measure.name, measure.name)
    return name if measure.resource is None else f"{measure.resource} {name}"


def _cell(measure: Measure, at: int) -> str:
    value, delta = measure.values[at], measure.delta(at)
    if value is None:
        return "-"
    text = shown(measure, at)
    if at and delta:
        text += _change_of(measure, delta)
    return f"{text} *" if at in measure.best else text


def _change_of(measure: Measure, delta: float) -> str:
    """The difference in brackets; nothing if it is too small to be seen."""
    if measure.currency is not None:
        sign = "-" if delta < 0 else "+"
        return f" ({sign}{wording.money(abs(delta), measure.currency)})"
    if measure.name in LEFT_OVER_AMOUNTS:
        sign = "-" if delta < 0 else "+"
        return f" ({sign}{LEFT_OVER_AMOUNTS[measure.name](int(abs(delta)))})"
    change = f"{100 * delta:+.1f}" if measure.is_rate else f"{delta:+,}"
    if measure.is_own and not measure.is_rate:
        change = f"{delta:+,.6g}"
    return "" if float(change.replace(",", "")) == 0 else f" ({change})"


def against_first(worse: Worse) -> str:
    """A measure that got worse, in a few words."""
    measure = worse.measure
    before = shown(measure, 0)
    return f"{label(measure)} {shown(measure, worse.at)}, not {before}"


def shown(measure: Measure, at: int) -> str:
    """The value of a run as people read it."""
    value = measure.values[at]
    if value is None:
        return "-"
    if measure.currency is not None:
        return wording.money(value, measure.currency)
    if measure.name in LEFT_OVER_AMOUNTS:
        return LEFT_OVER_AMOUNTS[measure.name](int(value))
    if measure.is_own and not measure.is_rate:
        return measured.text_of(value, measure.unit)
    return f"{100 * value:.1f}%" if measure.is_rate else f"{value:,}"


def _changed(changes: Changes, first: str, second: str, *, shows_all: bool) -> Iterator[str]:
    """The pods whose results differ between two runs, by kind of change."""
    found, pods = changes.found, count(changes.pods, "pod")
    if not found:
        yield f"{second} against {first}: all {pods} ended the same."
        return
    yield f"{second} against {first}: {len(found)} of {pods} ended differently."
    for kind, group in itertools.groupby(found, key=lambda change: change.kind):
        alike = list(group)
        shown = alike if shows_all else alike[:_FEW]
        yield ""
        yield f"  {len(alike)} {_named(kind, first, second)}"
        lines = tables.align([_change(each) for each in shown])
        messages = [_message(each) for each in shown]
        for line, message, following in zip(lines, messages, [*messages[1:], ""], strict=True):
            yield f"    {line}".rstrip()
            if message and message != following:
                yield f"      {message}"
        if len(shown) < len(alike):
            yield f"    and {len(alike) - len(shown)} more: --all shows them"


def _named(kind: str, first: str, second: str) -> str:
    named = kind.replace("the first", first).replace("the second", second)
    return named.replace("ended otherwise", "ended differently")


def _change(change: PodChange) -> tuple[str, ...]:
    one, other = change.first, change.second
    if one is None or other is None:
        known = one or other
        assert known is not None
        return (known.pod, f"{known.status}{f' on {known.node}' if known.node else ''}")
    names = one.pod if one.pod == other.pod else f"{one.pod} / {other.pod}"
    return (
        names,
        f"{_where(one.status, one.node)} -> {_where(other.status, other.node)}",
        *_why(change),
    )


def _where(status: str, node: str | None) -> str:
    if status == "Scheduled" and node:
        return node
    return f"{status} ({node})" if node else status


def _why(change: PodChange) -> Iterable[str]:
    assert change.second is not None
    if change.second.preempted_by and change.kind.endswith("preempted"):
        yield f"by {change.second.preempted_by}"


def _message(change: PodChange) -> str:
    """Why a pod waits that did not: too long for a column, and often the same for many."""
    if change.first is None or change.second is None or any(_why(change)):
        return ""
    return change.second.message or ""
