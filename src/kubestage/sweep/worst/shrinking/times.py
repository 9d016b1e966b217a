"""Simpler times: everything as early as possible, without idle steps, at round seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.sweep.worst import case as cases
from kubestage.sweep.worst.mutations import failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.sweep.worst.case import Case

_ROUND: Final = (600, 60, 10)
_STEPS: Final = 60
"""A case whose last moment is later is one of seconds, and need not be numbered without gaps."""


def candidates(case: Case) -> Iterator[Case]:
    """The case without gaps between its steps, then single events earlier or at round times."""
    moments = sorted({event.at for event in case.events})
    if moments and moments[-1] < _STEPS:
        numbers = {at: number for number, at in enumerate(moments)}
        yield _moved(case, numbers)
    for at in moments:
        # All that happens at one moment together, then event by event.
        for target in _simpler(at, moments):
            yield _moved(case, {at: target})
    for place, event in enumerate(case.events):
        for target in _simpler(event.at, moments):
            yield case.replaced(place, msgspec.structs.replace(event, at=target))
    yield from _failures(case)


def _failures(case: Case) -> Iterator[Case]:
    """Nodes that fail at rounder times, or that do not come back."""
    for place, event in enumerate(case.events):
        obj = event.object or {}
        notes = (obj.get("metadata") or {}).get("annotations") or {}
        for name in (failures.FAILS_AFTER, failures.RECOVERS_AFTER):
            seconds = str(notes.get(name, "")).removesuffix("s")
            if not seconds.isdecimal():
                continue
            simpler = [{**notes, name: f"{each}s"} for each in _rounder(int(seconds))]
            if name == failures.RECOVERS_AFTER:
                simpler.insert(0, {key: notes[key] for key in notes if key != name})
            for changed in simpler:
                metadata = {**obj["metadata"], "annotations": changed}
                yield case.replaced(place, event.with_object({**obj, "metadata": metadata}))


def _moved(case: Case, numbers: dict[int, int]) -> Case:
    return cases.arranged(
        msgspec.structs.replace(event, at=numbers.get(event.at, event.at)) for event in case.events
    )


def _simpler(at: int, moments: list[int]) -> list[int]:
    """Moments that are simpler than one: the one before it, or a rounder one before it."""
    before = [each for each in moments if each < at]
    found = [*before[:1], *before[-1:], *_rounder(at)]
    return [each for each in dict.fromkeys(found) if each < at]


def _rounder(seconds: int) -> list[int]:
    return [seconds // unit * unit for unit in _ROUND if seconds > unit and seconds % unit]
