"""Colours that mean the same in all charts of a load, and legends that fit beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FAILED: Final = "failed"
_KNOWN: Final = {
    "create": style.BLUE,
    "patch": style.ORANGE,
    "update": style.ORANGE,
    "get": style.SKY,
    "list": style.PURPLE,
    "delete": style.GREEN,
    FAILED: style.VERMILION,
}
_OTHERS: Final = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.BLACK)
# What a legend may take of the narrowest chart, and what a letter takes of it.
_LEGEND_WIDTH: Final = 420
_LETTER: Final = 6.2
_SYMBOL: Final = 32


def of(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name: that of the verb, or one that is free."""
    listed = list(names)
    taken = {_KNOWN[name] for name in listed if name in _KNOWN}
    free = [color for color in _OTHERS if color not in taken] or list(_OTHERS)
    others = [name for name in listed if name not in _KNOWN]
    chosen = {name: free[place % len(free)] for place, name in enumerate(others)}
    return {name: _KNOWN.get(name) or chosen[name] for name in listed}


def verbs_first(names: Iterable[str]) -> list[str]:
    """Verbs in the order in which objects live, then others, then what failed."""
    order = [name for name in _KNOWN if name != FAILED]
    found = set(names)
    others = sorted(found - {*order, FAILED})
    return [name for name in (*order, *others, FAILED) if name in found]


def scale(kinds: Mapping[str, str]) -> alt.Scale:
    """Names and their colours."""
    return alt.Scale(domain=list(kinds), range=list(kinds.values()))


def legend(kinds: Mapping[str, str], *, squares: bool = False) -> alt.Color:
    """As many names beside one another as there is room for."""
    widest = max((len(name) for name in kinds), default=1) * _LETTER + _SYMBOL
    columns = max(1, int(_LEGEND_WIDTH // widest))
    if squares:
        shown = alt.Legend(columns=columns, symbolType="square")
    else:
        shown = alt.Legend(columns=columns, symbolType="stroke", symbolSize=260)
    return alt.Color("series:N", scale=scale(kinds), legend=shown)
