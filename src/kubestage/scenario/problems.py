"""All that is wrong with a Scenario, found before it is run, with paths that lead to lines.

A run would stop at the first of these, perhaps after hours of virtual time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import field_check, gvk, kinds, object_check
from kubestage.scenario import patch_text, written_events
from kubestage.scenario.written_events import CREATE, DELETE, OPERATIONS, PATCH
from kubestage.store.template_cache import TemplateCache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.scenario.written_events import WrittenEvent


class OperationProblems:
    """Validates the operations of one Scenario by the kinds that the cluster will know."""

    def __init__(self, table: KindTable) -> None:
        self._table = table.copy()
        self._templates = TemplateCache()
        self._sound: set[bytes] = set()

    def find(self, events: Sequence[WrittenEvent]) -> list[InputError]:
        """What is wrong with the operations, in the order of the events."""
        for event in events:
            self._define(event.body_of(CREATE).get("object"))
        return [problem for event in events for problem in self._in_event(event)]

    def _define(self, obj: Any) -> None:
        """Add the kinds that the Scenario defines, in whatever step."""
        if (
            isinstance(obj, dict)
            and (obj.get("apiVersion"), obj.get("kind")) == gvk.CUSTOM_RESOURCE_DEFINITION
        ):
            try:
                self._table.register(obj)
            except (KeyError, TypeError, AttributeError):
                # Its problems are reported where it is created.
                return

    def _in_event(self, event: WrittenEvent) -> Iterator[InputError]:
        found = {
            CREATE: self._in_object(event.body_of(CREATE).get("object")),
            PATCH: self._in_patch(event.body_of(PATCH)),
            DELETE: self._in_target(event.body_of(DELETE)),
        }
        for operation, problems in found.items():
            for problem in problems:
                problem.path = f"{event.path}.{OPERATIONS[operation]}.{problem.path}"
                yield problem

    def _in_object(self, obj: Any) -> Iterator[InputError]:
        if not isinstance(obj, dict):
            return
        key = None
        try:
            kind = self._table.of(obj)
            key = self._templates.key(kind, obj)
            # Most pods differ from another one only in their name.
            found = [] if key in self._sound else object_check.problems(obj, kind)
        except InputError as error:
            found = [error]
        if key is not None and not found:
            self._sound.add(key)
        for problem in found:
            problem.path = f"object.{problem.path}" if problem.path else "object"
            yield problem

    def _in_target(self, body: Json) -> Iterator[InputError]:
        kind, metadata = body.get("typeMeta"), body.get("objectMeta")
        if isinstance(kind, dict):
            try:
                self._table.of(kind)
            except InputError as error:
                error.path = f"typeMeta.{error.path}"
                yield error
        if isinstance(metadata, dict) and not metadata.get("name"):
            fix = "write the name of the object that is meant"
            yield InputError("is missing", path="objectMeta.name", fix=fix)

    def _in_patch(self, body: Json) -> Iterator[InputError]:
        yield from self._in_target(body)
        text, stated = body.get("patch"), body.get("patchType")
        if not isinstance(text, str):
            return
        try:
            patch = patch_text.parse(text)
        except ValueError as error:
            yield InputError(str(error), path="patch", fix="write an object, or a list for JSON")
            return
        if isinstance(stated, str) and stated in (*patch_text.TYPES, *patch_text.APPLY):
            misfit = patch_text.misfit(patch, stated)
            if misfit is not None:
                yield InputError(misfit, path="patchType")
        if isinstance(patch, dict) and isinstance(body.get("typeMeta"), dict):
            yield from _in_fields(patch, body["typeMeta"])


def _in_fields(patch: Json, kind: Json) -> Iterator[InputError]:
    """Fields of a patch that the kind does not have; directives are for others to judge."""
    part = {**patch, "apiVersion": kind.get("apiVersion"), "kind": kind.get("kind")}
    for misfit in field_check.misfits(part):
        if "$" not in misfit.path:
            yield InputError(f"{misfit.path}: {misfit.problem}", path="patch", fix=misfit.fix)


# Fixes that follow from the meaning of a field.
_FIXES: Final = {
    "patchOperation.patch": "write the patch as text: put | after patch:",
    "spec.stepDuration": written_events.DURATIONS,
}
# Reported as a flaw, which says more than that it is unknown.
_REPORTED_AS_FLAW: Final = "spec.controllers"


def problems(
    scenario: Json, table: kinds.KindTable | None = None, *, at_admission: bool = False
) -> list[InputError]:
    """Every problem of a Scenario; paths begin at the Scenario.

    Objects are checked as if they were created: kind, fields, types and rules. `table` has the
    kinds that the cluster will know; those that the Scenario itself defines are added. With
    `at_admission`, events are passed over that make the Scenario fail when it is run.
    """
    table = kinds.KindTable() if table is None else table
    found = list(_misfits(scenario))
    reported = {each.path or "" for each in found}
    spec = scenario.get("spec")
    events = written_events.read(spec)
    found += [
        InputError(flaw.problem, path=flaw.path, fix=flaw.fix)
        for flaw in written_events.flaws(spec, events)
        if not _is_reported(flaw.path, reported) and not (at_admission and flaw.fails_run)
    ]
    reported |= {each.path or "" for each in found}
    if not any(path.startswith("metadata") for path in reported):
        broken = object_check.broken_rules(scenario, table.of(scenario))
        found += [each for each in broken if not _is_reported(each.path or "", reported)]
    return found + OperationProblems(table).find(events)


def _misfits(scenario: Json) -> Iterator[InputError]:
    for misfit in field_check.misfits(scenario):
        fixes = [fix for place, fix in _FIXES.items() if misfit.path.endswith(place)]
        fix = fixes[0] if fixes else misfit.fix
        if misfit.path != _REPORTED_AS_FLAW:
            yield InputError(misfit.problem, path=misfit.path, fix=fix)


def _is_reported(path: str, reported: set[str]) -> bool:
    """Whether a problem was reported at the same place, or at one within it."""
    return path in reported or any(each.startswith((f"{path}.", f"{path}[")) for each in reported)
