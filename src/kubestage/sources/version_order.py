"""Recorded changes in the order in which the cluster made them.

Each kind is watched on a connection of its own, so that a pod may be recorded before the ReplicaSet
that has made it. The resourceVersions of a cluster count all its changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.sources.imported import Change

# What arrives later than that was not just overtaken: versions may have begun anew.
WINDOW_NS: Final = 5 * SECOND_NS


def ordered(changes: Iterable[tuple[Change, str]]) -> list[Change]:
    """Changes with their versions, as they were recorded; one that was overtaken goes back.

    It gets the time of the first one that had overtaken it. One whose version is no number stays
    where it is.
    """
    found: list[Change] = []
    numbers: list[int] = []
    newest = 0
    for change, version in changes:
        number = int(version) if version.isdecimal() else newest
        newest = max(newest, number)
        place = len(found)
        while place and numbers[place - 1] > number and _may_pass(change, found[place - 1]):
            place -= 1
        if place < len(found) and found[place].at_ns < change.at_ns:
            change = msgspec.structs.replace(change, at_ns=found[place].at_ns)  # noqa: PLW2901
        found.insert(place, change)
        numbers.insert(place, number)
    return found


def _may_pass(change: Change, other: Change) -> bool:
    """Whether a change may go back before another one: not if that ends the namespace it is in."""
    ends_it = (
        other.verb == "delete"
        and other.reference.kind == "Namespace"
        and other.reference.name == change.reference.namespace
    )
    return not ends_it and other.at_ns >= change.at_ns - WINDOW_NS
