"""Ranges of namespaces against those that a load has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.clusterloader.config import Namespaces

FIX: Final = "change it, or the number of namespaces"


def beyond(
    low: int | None, high: int | None, basename: str | None, namespaces: Namespaces
) -> Iterator[tuple[str, str]]:
    """The ends of a range that are no namespaces of the load, and what is wrong with each.

    Nothing is known about namespaces with another basename.
    """
    if basename not in (None, namespaces.prefix) or namespaces.number < 1:
        return
    for key, number in (("min", low), ("max", high)):
        if number is not None and not 1 <= number <= namespaces.number:
            has = plural(namespaces.number, "namespace")
            yield key, f"{number}: the load has {has}, numbered from 1"
