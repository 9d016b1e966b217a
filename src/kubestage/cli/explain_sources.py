"""All that was found out in attempts, from where it can be had: the record, the status, or the run
itself, once more.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Final

from kubestage.cli import explain_status
from kubestage.errors import InputError
from kubestage.results import analysis, comparison
from kubestage.results.comparison import attempts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.cli.explain_repeating import Repeated
    from kubestage.results.analysis import Digest
    from kubestage.results.comparison import Tried
    from kubestage.results.run_directory import Run
    from kubestage.scheduler.record import Decision


_UNREPEATABLE: Final = (
    "this run kept neither what its plugins said nor how to repeat it; "
    "`kubestage run --out DIR` keeps both"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Stories:
    """Attempts told in full, by number, as far as they are known.

    `notes` are for the reader, `differs` says why a repetition of the run is another run.
    """

    told: dict[int, Json]
    notes: tuple[str, ...] = ()
    differs: str | None = None


def digest(run: Run) -> Digest:
    """A run, walked through; what is wrong with its status is told with its name."""
    try:
        return analysis.digest(run.scenario)
    except InputError as error:
        error.file = error.file or run.name
        raise


def stories(run: Run, numbers: Collection[int], rows: Callable[[], Iterable[Tried]]) -> Stories:
    """The attempts of these numbers, told in full.

    `rows` gives all that is known of the attempts of the run, to compare a repetition with.
    """
    told = {number: story for number in numbers if (story := _recorded(run, number)) is not None}
    missing = [number for number in numbers if number not in told]
    if missing:
        told |= explain_status.in_status(run.scenario, set(missing))
        missing = [number for number in missing if number not in told]
    if not missing:
        return Stories(told)
    if run.repeat is None:
        return Stories(told, notes=(_UNREPEATABLE,))
    try:
        again = _repeated(run, missing, {each.number: each for each in rows()})
    except InputError as error:
        return Stories(told, differs=str(error))
    return dataclasses.replace(again, told=told | again.told)


def _repeated(run: Run, numbers: Collection[int], known: Mapping[int, Tried]) -> Stories:
    """Attempts told by a repetition, as far as that is the run that it repeats."""
    from kubestage.cli import explain_repeating

    this = explain_repeating.repeatable(run)
    repeated = explain_repeating.repeat(this, numbers)
    parted, how = _first_difference(known, repeated, numbers)
    told = {number: repeated.told[number] for number in numbers if number < parted}
    doubts = "; ".join(this.doubts)
    if how:
        return Stories(told, differs=f"{how}; {doubts}" if doubts else how)
    return Stories(told, notes=(f"{doubts}; but every decision is the same",) if doubts else ())


def tried(run: Run, told: Digest) -> list[Tried]:
    """Every attempt of a run that is known in any way, in order; `told` is its digest."""
    found: dict[int, Tried] = {}
    if run.record is not None:
        found = {each.number: each for each in attempts.recorded(run.record.decisions())}
    found |= {each.number: each for each in comparison.tried(told)}
    return [found[number] for number in sorted(found)]


def _recorded(run: Run, number: int) -> Json | None:
    return None if run.record is None else run.record.explanation(number)


def _first_difference(
    known: Mapping[int, Tried], repeated: Repeated, wanted: Collection[int]
) -> tuple[float, str]:
    """The first attempt in which a repetition is not the run that it repeats, and in what."""
    for number, decision in sorted(repeated.decisions.items()):
        before = known.get(number)
        if before is not None and not _is_same(before, decision):
            now = attempts.of_decision(decision, before.step)
            return number, f"attempt {number} was {_outcome(before)}, and now is {_outcome(now)}"
    lost = [number for number in wanted if number not in repeated.told]
    if lost:
        return min(lost), f"attempt {min(lost)} is not made any more"
    return math.inf, ""


def _is_same(before: Tried, now: Decision) -> bool:
    return (
        before.pod,
        before.result,
        before.node or "",
        before.message,
        before.evaluated_nodes,
        before.feasible_nodes,
    ) == (now.pod, now.result, now.node, now.message, now.evaluated, now.feasible)


def _outcome(row: Tried) -> str:
    where = f" on {row.node}" if row.node else f" ({row.message})"
    return f"{row.pod} {row.result}{where}"
