"""Watches: what happened to the objects of one selection since a version.

A watch is a position in the log of its kind and a selection; it copies nothing, so thousands of
them cost little. It is polled, never pushed: whoever drives the simulation decides when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.validation import field
from kubestage.store import refusals, versions
from kubestage.store.listing import NOT_OLDER_THAN
from kubestage.store.log import ADDED, BOOKMARK, DELETED, MODIFIED, WatchEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.store.collection import Collection
    from kubestage.store.ledger import Ledger
    from kubestage.store.log import Change
    from kubestage.store.selection import Selection

_INITIAL_EVENTS_END: Final = {"k8s.io/initial-events-end": "true"}


class WatchOptions(msgspec.Struct, frozen=True):
    """How a watch is asked for, in the words of the API."""

    resource_version: str = ""
    resource_version_match: str = ""
    allow_watch_bookmarks: bool = False
    send_initial_events: bool | None = None


def check(request: WatchOptions) -> None:
    """Refuse what the API refuses before it looks at any object."""
    match, problems = request.resource_version_match, []
    path = "resourceVersionMatch"
    if request.send_initial_events is not None and match != NOT_OLDER_THAN:
        text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        problems.append(field.forbidden(path, text))
    if match and request.send_initial_events is None:
        text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        problems.append(field.forbidden(path, text))
    if match and match != NOT_OLDER_THAN:
        problems.append(field.not_supported(path, match, [NOT_OLDER_THAN]))
    if problems:
        raise refusals.bad_options("ListOptions", problems)


class Watch:
    """One watcher's position.

    `poll` gives the events since the last poll, in order, each once. It raises Expired when the
    log no longer reaches back to the position: list and watch again, as with the real API.
    """

    __slots__ = (
        "_after",
        "_bookmarks",
        "_collection",
        "_initial",
        "_ledger",
        "_position",
        "_selection",
    )

    def __init__(
        self,
        ledger: Ledger,
        collection: Collection,
        selection: Selection,
        request: WatchOptions,
    ) -> None:
        check(request)
        self._collection = collection
        self._selection = selection
        self._ledger = ledger
        self._bookmarks = request.allow_watch_bookmarks
        self._initial: list[WatchEvent] = []
        self._after = versions.parse_request(request.resource_version)
        wants_initial = request.send_initial_events
        if wants_initial or (wants_initial is None and not self._after):
            if self._after > ledger.revision:
                raise versions.too_large(self._after, ledger.revision)
            self._begin_with_everything(announce_end=bool(wants_initial))
        elif not self._after:
            self._position, self._after = collection.log.end, ledger.revision
        else:
            self._position = collection.log.position_after(self._after)

    def _begin_with_everything(self, *, announce_end: bool) -> None:
        objects, matches = self._collection.objects, self._selection.matches
        self._initial = [
            WatchEvent(ADDED, objects[key])
            for key in self._collection.candidates(self._selection)
            if matches(objects[key])
        ]
        self._position, self._after = self._collection.log.end, self._ledger.revision
        if announce_end and self._bookmarks:
            self._initial.append(self._bookmark(self._after, _INITIAL_EVENTS_END))

    @property
    def pending(self) -> int:
        """How many events and changes wait to be looked at; not all of them need match."""
        return len(self._initial) + self._collection.log.end - self._position

    def poll(self) -> list[WatchEvent]:
        """The events since the last poll."""
        events, self._initial = self._initial, []
        log = self._collection.log
        if self._position == log.end:
            return events
        changes = log.since(self._position)
        self._position = log.end
        if changes[0].revision <= self._after:
            changes = [change for change in changes if change.revision > self._after]
        if self._selection.selects_all:
            events += [change.event for change in changes]
        else:
            matches = self._selection.matches
            seen = (_event(change, matches) for change in changes)
            events += [event for event in seen if event is not None]
        return events

    def bookmark(self) -> WatchEvent | None:
        """Where the watch has got to, if it takes bookmarks and has nothing left to tell."""
        if not self._bookmarks or self.pending:
            return None
        return self._bookmark(max(self._ledger.revision, self._after), None)

    def _bookmark(self, revision: int, annotations: dict[str, str] | None) -> WatchEvent:
        metadata: dict[str, Any] = {"resourceVersion": str(revision)}
        if annotations:
            metadata["annotations"] = annotations
        kind = self._selection.kind
        body = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
        return WatchEvent(BOOKMARK, body)


def _event(change: Change, matches: Callable[[dict[str, Any]], bool]) -> WatchEvent | None:
    """A change as seen through a selection: objects enter it, change in it, or leave it."""
    old = change.old
    was = old is not None and matches(old)
    if change.type == DELETED:
        return change.event if was else None
    if matches(change.new):
        fitting = MODIFIED if was else ADDED
        return change.event if change.type == fitting else WatchEvent(fitting, change.new)
    return change.left if was else None
