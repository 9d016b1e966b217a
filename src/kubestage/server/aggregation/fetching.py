"""What an API server says that it serves: discovery in either form, and its OpenAPI document."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.server.aggregation import headers, sending
from kubestage.server.aggregation.sending import Outgoing
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.aggregation.places import Place
    from kubestage.server.aggregation.remote_api import RemoteApi

_FORM: Final = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
_ACCEPT: Final = ",".join(_FORM.format(version) for version in ("v2", "v2beta1"))
_JSON: Final = "application/json"
_OPENAPI: Final = "/openapi/v3"


async def discover(remote: RemoteApi, place: Place, timeout_s: float) -> None:
    """Find out which resources a version has; it is stale if that cannot be found out."""
    try:
        async with asyncio.timeout(timeout_s):
            remote.discovery = await _discovery(remote, place)
            remote.is_fresh = True
            remote.openapi = await _openapi(remote, place)
    except (CallFailed, TimeoutError, AttributeError, KeyError, TypeError):
        # It cannot be reached, or what it says is not of the form that discovery has.
        forget(remote)


def forget(remote: RemoteApi) -> None:
    """Know no more what a version has."""
    remote.discovery, remote.is_fresh, remote.openapi = None, False, ""


async def _discovery(remote: RemoteApi, place: Place) -> Json:
    status, kind, document = await _get(remote, place, "/apis", _ACCEPT)
    if status == 503:
        raise CallFailed("service unavailable")
    if status == 200 and "as=APIGroupDiscoveryList" in kind.replace(" ", ""):
        return _version_of(document, remote)
    status, _, document = await _get(remote, place, remote.path, _JSON)
    if status != 200 or not isinstance(document, dict):
        raise CallFailed(f"failed to download legacy discovery for {remote.path}: {status}")
    return {"version": remote.version, "resources": converted(document.get("resources") or [])}


def _version_of(document: Any, remote: RemoteApi) -> Json:
    """The version of an aggregated document; one without resources if it is not in there."""
    for group in document.get("items") or ():
        if (group.get("metadata") or {}).get("name") == remote.group:
            for each in group.get("versions") or ():
                if each.get("version") == remote.version:
                    return {key: part for key, part in each.items() if key != "freshness"}
    return {"version": remote.version}


async def _openapi(remote: RemoteApi, place: Place) -> str:
    """The path of the OpenAPI document of a version, with its hash."""
    status, _, document = await _get(remote, place, _OPENAPI, _JSON)
    paths = document.get("paths") if status == 200 and isinstance(document, dict) else None
    found = (paths or {}).get(remote.path.strip("/")) or {}
    path = found.get("serverRelativeURL") or ""
    return path if isinstance(path, str) and path.startswith(_OPENAPI + remote.path) else ""


async def _get(remote: RemoteApi, place: Place, path: str, accept: str) -> tuple[int, str, Any]:
    """The status, the media type and the content of a document; None if it is not JSON."""
    sent = [("Accept", accept), *headers.identity(headers.AGGREGATOR)]
    reply = await sending.send(remote, place, Outgoing("GET", path, sent))
    try:
        body = await reply.body()
    finally:
        await reply.close()
    try:
        return reply.status, reply.content_type, msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return reply.status, "", None


def converted(rows: list[Json]) -> list[Json]:
    """The resources of an APIResourceList, as aggregated discovery has them."""
    found: dict[str, Json] = {}
    for row in rows:
        name, _, subresource = row["name"].partition("/")
        kind = {each: row.get(each) or "" for each in ("group", "version", "kind")}
        verbs = row.get("verbs") or []
        if subresource:
            parent = found.setdefault(name, _placeholder(name, row))
            part = {"subresource": subresource, "responseKind": kind, "verbs": verbs}
            parent.setdefault("subresources", []).append(part)
            continue
        resource = {
            **_placeholder(name, row),
            "responseKind": kind,
            "singularResource": row.get("singularName") or "",
            "verbs": verbs,
        }
        for key in ("shortNames", "categories"):
            if row.get(key):
                resource[key] = row[key]
        if "subresources" in found.get(name, {}):
            resource["subresources"] = found[name]["subresources"]
        found[name] = resource
    return list(found.values())


def _placeholder(name: str, row: Json) -> Json:
    """A resource of which only a subresource is known."""
    return {
        "resource": name,
        "responseKind": {"group": "", "version": "", "kind": ""},
        "scope": "Namespaced" if row.get("namespaced") else "Cluster",
        "singularResource": "",
        "verbs": [],
    }
