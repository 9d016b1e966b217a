"""Watches: what happened to the objects of one selection since a version.

A watch is a position in the log of its kind and a selection; it copies nothing, so thousands of
them cost little. It is polled, never pushed: the driver of the simulation decides when.
"""

from __future__ import annotations

import bisect
import operator
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
    from kubestage.store.log import Change, Log
    from kubestage.store.selection import Selection

_revision: Final = operator.attrgetter("revision")
_INITIAL_EVENTS_END: Final = {"k8s.io/initial-events-end": "true"}


class WatchOptions(msgspec.Struct, frozen=True):
    """The options of a watch, as the API has them."""

    resource_version: str = ""
    resource_version_match: str = ""
    allow_watch_bookmarks: bool = False
    send_initial_events: bool | None = None
    continue_token: str = ""


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
    if request.continue_token:
        text = "resourceVersionMatch is forbidden when continue is provided"
        problems.append(field.forbidden(path, text))
    if problems:
        raise refusals.bad_options("ListOptions", problems)


class Watch:
    """One watcher's position.

    `poll` gives the events since the last poll, in order, each once. It raises Expired when the
    log no longer reaches back to the position: list and watch again, as with the real API.
    To move `position` on means that all up to there was delivered.
    """

    __slots__ = (
        "_after",
        "_bookmarks",
        "_collection",
        "_end",
        "_initial",
        "_ledger",
        "_selection",
        "position",
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
        # What there is when it begins, the last one first, and what marks the end of that.
        self._initial: list[dict[str, Any]] = []
        self._end: WatchEvent | None = None
        self._after = versions.parse_request(request.resource_version)
        sends_initial = request.send_initial_events
        if sends_initial or (sends_initial is None and not self._after):
            if self._after > ledger.revision:
                raise versions.too_large(self._after, ledger.revision)
            self._begin_with_everything(announce_end=bool(sends_initial))
        elif not self._after:
            self.position, self._after = collection.log.end, ledger.revision
        else:
            self.position = collection.log.position_after(self._after)

    def _begin_with_everything(self, *, announce_end: bool) -> None:
        objects, matches = self._collection.objects, self._selection.matches
        keys = self._collection.candidates(self._selection)
        self._initial = [objects[key] for key in keys]
        if not self._selection.empty:
            self._initial = [obj for obj in self._initial if matches(obj)]
        self._initial.reverse()
        self.position, self._after = self._collection.log.end, self._ledger.revision
        if announce_end and self._bookmarks:
            self._end = self._bookmark(self._after, _INITIAL_EVENTS_END)

    @property
    def pending(self) -> int:
        """How many events and changes wait to be looked at; not all of them need match."""
        initial = len(self._initial) + (self._end is not None)
        return initial + self._collection.log.end - self.position

    @property
    def log(self) -> Log:
        """Where its events come from."""
        return self._collection.log

    @property
    def revision(self) -> int:
        """The version that it begins with."""
        return self._after

    def poll(self, through: int | None = None, most: int | None = None) -> list[WatchEvent]:
        """The events since the last poll, up to a version if one is given.

        With `most` no more changes than that are looked at: ask again until there are none.
        """
        if (self._initial or self._end is not None) and most is not None:
            return self._take_initial(most)
        events = self._take_initial(self.pending)
        changes = self._take_changes(through, most)
        if self._selection.selects_all:
            events += [change.event for change in changes]
        else:
            matches = self._selection.matches
            seen = (event_of(change, matches) for change in changes)
            events += [event for event in seen if event is not None]
        return events

    def poll_changes(self, through: int | None, most: int) -> tuple[list[WatchEvent], list[Change]]:
        """As `poll`, with the changes of objects that are selected now, and not their events."""
        if self._initial or self._end is not None:
            return self._take_initial(most), []
        matches = self._selection.matches
        return [], [each for each in self._take_changes(through, most) if matches(each.new)]

    def _take_changes(self, through: int | None, most: int | None) -> list[Change]:
        """The changes since the last poll, up to a version if one is given."""
        log = self._collection.log
        if self.position == log.end:
            return []
        changes = log.since(self.position, most)
        if through is not None and changes[-1].revision > through:
            changes = changes[: bisect.bisect_right(changes, through, key=_revision)]
            if not changes:
                return changes
        self.position += len(changes)
        if changes[0].revision <= self._after:
            changes = [change for change in changes if change.revision > self._after]
        return changes

    def _take_initial(self, most: int) -> list[WatchEvent]:
        """So many of the events that it begins with."""
        initial = self._initial
        events = [WatchEvent(ADDED, initial.pop()) for _ in range(min(most, len(initial)))]
        if self._end is not None and len(events) < most:
            events.append(self._end)
            self._end = None
        return events

    def bookmark(self, through: int | None = None) -> WatchEvent | None:
        """Where the watch has got to, if it takes bookmarks and has nothing left to deliver."""
        if not self._bookmarks or self.pending:
            return None
        reached = self._ledger.revision if through is None else through
        return self._bookmark(max(reached, self._after), None)

    def _bookmark(self, revision: int, annotations: dict[str, str] | None) -> WatchEvent:
        metadata: dict[str, Any] = {"resourceVersion": str(revision)}
        if annotations:
            metadata["annotations"] = annotations
        kind = self._selection.kind
        body = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
        return WatchEvent(BOOKMARK, body)


def event_of(change: Change, matches: Callable[[dict[str, Any]], bool]) -> WatchEvent | None:
    """A change as seen through a selection: objects enter it, change in it, or leave it."""
    old = change.old
    was = old is not None and matches(old)
    if change.type == DELETED:
        return change.event if was else None
    if matches(change.new):
        fitting = MODIFIED if was else ADDED
        return change.event if change.type == fitting else WatchEvent(fitting, change.new)
    return change.left if was else None
