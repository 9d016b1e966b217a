"""Where living runs part: the first node that differs, and what several seeds say together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.tables import text as tables
from kubestage.results.life import node_steps, wording
from kubestage.results.packing import wording as money

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.results.comparison import Measure
    from kubestage.results.life.node_steps import NodeDivergence, NodeStep
    from kubestage.results.life.paired import PairedDifference
    from kubestage.runs.compare import ComparedLives

    Label = Callable[[Measure], str]
    Shown = Callable[[Measure, float], str]

_WORKLOAD: Final = "workload"
_PAID_BY: Final = ("pool", "capacity type", "namespace", _WORKLOAD, "idle")
_MOST: Final = 10
_DEEDS: Final = {node_steps.ADDED: "comes", node_steps.REMOVED: "goes"}


def lines(compared: ComparedLives, label: Label, shown: Shown) -> Iterator[str]:
    """The differences over seeds, then where the nodes of each run part from the first's."""
    if compared.differences:
        yield ""
        yield from _paired(compared, label, shown)
    if compared.divergences:
        yield from _money(compared)
    for name, each in zip(compared.names[1:], compared.divergences, strict=False):
        yield ""
        yield from _divergence(each, (compared.names[0], name), compared.currency, compared.seeds)


def _money(compared: ComparedLives) -> Iterator[str]:
    """Who pays, and for what; instance types and many workloads are for `-o json`."""
    rows = [each for each in compared.spending() if each[0] in _PAID_BY]
    workloads = [each for each in rows if each[0] == _WORKLOAD]
    left_out = workloads[_MOST:]
    if not rows:
        return
    of_seed = f" (seed {compared.seeds[0]})" if compared.seeds else ""
    yield ""
    yield f"What was paid{of_seed}:"
    cells = [("BY", "NAME", *compared.names)]
    for by, name, costs in rows:
        if (by, name, costs) not in left_out:
            paid = ("" if each is None else money.money(each, compared.currency) for each in costs)
            cells.append((by, name, *paid))
    yield from (f"  {line.rstrip()}" for line in tables.align(cells))
    if left_out:
        yield f"  and {len(left_out):,} more workloads: -o json has all, and instance types"


def _paired(compared: ComparedLives, label: Label, shown: Shown) -> Iterator[str]:
    known = {each.key: each for each in compared.measures}
    level = f"{100 * compared.differences[0].level:g}%"
    first = compared.names[0]
    yield f"Against {first}, seed by seed ({len(compared.seeds)} seeds):"
    cells = [("MEASURE", "RUN", "DIFFERENCE", f"{level} INTERVAL", "")]
    for each in compared.differences:
        if not each.mean and not each.high:
            continue
        measure = known[each.measure]
        cells.append(
            (
                label(measure),
                each.run,
                _signed(each.mean, measure, shown),
                _interval(each, measure, shown),
                each.verdict,
            )
        )
    yield from (f"  {line.rstrip()}" for line in tables.align(cells))


def _interval(found: PairedDifference, measure: Measure, shown: Shown) -> str:
    if found.low is None or found.high is None:
        return "every seed the same"
    return f"{_signed(found.low, measure, shown)} to {_signed(found.high, measure, shown)}"


def _signed(value: float, measure: Measure, shown: Shown) -> str:
    text = shown(measure, abs(value))
    return text if not value else f"{'+' if value > 0 else '-'}{text}"


def _divergence(
    found: NodeDivergence | None,
    names: tuple[str, str],
    currency: str,
    seeds: Sequence[int],
) -> Iterator[str]:
    of_seed = f", seed {seeds[0]}" if seeds else ""
    if found is None:
        yield f"{names[1]} and {names[0]} buy and remove the same nodes{of_seed}."
        return
    before = f" after {found.same:,} equal ones" if found.same else ""
    yield f"The first node that differs{before}{of_seed}:"
    cells = [
        (name, *_described(step, currency))
        for name, step in zip(names, (found.first, found.second), strict=True)
    ]
    yield from (f"  {line.rstrip()}" for line in tables.align(cells))


def _described(step: NodeStep | None, currency: str) -> tuple[str, str]:
    if step is None:
        return "", "no more nodes come or go"
    kind = step.instance_type or "a node"
    price = "" if step.per_hour is None else f" at {money.money(step.per_hour, currency)} per hour"
    pool = f" of {step.pool}" if step.pool else ""
    why = f": {step.reason}" if step.reason else ""
    text = f"{kind} ({step.capacity_type}){price}{pool} {_DEEDS[step.what]}{why}"
    return wording.span(step.at_seconds), text
