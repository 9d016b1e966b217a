"""Decisions about nodes in a sentence each, for tables and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.wording import few, plural

if TYPE_CHECKING:
    from kubestage.controllers.node_decisions import Departure, Launch, Option, Purchase, Verdict

_PODS: Final = 3


def purchase(each: Purchase) -> str:
    """For whom a node is made, and which instance types it may have."""
    parts = [each.why]
    if each.pods:
        parts.append(f"{plural(len(each.pods), 'pod')} ({few(each.pods, _PODS)})")
    if each.types:
        parts.append(f"{each.left:,} of {plural(each.types, 'type')} left")
        parts += [f"{one.count:,} excluded: {one.reason}" for one in each.excluded]
    parts += [f"{option(one)}" for one in each.options]
    return "; ".join(parts)


def arrival(each: Purchase) -> str:
    """What a node came for, in a few words."""
    if each.replaces:
        return f"replaces nodes: {each.cause}"
    return f"for {plural(len(each.pods), 'pod')}" if each.pods else each.why


def launch(each: Launch) -> str:
    """Which machine was taken, of how many, and which had no capacity."""
    if each.chosen is None:
        return f"none of {plural(each.count, 'offering')}: {each.problem}"
    place = "the cheapest" if not each.refused else f"after {len(each.refused):,} without capacity"
    return f"{each.chosen}, {place} of {plural(each.count, 'offering')}"


def verdict(each: Verdict) -> str:
    """The finding that settles whether a node stays, or all if several methods have looked."""
    deciding = each.deciding
    return "" if deciding is None else deciding.shown


def departure(each: Departure) -> str:
    """Why a node goes, and what comes for it."""
    if not each.replacements:
        return each.reason
    return f"{each.reason} ({few(each.replacements)})"


def option(each: Option) -> str:
    """A machine with its price, and its score if it was compared by one."""
    price = "" if each.price is None else f" {each.price:.4g}/h"
    score = f" ({each.score})" if each.score else ""
    return f"{each}{price}{score}"
