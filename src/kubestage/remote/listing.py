"""Lists, read in pages: a cluster may hold more objects than one answer should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import Expired
from kubestage.remote import refusals, wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from kubestage.cluster.access import Call, Resource, Selection
    from kubestage.remote.connection import Connection


class _Meta(msgspec.Struct, rename={"resource_version": "resourceVersion", "next": "continue"}):
    resource_version: str = ""
    next: str = ""


class _List(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)
    items: list[msgspec.Raw] | None = None


class Leaf(msgspec.Struct, frozen=True):
    """One page: its objects as they were written, and the version of the whole list.

    `is_first` is whether the list begins here; it begins again where a page came too late.
    """

    items: list[msgspec.Raw]
    version: str
    is_first: bool


async def leaves(
    connection: Connection,
    path: str,
    selection: Call | Selection,
    on_headers: Callable[[Mapping[str, str]], None] | None = None,
) -> AsyncIterator[Leaf]:
    """The pages of a list, in order; one that takes too long to read is read again, at once.

    `on_headers` receives the headers of each answer.
    """
    limit, following, is_first = wire.PAGE, "", True
    while True:
        more = {"limit": limit} if limit else {}
        reply = await connection.send(
            "GET", path + wire.query(selection, **more, **{"continue": following})
        )
        if reply.code == Expired.code and following:
            limit, following, is_first = 0, "", True
            continue
        if reply.code >= 400:
            raise refusals.from_answer(reply.code, reply.body, reply.headers)
        if on_headers is not None:
            on_headers(reply.headers)
        try:
            page = msgspec.json.decode(reply.body, type=_List)
        except msgspec.DecodeError as problem:
            raise refusals.Unreachable(f"GET {path}: the answer is no list: {problem}") from problem
        yield Leaf(page.items or [], page.metadata.resource_version, is_first)
        following, is_first = page.metadata.next, False
        if not following:
            return


def read(raw: msgspec.Raw | bytes, resource: Resource) -> dict[str, Any]:
    """An object of a list, which does not say of what kind it is."""
    try:
        obj = msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError as problem:
        raise refusals.Unreachable(f"a list holds what is no object: {problem}") from problem
    if "kind" in obj and "apiVersion" in obj:
        return obj
    return {"apiVersion": resource.api_version, "kind": resource.kind, **obj}


async def whole(connection: Connection, path: str, call: Call) -> dict[str, Any]:
    """A list in one piece."""
    items: list[dict[str, Any]] = []
    version = ""
    async for leaf in leaves(connection, path, call):
        if leaf.is_first:
            items.clear()
        items.extend(read(raw, call.resource) for raw in leaf.items)
        version = leaf.version
    return {
        "kind": f"{call.resource.kind}List",
        "apiVersion": call.resource.api_version,
        "metadata": {"resourceVersion": version},
        "items": items,
    }
