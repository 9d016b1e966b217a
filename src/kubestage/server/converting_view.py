"""Responses about custom resources that a webhook converts into the requested version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.server import slices
from kubestage.server.presentation import ResponseView
from kubestage.server.response import Awaited, Joined, Later, Response

if TYPE_CHECKING:
    from collections.abc import Generator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind, KindTable
    from kubestage.server.encoding import Encoder
    from kubestage.server.negotiation import ResponseForm
    from kubestage.server.outside.conversions import Conversions
    from kubestage.server.response import Headers
    from kubestage.store.listing import ObjectList


class ConvertingView(ResponseView):
    """As `ResponseView`, of objects that may be stored in any version of their definition."""

    __slots__ = ("conversions",)

    def __init__(
        self,
        kind: Kind,
        form: ResponseForm,
        encoder: Encoder,
        now_ns: int,
        include: str,
        conversions: Conversions,
    ) -> None:
        super().__init__(kind, form, encoder, now_ns, include)
        self.conversions = conversions

    def is_foreign(self, obj: Json) -> bool:
        """Whether an object has to be converted; its Scale never has."""
        return bool(obj["kind"] == self.kind.kind and obj["apiVersion"] != self.kind.api_version)

    def respond(
        self, obj: Json, status: int = 200, headers: Headers | None = None
    ) -> Response | Later | Awaited:
        """One object."""
        if not self.is_foreign(obj):
            return super().respond(obj, status, headers)
        return Awaited(lambda: self._responding(obj, status, headers))

    async def _responding(
        self, obj: Json, status: int, headers: Headers | None
    ) -> Response | Later | Awaited:
        shown = await self.conversions.shown_alone(self.kind, obj)
        return super().respond(shown, status, headers)

    def listing(
        self, found: ObjectList, headers: Headers | None = None
    ) -> Generator[None, None, Response | Joined | Later | Awaited]:
        """A list, a few objects at a time."""
        if any(map(self.is_foreign, found.items)):
            return Awaited(lambda: self._listing_converted(found, headers))
        return (yield from super().listing(found, headers))

    async def _listing_converted(
        self, found: ObjectList, headers: Headers | None
    ) -> Response | Joined | Later | Awaited:
        items = await self.conversions.shown(self.kind, found.items)
        # No bytes are kept of what is not stored.
        shown = msgspec.structs.replace(found, items=items, is_current=False)
        return await slices.result_of(super().listing(shown, headers))


def is_outdated(kind: Kind, kinds: KindTable) -> bool:
    """Whether the definition of a kind has got a conversion webhook since, or has none now."""
    if kind.definition is None:
        return False
    row = kinds.get(kind.api_version, kind.kind)
    had_webhook = kind.conversion_webhook is not None
    return row is not None and (row.conversion_webhook is not None) is not had_webhook
