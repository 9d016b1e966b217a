"""A comparison as a person reads it: figures side by side, then what changed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.cli.explaining import blocks, count
from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.results.comparison import Change, Changes, Comparison, Measure, Worse

_FEW: Final = 5
_LABELS: Final = {"allocation": "allocated", "nodesUsed": "nodes used"}


def figures(compared: Comparison, width: int) -> Iterator[str]:
    """All measures, a column for each run."""
    rows = list(compared.measures)
    columns = [("MEASURE", *(_label(each) for each in rows))]
    for at, name in enumerate(compared.names):
        columns.append((name, *(_cell(each, at) for each in rows)))
    for block in blocks(columns, width):
        yield from (line.rstrip() for line in text.align(list(zip(*block, strict=True))))
        yield ""
    told = "min, max and stddev are of how full the nodes are"
    if len(compared.names) > 1:
        told = f"* is best; in brackets, against {compared.names[0]}; {told}."
    yield told


def _label(measure: Measure) -> str:
    name = _LABELS.get(measure.name, measure.name)
    return name if measure.resource is None else f"{measure.resource} {name}"


def _cell(measure: Measure, at: int) -> str:
    value, delta = measure.values[at], measure.delta(at)
    if value is None:
        return "-"
    told = _shown(measure, at)
    if at and delta:
        change = f"{100 * delta:+.1f}" if measure.is_rate else f"{delta:+,}"
        told += "" if float(change.replace(",", "")) == 0 else f" ({change})"
    return f"{told} *" if at in measure.best else told


def against_first(worse: Worse) -> str:
    """A measure that got worse, in a few words."""
    measure = worse.measure
    before = _shown(measure, 0)
    return f"{_label(measure)} {_shown(measure, worse.at)}, not {before}"


def _shown(measure: Measure, at: int) -> str:
    value = measure.values[at]
    if value is None:
        return "-"
    return f"{100 * value:.1f}%" if measure.is_rate else f"{value:,}"


def changed(changes: Changes, first: str, second: str, *, shows_all: bool) -> Iterator[str]:
    """What became of pods in a run that did not in another, by kind of change."""
    found, pods = changes.found, count(changes.pods, "pod")
    if not found:
        yield f"{second} against {first}: all {pods} ended the same."
        return
    yield f"{second} against {first}: {len(found)} of {pods} ended otherwise."
    for kind, group in itertools.groupby(found, key=lambda change: change.kind):
        alike = list(group)
        shown = alike if shows_all else alike[:_FEW]
        yield ""
        yield f"  {len(alike)} {_named(kind, first, second)}"
        lines = text.align([_change(each) for each in shown])
        messages = [_message(each) for each in shown]
        for line, said, next_said in zip(lines, messages, [*messages[1:], ""], strict=True):
            yield f"    {line}".rstrip()
            if said and said != next_said:
                yield f"      {said}"
        if len(shown) < len(alike):
            yield f"    and {len(alike) - len(shown)} more: --all shows them"


def _named(kind: str, first: str, second: str) -> str:
    return kind.replace("the first", first).replace("the second", second)


def _change(change: Change) -> tuple[str, ...]:
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


def _why(change: Change) -> Iterable[str]:
    assert change.second is not None
    if change.second.preempted_by and change.kind.endswith("preempted"):
        yield f"by {change.second.preempted_by}"


def _message(change: Change) -> str:
    """Why a pod waits that did not: too long for a column, and often the same for many."""
    if change.first is None or change.second is None or any(_why(change)):
        return ""
    return change.second.message or ""
