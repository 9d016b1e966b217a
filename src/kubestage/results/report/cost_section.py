"""Whose the cost of a run's end is, as a table; only where nodes have prices."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from kubestage.results import analysis
from kubestage.results.analysis import cost_tables
from kubestage.results.packing import wording
from kubestage.results.report import life_tables
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.analysis import Digest, StepPacking, Summary

_HEAD: Final = ("", "Name", "Nodes", "Pods", "CPU", "Memory", "Per hour", "Share", "Idle")
_WORDS: Final = (0, 1)
_MOST: Final = 1000
_NO_NAME: Final = {"cluster": "all nodes", "pool": "no pool"}


def sections(summary: Summary, run: Digest) -> Iterator[tuple[str, str, Html, Html]]:
    """Anchor, title, a sentence and the body; nothing without prices."""
    packing = summary.packing
    if not cost_tables.has_prices(run) or packing is None or packing.cost_per_hour is None:
        return
    records = analysis.table(run, "cost-shares").records()
    lead = element("p", _lead(packing), class_="soft small")
    rows = (_cells(each) for each in itertools.islice(records, _MOST))
    yield "cost", "Cost", lead, life_tables.table(_HEAD, rows, words=_WORDS)


def _lead(packing: StepPacking) -> str:
    cost = wording.money(packing.cost_per_hour, packing.currency)
    idle, daemons = wording.share(packing.idle_rate), wording.share(packing.daemon_cost_rate)
    whole = f"At the end nodes cost {cost} per hour"
    parts = [f"{whole}, {idle} of it idle and {daemons} of it for pods that every node has."]
    stranded = [wording.cores(packing.cpu_stranded), wording.gibibytes(packing.memory_stranded)]
    if packing.cpu_stranded or packing.memory_stranded:
        parts.append(f"{' and '.join(stranded)} of what is free are stranded.")
    if packing.fit_nowhere:
        parts.append(
            f"Of {packing.fit_in_sum:,} median pods with room in sum, "
            f"{packing.fit_nowhere:,} would fit on no node."
        )
    return " ".join(parts)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    money = (row["costPerHour"], row["idlePerHour"])
    cost, idle = ("–" if each is None else wording.money(each, row["currency"]) for each in money)
    return (
        row["by"],
        row["name"] or _NO_NAME.get(row["by"], ""),
        *("–" if row[name] is None else f"{row[name]:,}" for name in ("nodes", "pods")),
        wording.cores(row["cpu"]),
        wording.gibibytes(row["memory"]),
        cost,
        wording.share(row["rate"]),
        idle,
    )
