"""Watches of custom resources that a webhook converts into the requested version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.store import selection, watch
from kubestage.store.log import BOOKMARK, Change, WatchEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.server.converting_view import ConvertingView


class ConvertedWatch:
    """The events of a watch whose selectors are about the objects in the requested version.

    `stored_selectors` are the options of the watch of the store that it follows.
    """

    def __init__(self, view: ConvertingView, namespace: str | None, options: Json) -> None:
        self._view = view
        self._selected = selection.parse(
            view.kind, namespace, options["label_selector"], options["field_selector"]
        )
        identity = str(self._selected.identity)
        self.stored_selectors = {"label_selector": "", "field_selector": identity}

    async def events(
        self, initial: Sequence[WatchEvent], changes: Sequence[Change]
    ) -> list[WatchEvent]:
        """The events of what there is at the beginning, and then of changes, converted."""
        objects = [event.object for event in initial if event.type != BOOKMARK]
        selects = self._selected.depends_on_version
        for change in changes:
            objects.append(change.new)
            if selects and change.old is not None:
                objects.append(change.old)
        shown = await self._shown(objects)
        found = [_initial_event(event, shown) for event in initial]
        matches = self._selected.matches
        if not selects:
            return found + [WatchEvent(each.type, shown[id(each.new)]) for each in changes]
        events = [each for each in found if each.type == BOOKMARK or matches(each.object)]
        seen = (watch.event_of(_converted(change, shown), matches) for change in changes)
        return events + [event for event in seen if event is not None]

    async def _shown(self, objects: list[Json]) -> dict[int, Json]:
        """Stored objects in the requested version, by their place in memory."""
        view = self._view
        is_list = len(objects) > 1
        shown = await view.conversions.shown(view.kind, objects, is_list=is_list)
        return dict(zip(map(id, objects), shown, strict=True))


def _initial_event(event: WatchEvent, shown: dict[int, Json]) -> WatchEvent:
    if event.type == BOOKMARK:
        return event
    return WatchEvent(event.type, shown[id(event.object)])


def _converted(change: Change, shown: dict[int, Json]) -> Change:
    old = None if change.old is None else shown[id(change.old)]
    return Change(change.revision, change.type, change.kind, change.key, shown[id(change.new)], old)
