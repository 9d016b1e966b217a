"""All that is wrong with a Scenario, found before it is run, with paths that lead to lines.

A run would stop at the first of these, perhaps after hours of virtual time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects import field_check, kinds, object_check
from kubestage.scenario import written_events
from kubestage.scenario.operation_problems import OperationProblems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


# Cures that only the meaning of a field can tell.
_CURES: Final = {
    "patchOperation.patch": "write the patch as text: put | after patch:",
    "spec.stepDuration": written_events.DURATIONS,
}
# Told as a flaw, which says more than that it is unknown.
_TOLD_BETTER: Final = "spec.controllers"


def problems(
    scenario: Json, table: kinds.KindTable | None = None, *, at_the_door: bool = False
) -> list[InputError]:
    """Every problem of a Scenario; paths begin at the Scenario.

    Objects are checked as if they were created: kind, fields, types and rules. `table` has the
    kinds that the cluster will know; those that the Scenario itself defines are added. With
    `at_the_door`, events are passed over that make the Scenario fail when it is run.
    """
    table = kinds.KindTable() if table is None else table
    found = list(_misfits(scenario))
    told = {each.path or "" for each in found}
    spec = scenario.get("spec")
    events = written_events.of(spec)
    found += [
        InputError(flaw.problem, path=flaw.path, fix=flaw.fix)
        for flaw in written_events.flaws(spec, events)
        if not _is_told(flaw.path, told) and not (at_the_door and flaw.fails_run)
    ]
    told |= {each.path or "" for each in found}
    if not any(path.startswith("metadata") for path in told):
        broken = object_check.broken_rules(scenario, table.of(scenario))
        found += [each for each in broken if not _is_told(each.path or "", told)]
    return found + OperationProblems(table).of(events)


def _misfits(scenario: Json) -> Iterator[InputError]:
    for misfit in field_check.misfits(scenario):
        cures = [cure for place, cure in _CURES.items() if misfit.path.endswith(place)]
        fix = cures[0] if cures else misfit.fix
        if misfit.path != _TOLD_BETTER:
            yield InputError(misfit.problem, path=misfit.path, fix=fix)


def _is_told(path: str, told: set[str]) -> bool:
    """Whether something was told of the same place, or of one within it."""
    return path in told or any(each.startswith((f"{path}.", f"{path}[")) for each in told)
