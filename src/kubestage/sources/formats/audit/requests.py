"""What requests of an audit log did to objects."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import labels
from kubestage.objects.patches import PatchType
from kubestage.sources import canonical_kinds, folding
from kubestage.sources.formats import texts
from kubestage.sources.formats.audit import log
from kubestage.sources.imported import Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.sources.formats.audit.log import Event
    from kubestage.sources.imported import Verb
    from kubestage.sources.intake import Intake

NO_BODY: Final = "request without a body in the log (level Metadata)"
GENERATED: Final = "created with a generated name, which the log does not have (level Request)"
NOT_SHOWN: Final = "patch of an object that the log has not shown"
NOT_FOUND: Final = "deleted, and the log has not shown it"
COLLECTION: Final = "deletecollection whose objects are not known"
_SUBRESOURCES: Final = frozenset({"", "status", "scale", "binding", "eviction", "resize"})
_NOTES: Final = {
    "Metadata": "has who changed which object when, and no bodies: only deletions, evictions and "
    "the like of objects that other sources have can be imported",
    "Request": "has what clients sent: no generated names, no defaults and uids, and a patch is "
    "known only if the log has its object",
    "RequestResponse": "has whole objects; what was there before the log began is known only if "
    "it was changed later",
}
PATCHES: Final = (
    "an audit log does not state the type of a patch: one with apiVersion and kind is taken for "
    "server-side apply, a list for a JSON patch, others merge lists by their keys"
)


def finish(events: Sequence[Event], intake: Intake) -> None:
    """Turn all requests into changes, in the order of their times."""
    requests = _Requests(intake)
    for event in sorted(events, key=lambda each: each.at_ns):
        requests.take(event)
    total = sum(intake.levels.values())
    for level in log.LEVELS:
        if count := intake.levels[level]:
            share = f"{count:,} of {total:,} audit events"
            intake.note(f"{share} have level {level}, which {_NOTES[level]}")


class _Requests:
    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        # Other sources may have what was there before the log.
        self._state = folding.State(intake.objects())

    def take(self, event: Event) -> None:
        """Note what a request changed."""
        ref = event.object_ref
        assert ref is not None
        found = canonical_kinds.by_plural(ref.api_group, ref.resource)
        if found is None or ref.subresource not in _SUBRESOURCES:
            if found is None:
                self._intake.leave_out(ref.resource, canonical_kinds.NOT_SIMULATED)
            return
        if canonical_kinds.find(*found) is None:
            self._intake.leave_out(found[1], canonical_kinds.reason_left_out(*found))
            return
        reference = Reference(*found, ref.namespace, ref.name)
        if ref.subresource:
            self._subresource(event, reference, ref.subresource)
        elif event.verb == "delete":
            self._delete(event, reference)
        elif event.verb == "deletecollection":
            self._delete_collection(event, reference)
        else:
            self._write(event, reference)

    def _write(self, event: Event, reference: Reference) -> None:
        whole = _whole(event.response_object, reference)
        created = event.verb == "create" or _code(event) == 201
        if whole is None and (event.verb != "patch" or created):
            whole = _whole(event.request_object, reference)
        elif whole is None:
            whole = self._patched(event, reference)
            if whole is None:
                why = NOT_SHOWN if event.request_object is not None else NO_BODY
                self._intake.leave_out(reference.kind, why)
                return
        if whole is None:
            is_generated = event.request_object is not None
            self._intake.leave_out(reference.kind, GENERATED if is_generated else NO_BODY)
            return
        self._change(event, "create" if created else "update", reference, whole)

    def _patched(self, event: Event, reference: Reference) -> Json | None:
        patch = event.request_object
        if patch is None:
            return None
        self._intake.note(PATCHES)
        form = PatchType.JSON if isinstance(patch, list) else PatchType.STRATEGIC
        return self._state.patched(reference, form, patch)

    def _subresource(self, event: Event, reference: Reference, name: str) -> None:
        if name == "eviction":
            self._delete(event, reference)
            return
        body = texts.part({"": event.request_object}, "")
        if name == "binding":
            node = texts.text(texts.part(body, "target"), "name")
            patch: Json | None = {"spec": {"nodeName": node}} if node else None
        elif name == "scale":
            replicas = _replicas(event.response_object, event.request_object)
            patch = None if replicas is None else {"spec": {"replicas": replicas}}
        else:
            patch = self._part_patch(event, reference, "status" if name == "status" else "spec")
        if patch is None:
            has_body = event.request_object is not None
            self._intake.leave_out(reference.kind, NOT_SHOWN if has_body else NO_BODY)
            return
        self._change(event, "patch", reference, patch)

    def _part_patch(self, event: Event, reference: Reference, field: str) -> Json | None:
        """A merge patch that sets the part of an object which a subresource writes."""
        whole = _whole(event.response_object, reference)
        if whole is None and event.verb == "update":
            whole = _whole(event.request_object, reference)
        if whole is None:
            whole = self._patched(event, reference)
        return None if whole is None or field not in whole else {field: whole[field]}

    def _delete(self, event: Event, reference: Reference) -> None:
        if self._state.get(reference) is None:
            whole = _whole(event.response_object, reference)
            if whole is None:
                self._intake.leave_out(reference.kind, NOT_FOUND)
                return
            self._was_there(whole)
        self._change(event, "delete", reference, None)

    def _delete_collection(self, event: Event, reference: Reference) -> None:
        items = texts.part({"": event.response_object}, "").get("items")
        if isinstance(items, list):
            names = [texts.text(texts.part(each, "metadata"), "name") for each in items]
            found = [reference._replace(name=name) for name in names if name]
        else:
            selected = self._selected(event, reference)
            if selected is None:
                self._intake.leave_out(reference.kind, COLLECTION)
                return
            found = selected
        for each in found:
            if self._state.get(each) is not None:
                self._change(event, "delete", each, None)

    def _selected(self, event: Event, reference: Reference) -> list[Reference] | None:
        """The known objects of a collection that a request selects."""
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(event.request_uri).query)
        if "fieldSelector" in query:
            return None
        try:
            selector = labels.parse("".join(query.get("labelSelector", [])))
        except labels.SelectorError:
            return None
        return [
            reference._replace(name=obj["metadata"]["name"])
            for obj in self._state.objects()
            if obj["kind"] == reference.kind
            and (obj["metadata"].get("namespace") or "") == reference.namespace
            and selector.matches(texts.part(obj, "metadata", "labels"))
        ]

    def _was_there(self, obj: Json) -> None:
        """An object that was there before the log began; as it was first seen."""
        accepted = self._intake.accepted(obj)
        if accepted is not None:
            self._intake.put(accepted)
            self._state.put(_named(accepted), accepted)

    def _change(self, event: Event, verb: Verb, reference: Reference, obj: Json | None) -> None:
        if verb == "update" and obj is not None and self._state.get(reference) is None:
            self._was_there(obj)
        before = len(self._intake.imported.changes)
        manager = event.user_agent.partition("/")[0]
        self._intake.change(
            event.at_ns, verb, reference, obj, user=event.user.username, manager=manager
        )
        if len(self._intake.imported.changes) > before:
            self._state.apply(self._intake.imported.changes[-1])


def _named(obj: Json) -> Reference:
    metadata = obj["metadata"]
    return Reference(
        obj["apiVersion"], obj["kind"], metadata.get("namespace") or "", metadata["name"]
    )


def _whole(value: Any, reference: Reference) -> Json | None:
    """The object of a body, with names that the request has; None if it is none of this kind."""
    if not isinstance(value, dict) or value.get("kind", reference.kind) != reference.kind:
        return None
    metadata = dict(texts.part(value, "metadata"))
    metadata.setdefault("name", reference.name)
    if reference.namespace:
        metadata.setdefault("namespace", reference.namespace)
    if not metadata["name"]:
        return None
    typed = {"apiVersion": reference.api_version, "kind": reference.kind}
    return {**typed, **value, "metadata": metadata}


def _replicas(*bodies: Any) -> int | None:
    """The number of replicas that a Scale states, or a patch of one."""
    for body in bodies:
        replicas = texts.part({"": body}, "", "spec").get("replicas")
        if isinstance(replicas, int):
            return replicas
        for each in body if isinstance(body, list) else ():
            if isinstance(each, dict) and each.get("path") == "/spec/replicas":
                value = each.get("value")
                return value if isinstance(value, int) else None
    return None


def _code(event: Event) -> int:
    return event.response_status.code if event.response_status is not None else 0
