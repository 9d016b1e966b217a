"""A patch of a Scenario of many events, worked out on the events that it touches alone.

To default, check and compare a hundred thousand events for each thousand that are added would take
longer with every patch. Events do not depend on one another but for their ids, so the patch is
applied to a Scenario of the events that it names, and the result is put in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import gvk
from kubestage.objects.patches import PatchType, ordering
from kubestage.objects.validation import field, status
from kubestage.store.sharing import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


LARGE: Final = 1_000
"""From so many events on a Scenario is worked on in parts, and its events have one owner."""

_APPEND: Final = "/spec/events/-"
_PLACE: Final = re.compile(r"\bspec\.(events|operations)\[(\d+)\]")


def window_for(existing: Json, patch_type: PatchType, patch: Any) -> EventWindow | None:
    """What a patch is to be worked out on; None if that is the whole object."""
    if (existing.get("apiVersion"), existing.get("kind")) != gvk.SCENARIO:
        return None
    events = existing["spec"].get("events") or []
    if len(events) < LARGE:
        return None
    named = _named(patch_type, patch)
    if named is None:
        return None
    return EventWindow(existing, named, appends=patch_type is PatchType.JSON)


def _named(patch_type: PatchType, patch: Any) -> list[str] | None:
    """The ids of the events that a patch names, if it does no more than that."""
    events: Any = None
    if patch_type is PatchType.STRATEGIC and isinstance(patch, dict) and set(patch) == {"spec"}:
        spec = patch["spec"]
        if isinstance(spec, dict) and set(spec) == {"events"}:
            events = spec["events"]
    elif patch_type is PatchType.JSON and isinstance(patch, list):
        is_plain = all(
            isinstance(each, dict) and (each.get("op"), each.get("path")) == ("add", _APPEND)
            for each in patch
        )
        events = [each.get("value") for each in patch] if is_plain else None
    if not isinstance(events, list) or not all(map(_is_plain, events)):
        return None
    return [each["id"] for each in events]


def _is_plain(event: Any) -> bool:
    """Whether an event has an id, and no directive for its merge."""
    if not isinstance(event, dict) or any(key.startswith("$") for key in event):
        return False
    return isinstance(event.get("id"), str) and bool(event["id"])


class EventWindow:
    """A Scenario, seen as if it had but the events of these ids, or none if all are appended.

    `existing` is what a patch is applied to.
    """

    def __init__(self, scenario: Json, ids: Iterable[str], *, appends: bool) -> None:
        self._scenario = scenario
        self._appends = appends
        self._named = frozenset(() if appends else ids)
        seen = [each for each in scenario["spec"]["events"] if each["id"] in self._named]
        self.existing: Json = {**scenario, "spec": {**scenario["spec"], "events": seen}}
        if "status" in scenario:
            # All that a patch of the spec depends on.
            phase = scenario["status"].get("phase")
            self.existing["status"] = {"phase": phase} if phase else {}

    def placed(self, problems: Sequence[FieldError], seen: Json) -> list[FieldError]:
        """Problems of the events that are seen, with the places that these would have."""
        events = seen["spec"].get("events") or []
        places = {id(event): at for at, event in enumerate(self._merged(events))}
        return shifted(problems, lambda at: places[id(events[at])])

    def whole(self, seen: Json) -> Json:
        """The Scenario with what became of the events that are seen; itself, if nothing did."""
        if all(same(seen.get(part), self.existing.get(part)) for part in ("metadata", "spec")):
            return self._scenario
        changed = seen["spec"].get("events") or []
        self._check_ids(seen, changed)
        whole = {
            **seen,
            "metadata": owned_as_one(seen["metadata"]),
            "spec": {**seen["spec"], "events": self._merged(changed)},
        }
        if "status" in self._scenario:
            whole["status"] = self._scenario["status"]
        return whole

    def _merged(self, changed: list[Json]) -> list[Json]:
        """All events in the order in which the patch would leave them."""
        live: list[Json] = self._scenario["spec"]["events"]
        if self._appends:
            return live + changed
        others = [event for event in live if event["id"] not in self._named]
        return ordering.interleave(others, changed, live, "id", of_objects=True)

    def _check_ids(self, seen: Json, changed: list[Json]) -> None:
        """Of what is appended none may have the id of an event that is there."""
        if not self._appends:
            return
        live = self._scenario["spec"]["events"]
        taken = {event["id"] for event in live}
        twice = [
            field.duplicate(f"spec.events[{len(live) + at}]", {"id": each["id"]})
            for at, each in enumerate(changed)
            if each["id"] in taken
        ]
        if twice:
            raise status.invalid(seen, twice)


def shifted(problems: Iterable[FieldError], place: Callable[[int], int]) -> list[FieldError]:
    """Problems of some events, with the places that these have among all."""

    def put(text: str) -> str:
        return _PLACE.sub(lambda match: f"spec.{match[1]}[{place(int(match[2]))}]", text)

    return [
        msgspec.structs.replace(each, field=put(each.field), detail=put(each.detail))
        for each in problems
    ]


def owned_as_one(metadata: Json) -> Json:
    """Metadata by which the owner of one event owns the list.

    The owners of single events are of no use, and would take as much room as the events.
    """
    entries = metadata.get("managedFields")
    if not entries:
        return metadata
    return {**metadata, "managedFields": [_as_one(entry) for entry in entries]}


def _as_one(entry: Json) -> Json:
    fields = entry.get("fieldsV1") or {}
    spec = fields.get("f:spec")
    if not isinstance(spec, dict) or not spec.get("f:events"):
        return entry
    return {**entry, "fieldsV1": {**fields, "f:spec": {**spec, "f:events": {}}}}
