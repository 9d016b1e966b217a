"""The prices of a timeline: its PriceCatalogs and NodeGroups, as they come, change and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import prices
from kubestage.objects.prices import Prices

if TYPE_CHECKING:
    from kubestage.aliases import Json

KINDS: Final = frozenset({prices.PRICE_CATALOG, prices.NODE_GROUP})
"""The kinds that give prices to nodes."""


class KnownPrices:
    """The prices that hold now."""

    def __init__(self) -> None:
        self.now = Prices({}, ())
        self._objects: dict[tuple[str, str], dict[str, Json]] = {kind: {} for kind in KINDS}

    def put(self, kind: tuple[str, str], name: str, obj: Json | None) -> None:
        """An object is there or has changed, or is gone if it is None."""
        known = self._objects[kind]
        if obj is None:
            known.pop(name, None)
        else:
            known[name] = obj
        groups, catalogs = self._objects[prices.NODE_GROUP], self._objects[prices.PRICE_CATALOG]
        self.now = Prices(groups, catalogs.values())
