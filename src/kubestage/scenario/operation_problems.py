"""What the operations of a Scenario would fail with, as far as that can be told beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.objects import field_check, gvk, object_check
from kubestage.scenario import patch_text
from kubestage.scenario.written_events import CREATE, DELETE, OPERATIONS, PATCH
from kubestage.store.template_cache import TemplateCache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.scenario.written_events import WrittenEvent


class OperationProblems:
    """Judges the operations of one Scenario by the kinds that the cluster will know."""

    def __init__(self, table: KindTable) -> None:
        self._table = table.copy()
        self._templates = TemplateCache()
        self._sound: set[bytes] = set()

    def of(self, events: Sequence[WrittenEvent]) -> list[InputError]:
        """What is wrong with the operations, in the order of the events."""
        for event in events:
            self._define(event.body_of(CREATE).get("object"))
        return [problem for event in events for problem in self._of_event(event)]

    def _define(self, obj: Any) -> None:
        """Add the kinds that the Scenario brings along; in which step is its own affair."""
        if (
            isinstance(obj, dict)
            and (obj.get("apiVersion"), obj.get("kind")) == gvk.CUSTOM_RESOURCE_DEFINITION
        ):
            try:
                self._table.register(obj)
            except (KeyError, TypeError, AttributeError):
                # Its own problems will be told.
                return

    def _of_event(self, event: WrittenEvent) -> Iterator[InputError]:
        found = {
            CREATE: self._of_object(event.body_of(CREATE).get("object")),
            PATCH: self._of_patch(event.body_of(PATCH)),
            DELETE: self._of_target(event.body_of(DELETE)),
        }
        for operation, problems in found.items():
            for problem in problems:
                problem.path = f"{event.path}.{OPERATIONS[operation]}.{problem.path}"
                yield problem

    def _of_object(self, obj: Any) -> Iterator[InputError]:
        if not isinstance(obj, dict):
            return
        key = None
        try:
            kind = self._table.of(obj)
            key = self._templates.key(kind, obj)
            # Most pods are like another one, and have nothing but their name to themselves.
            found = [] if key in self._sound else object_check.problems(obj, kind)
        except InputError as error:
            found = [error]
        if key is not None and not found:
            self._sound.add(key)
        for problem in found:
            problem.path = f"object.{problem.path}" if problem.path else "object"
            yield problem

    def _of_target(self, body: Json) -> Iterator[InputError]:
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

    def _of_patch(self, body: Json) -> Iterator[InputError]:
        yield from self._of_target(body)
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
            yield from _of_fields(patch, body["typeMeta"])


def _of_fields(patch: Json, kind: Json) -> Iterator[InputError]:
    """Fields of a patch that the kind does not have; directives are for others to judge."""
    part = {**patch, "apiVersion": kind.get("apiVersion"), "kind": kind.get("kind")}
    for misfit in field_check.misfits(part):
        if "$" not in misfit.path:
            yield InputError(f"{misfit.path}: {misfit.problem}", path="patch", fix=misfit.fix)
