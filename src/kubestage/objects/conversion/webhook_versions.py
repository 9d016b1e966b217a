"""Custom resources that a webhook converts between the versions of their definition.

Only a server can call webhooks: it sets a `Converter` for as long as it works on a request. Without
one, objects just get another apiVersion and the schema of the other version. Requests see objects
in the version that they name (`seen`); what they store is converted at the very end (`at_rest`).
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING, Protocol

from kubestage.objects import kinds
from kubestage.objects.custom import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


class Converter(Protocol):
    """Converts objects of one definition."""

    def converted(self, row: Kind, objects: Sequence[Json], api_version: str) -> list[Json]:
        """The objects in another version; none of them has it yet."""
        ...


_current: contextvars.ContextVar[Converter | None] = contextvars.ContextVar(
    "converter", default=None
)


@contextlib.contextmanager
def converting(converter: Converter) -> Iterator[None]:
    """Have this one convert all that needs it meanwhile."""
    token = _current.set(converter)
    try:
        yield
    finally:
        _current.reset(token)


def seen(row: Kind, obj: Json) -> Json:
    """A stored object as requests to a row work on it: converted if a webhook does that."""
    return obj if row.conversion_webhook is None else as_row(row, obj)


def see_all(row: Kind, objects: Sequence[Json]) -> None:
    """Have objects converted that are seen next, all of them at once."""
    converter = _current.get()
    if row.conversion_webhook is None or converter is None:
        return
    others = [obj for obj in objects if obj["apiVersion"] != row.api_version]
    if others:
        converter.converted(row, others, row.api_version)


def as_row(row: Kind, obj: Json) -> Json:
    """An object in the version of a row; one that has only its type is not sent anywhere."""
    api_version = row.api_version
    if obj["apiVersion"] == api_version:
        return obj
    converter = _current.get()
    if len(obj) == 2:
        return {**obj, "apiVersion": api_version}
    if converter is None:
        return rows.compiled(row).read({**obj, "apiVersion": api_version})[0]
    return converter.converted(row, [obj], api_version)[0]


def can_convert() -> bool:
    """Whether webhooks are called now: for a client, and not for components of a cluster."""
    return _current.get() is not None


def at_rest(row: Kind, obj: Json, old: Json | None) -> Json:
    """An object that is about to be stored, in the version in which its definition stores it.

    Where nothing can convert it, it may stay in the version in which the old one is stored.
    """
    if row.conversion_webhook is None:
        return obj
    api_version = kinds.stored(row).api_version
    if obj["apiVersion"] == api_version:
        return obj
    converter = _current.get()
    if converter is not None:
        return converter.converted(row, [obj], api_version)[0]
    is_as_before = old is not None and old["apiVersion"] == obj["apiVersion"]
    return obj if is_as_before else {**obj, "apiVersion": api_version}
