"""What is printed of a comparison, in each of the formats."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING

import msgspec

from kubestage.cli import (
    compare_data,
    compare_divergence,
    compare_table,
    explain_story,
    timings_report,
)
from kubestage.results import analysis, timings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.cli.compare_divergence import Parting
    from kubestage.cli.compare_runs import Contender
    from kubestage.results.analysis import Table
    from kubestage.results.comparison import Comparison, Worse


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """What a person wants to see; `pairs` are the runs to be told apart, by position."""

    output: str
    pairs: Sequence[tuple[int, int]]
    shows_all: bool
    top: int
    width: int


def write(
    contenders: Sequence[Contender],
    compared: Comparison,
    asked: Asked,
    notes: Sequence[str],
    worse: Sequence[Worse],
) -> list[str]:
    """Print a comparison; what else there is to note is handed back."""
    durations = _durations(contenders, compared.names)
    if asked.output == "csv":
        sys.stdout.write(analysis.as_csv(compared.table()))
        return []
    partings = {
        (first, second): compare_divergence.part((contenders[first], contenders[second]))
        for first, second in asked.pairs
    }
    if asked.output == "json":
        pairs = [
            compare_data.pair(_names(compared, pair), compared.changes(*pair), parting)
            for pair, parting in partings.items()
        ]
        told = compare_data.as_dict(compared, notes, pairs, worse)
        if durations is not None:
            told["timings"] = list(durations.records())
        text = msgspec.json.format(msgspec.json.encode(told), indent=2).decode()
        sys.stdout.write(f"{text}\n")
    else:
        lines = list(compare_table.figures(compared, asked.width))
        for pair, parting in partings.items():
            lines += ["", *_told_apart(compared, pair, parting, asked)]
        if durations is not None:
            is_whole = asked.shows_all
            lines += ["", *timings_report.compared(durations, compared.names, shows_all=is_whole)]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    return [note for parting in partings.values() for note in parting.notes]


def _durations(contenders: Sequence[Contender], names: Sequence[str]) -> Table | None:
    """How long scheduling took, run by run; None unless that is known of all of them."""
    known = [each.timings for each in contenders if each.timings is not None]
    return timings.side_by_side(names, known) if len(known) == len(contenders) else None


def _told_apart(
    compared: Comparison, pair: tuple[int, int], parting: Parting, asked: Asked
) -> Iterator[str]:
    first, second = _names(compared, pair)
    digests = compared.digests[pair[0]], compared.digests[pair[1]]
    yield from compare_table.changed(
        compared.changes(*pair),
        first,
        second,
        shows_all=asked.shows_all,
    )
    yield ""
    look = explain_story.Look(asked.width, asked.top)
    yield from compare_divergence.lines(parting, (first, second), digests, look)


def _names(compared: Comparison, pair: tuple[int, int]) -> tuple[str, str]:
    return compared.names[pair[0]], compared.names[pair[1]]
