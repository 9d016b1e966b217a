"""Lists whose selectors are about objects that a webhook converts into the requested version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.server import slices
from kubestage.store import listing, selection
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.converting_view import ConvertingView
    from kubestage.server.response import Built, Headers
    from kubestage.store.listing import ObjectList
    from kubestage.store.selection import Selection
    from kubestage.store.store import Store


class ConvertedList:
    """A page of a list: what is selected of the stored objects from its beginning on."""

    def __init__(
        self, view: ConvertingView, selected: Selection, stored: ObjectList, limit: int
    ) -> None:
        self._view = view
        self._selected = selected
        self._stored = stored
        self._limit = limit

    @classmethod
    def of(
        cls, store: Store, view: ConvertingView, namespace: str | None, options: Json
    ) -> ConvertedList | None:
        """The list that options of the store ask for; None if it needs no conversion."""
        kind = view.kind
        selected = selection.parse(
            kind, namespace, options["label_selector"], options["field_selector"]
        )
        if not selected.depends_on_version:
            return None
        stored = store.list(kind, namespace, **_unselected(options, selected))
        if not any(map(view.is_foreign, stored.items)):
            return None
        return cls(view, selected, stored, options["limit"])

    async def page(self, headers: Headers) -> Built:
        """The response."""
        items, last = await self._matching()
        token, rest = "", self._stored.items[last + 1 :]
        if rest:
            metadata = self._stored.items[last]["metadata"]
            key = key_of(metadata.get("namespace"), metadata["name"])
            revision = int(self._stored.resource_version)
            token = listing.token_after(self._selected, revision, key)
        # No bytes are kept of what is not stored.
        found = msgspec.structs.replace(
            self._stored, items=items, continue_token=token, is_current=False
        )
        return await slices.result_of(self._view.listing(found, headers))

    async def _matching(self) -> tuple[list[Json], int]:
        """As many objects as are wanted, converted, and the place of the last one looked at.

        As many as are wanted are converted at once, until enough of them match.
        """
        stored, limit, view = self._stored.items, self._limit, self._view
        at_once = limit if limit > 0 else len(stored)
        items: list[Json] = []
        for start in range(0, len(stored), at_once):
            piece = stored[start : start + at_once]
            shown = await view.conversions.shown(view.kind, piece)
            for place, obj in enumerate(shown, start):
                if self._selected.matches(obj):
                    items.append(obj)
                    if len(items) == limit:
                        return items, place
        return items, len(stored) - 1


def _unselected(options: Json, selected: Selection) -> Json:
    """The options of a list of all objects of a page and of those after it."""
    found = {**options, "label_selector": "", "field_selector": str(selected.identity), "limit": 0}
    says_more = options["resource_version_match"] or options["continue_token"]
    if options["limit"] > 0 and options["resource_version"] not in ("", "0") and not says_more:
        # What a limit means where nothing else is said.
        found["resource_version_match"] = listing.EXACT
    return found
