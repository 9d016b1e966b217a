"""Lists: which objects, at which version, how many at a time."""

from __future__ import annotations

import bisect
import heapq
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import BadRequest, Expired
from kubestage.objects.validation import field
from kubestage.store import continuation, refusals, versions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.store.collection import Collection
    from kubestage.store.selection import Selection

EXACT: Final = "Exact"
NOT_OLDER_THAN: Final = "NotOlderThan"


class ObjectList(msgspec.Struct, frozen=True):
    """One page. `remaining` is known only when nothing was selected by label or field."""

    items: list[dict[str, Any]]
    resource_version: str
    continue_token: str = ""
    remaining: int | None = None
    is_current: bool = True
    """Whether all of it is what is there now."""


class ListOptions(msgspec.Struct, frozen=True):
    """The options of a list, as the API has them."""

    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""


def check(request: ListOptions) -> None:
    """Refuse what the API refuses before it looks at any object."""
    match, problems = request.resource_version_match, []
    path = "resourceVersionMatch"
    if match:
        if not request.resource_version:
            text = "resourceVersionMatch is forbidden unless resourceVersion is provided"
            problems.append(field.forbidden(path, text))
        if request.continue_token:
            text = "resourceVersionMatch is forbidden when continue is provided"
            problems.append(field.forbidden(path, text))
        if match not in (EXACT, NOT_OLDER_THAN):
            problems.append(field.not_supported(path, match, (EXACT, NOT_OLDER_THAN, "")))
        if match == EXACT and request.resource_version == "0":
            text = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            problems.append(field.forbidden(path, text))
    if problems:
        raise refusals.bad_options("ListOptions", problems)


def read(
    collection: Collection,
    selection: Selection,
    request: ListOptions,
    current: int,
    compacted: int = -1,
) -> ObjectList:
    """One page of a list; `current` is the version of the store.

    What was there before the version `compacted` is not known any more.
    """
    check(request)
    revision, start = _where(request, current)
    prefix = _prefix(selection)
    then: dict[str, dict[str, Any] | None] = {}
    if revision != current:
        try:
            if revision < compacted:
                raise Expired("compacted")
            then = collection.log.states_at(revision)
        except Expired:
            if request.continue_token:
                raise continuation.ContinueExpired(start) from None
            raise Expired("The resourceVersion for the provided list is too old.") from None
    page = _Page(collection, selection, then)
    items, last = page.take(prefix + start if start else "", request.limit)
    token, remaining = "", None
    if request.limit > 0 and len(items) == request.limit:
        left = page.left_after(last)
        if left:
            token = token_after(selection, revision, last)
            remaining = left if selection.empty else None
    return ObjectList(items, str(revision), token, remaining, not then)


def token_after(selection: Selection, revision: int, last: str) -> str:
    """The token of the page that follows a key."""
    start = f"{last.removeprefix(_prefix(selection))}\x00"
    return continuation.encode(continuation.ContinueToken(revision, start))


def _prefix(selection: Selection) -> str:
    return f"{selection.namespace}/" if selection.namespace else ""


def _where(request: ListOptions, current: int) -> tuple[int, str]:
    """The version to show and the key to begin at."""
    if request.continue_token:
        if request.resource_version not in ("", "0"):
            raise BadRequest("specifying resource version is not allowed when using continue")
        token = continuation.decode(request.continue_token)
        if token.revision == continuation.LATEST:
            return current, token.start
        if token.revision > current:
            raise versions.too_large(token.revision, current)
        return token.revision, token.start
    try:
        revision = versions.parse_option(request.resource_version)
    except versions.NotAVersion as error:
        raise BadRequest(f"invalid resource version: {error}") from None
    if revision > current:
        raise versions.too_large(revision, current)
    match = request.resource_version_match
    exact = match == EXACT or (not match and request.limit > 0 and revision > 0)
    return (revision if exact else current), ""


class _Page:
    """Reads keys in order, with those that have changed since put back as they were `then`."""

    __slots__ = ("_collection", "_selection", "_then")

    def __init__(
        self,
        collection: Collection,
        selection: Selection,
        then: dict[str, dict[str, Any] | None],
    ) -> None:
        self._collection = collection
        self._selection = selection
        self._then = then

    def take(self, start: str, limit: int) -> tuple[list[dict[str, Any]], str]:
        """Up to `limit` matching objects (all, if it is 0 or less) and the key of the last."""
        objects, then = self._collection.objects, self._then
        if not then and not start and limit <= 0 and self._selection.empty:
            # NOTE: what informers begin with, by the thousand objects.
            return [objects[key] for key in self._keys("")], ""
        matches = self._selection.matches
        items: list[dict[str, Any]] = []
        for key in self._keys(start):
            obj = then[key] if key in then else objects[key]
            if obj is not None and matches(obj):
                items.append(obj)
                if len(items) == limit:
                    return items, key
        return items, ""

    def _keys(self, start: str) -> Iterable[str]:
        if not self._then:
            keys = self._collection.candidates(self._selection)
            return keys[bisect.bisect_left(keys, start) :] if start else keys
        keys = self._collection.keys(self._selection.namespace)
        return heapq.merge(keys[bisect.bisect_left(keys, start) :], self._vanished(start))

    def _vanished(self, start: str) -> list[str]:
        """Keys that were there then and are not now."""
        objects = self._collection.objects
        prefix = _prefix(self._selection)
        return sorted(
            key
            for key, obj in self._then.items()
            if obj is not None and key not in objects and key >= start and key.startswith(prefix)
        )

    def left_after(self, last: str) -> int:
        """How many objects of the namespace follow a key, matching or not."""
        keys = self._collection.keys(self._selection.namespace)
        objects = self._collection.objects
        prefix = _prefix(self._selection)
        appeared = sum(
            1
            for key, obj in self._then.items()
            if obj is None and key in objects and key > last and key.startswith(prefix)
        )
        vanished = len(self._vanished(f"{last}\x00"))
        return len(keys) - bisect.bisect_right(keys, last) - appeared + vanished
