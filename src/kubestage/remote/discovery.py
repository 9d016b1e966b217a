"""Which paths the objects of a kind have: as the cluster describes them; queried once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import NotFound
from kubestage.remote import refusals

if TYPE_CHECKING:
    from kubestage.cluster.access import Resource
    from kubestage.remote.connection import Connection


class Place(msgspec.Struct, frozen=True):
    """Where the objects of a kind are found."""

    root: str
    plural: str
    is_namespaced: bool

    def path(self, namespace: str, name: str = "") -> str:
        """The path of a collection, or of one object in it."""
        scope = f"/namespaces/{namespace}" if self.is_namespaced and namespace else ""
        path = f"{self.root}{scope}/{self.plural}"
        return f"{path}/{name}" if name else path


class _Row(msgspec.Struct):
    name: str
    kind: str
    namespaced: bool = False


class _Rows(msgspec.Struct):
    resources: list[_Row] = []


class Discovery:
    """The kinds of a cluster by group and version.

    A kind that is missing is queried again: its definition may have been created meanwhile.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._places: dict[str, dict[str, Place]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def known(self, resource: Resource) -> Place | None:
        """The place of a kind that was found before."""
        return self._places.get(resource.api_version, {}).get(resource.kind)

    async def find(self, resource: Resource) -> Place:
        """The place of a kind; NotFound if the cluster has none."""
        found = self.known(resource)
        if found is not None:
            return found
        version = resource.api_version
        async with self._locks.setdefault(version, asyncio.Lock()):
            found = self.known(resource)
            if found is None:
                self._places[version] = await self._query(version)
                found = self.known(resource)
        if found is None:
            raise _unknown(resource.kind, version)
        return found

    async def _query(self, version: str) -> dict[str, Place]:
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        reply = await self._connection.send("GET", root)
        if reply.code == NotFound.code:
            return {}
        if reply.code >= 400:
            raise refusals.from_answer(reply.code, reply.body, reply.headers)
        try:
            rows = msgspec.json.decode(reply.body, type=_Rows).resources
        except msgspec.DecodeError as problem:
            raise refusals.Unreachable(f"{root} is no list of resources: {problem}") from problem
        places: dict[str, Place] = {}
        for row in rows:
            if "/" not in row.name:
                places.setdefault(row.kind, Place(root, row.name, row.namespaced))
        return places


def _unknown(kind: str, version: str) -> NotFound:
    return NotFound(f'no matches for kind "{kind}" in version "{version}"')
