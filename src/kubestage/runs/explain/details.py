"""The details of attempts: from the record, from the status, or from a repetition of the run."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results import analysis, comparison
from kubestage.results.comparison import attempts
from kubestage.runs.explain import status_details
from kubestage.runs.observer import SILENT

with lazy.imports():
    from kubestage.runs.explain import repetition

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest
    from kubestage.results.comparison import Tried
    from kubestage.results.run_directory import Run
    from kubestage.runs.explain.repetition import Repetition
    from kubestage.runs.observer import Observer
    from kubestage.scheduler.record import Decision


_UNREPEATABLE: Final = (
    "this run kept neither what its plugins said nor how to repeat it; "
    "`kubestage run --out DIR` keeps both"
)


@dataclasses.dataclass(frozen=True, slots=True)
class AttemptDetails:
    """The explanations of attempts by number, as far as they are known.

    `notes` are for the reader, `differs` is in what a repetition of the run differs from the run.
    """

    explanations: dict[int, Json]
    notes: tuple[str, ...] = ()
    differs: str | None = None


def digest(run: Run) -> Digest:
    """The digest of a run; an error in its status names the run."""
    try:
        return analysis.digest(run.scenario)
    except InputError as error:
        error.file = error.file or run.name
        raise


def details_of(
    run: Run,
    numbers: Collection[int],
    rows: Callable[[], Iterable[Tried]],
    observer: Observer = SILENT,
) -> AttemptDetails:
    """The details of the attempts of these numbers.

    `rows` gives all that is known of the attempts of the run, to compare a repetition with.
    """
    found = {number: each for number in numbers if (each := _recorded(run, number)) is not None}
    missing = [number for number in numbers if number not in found]
    if missing:
        found |= status_details.in_status(run.scenario, set(missing))
        missing = [number for number in missing if number not in found]
    if not missing:
        return AttemptDetails(found)
    if run.repeat is None:
        return AttemptDetails(found, notes=(_UNREPEATABLE,))
    try:
        repeated = _repeated(run, missing, {each.number: each for each in rows()}, observer)
    except InputError as error:
        return AttemptDetails(found, differs=str(error))
    return dataclasses.replace(repeated, explanations=found | repeated.explanations)


def _repeated(
    run: Run, numbers: Collection[int], known: Mapping[int, Tried], observer: Observer
) -> AttemptDetails:
    """Details from a repetition, as far as it is the same run."""
    this = repetition.repeatable(run)
    repeated = repetition.repeat(this, numbers, observer)
    first, difference = _first_difference(known, repeated, numbers)
    found = {number: repeated.explanations[number] for number in numbers if number < first}
    warnings = "; ".join(this.warnings)
    if difference:
        differs = f"{difference}; {warnings}" if warnings else difference
        return AttemptDetails(found, differs=differs)
    notes = (f"{warnings}; but every decision is the same",) if warnings else ()
    return AttemptDetails(found, notes=notes)


def attempts_of(run: Run, digest: Digest) -> list[Tried]:
    """Every attempt of a run that is in its record or its digest, in order."""
    found: dict[int, Tried] = {}
    if run.record is not None:
        found = {each.number: each for each in attempts.recorded(run.record.decisions())}
    found |= {each.number: each for each in comparison.tried(digest)}
    return [found[number] for number in sorted(found)]


def _recorded(run: Run, number: int) -> Json | None:
    return None if run.record is None else run.record.explanation(number)


def _first_difference(
    known: Mapping[int, Tried], repeated: Repetition, numbers: Collection[int]
) -> tuple[float, str]:
    """The first attempt in which a repetition differs from the run, and in what."""
    for number, decision in sorted(repeated.decisions.items()):
        before = known.get(number)
        if before is not None and not _is_same(before, decision):
            now = attempts.of_decision(decision, before.step)
            return number, f"attempt {number} was {_outcome(before)}, and now is {_outcome(now)}"
    lost = [number for number in numbers if number not in repeated.explanations]
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
