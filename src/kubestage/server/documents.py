"""The documents that describe the API: discovery, OpenAPI and the version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.server import dispatch, negotiation, routing, version
from kubestage.server.aggregation import merging, proxying
from kubestage.server.discovery import aggregated, legacy
from kubestage.server.openapi import documents as openapi
from kubestage.server.openapi.v2 import serving as openapi_v2
from kubestage.server.presentation import as_yaml
from kubestage.server.response import JSON, YAML, Response, StreamingResponse

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.discovery.aggregated import Version
    from kubestage.server.live import Live
    from kubestage.server.request import Request

_AGGREGATED: Final = "as=APIGroupDiscoveryList"
_GROUP_DEPTH: Final = 2
_READING: Final = ("GET", "HEAD")
# The one group that the API server's front serves itself.
_REGISTRATION: Final = "apiregistration.k8s.io"
_PATHS: Final = (
    "/.well-known/openid-configuration", "/healthz", "/kubestage/v1", "/livez", "/metrics",
    "/openapi/v2", "/openapi/v3", "/openid/v1/jwks", "/readyz", "/version",
)  # fmt: skip


async def version_document(_live: Live, request: Request) -> Response:
    """``/version``, which is JSON whatever else is known."""
    if request.path.rstrip("/") != "/version":
        raise routing.no_such_path()
    _check_reads(request)
    negotiation.check_json(request.header(b"accept"))
    return Response(200, msgspec.json.encode(version.document()), JSON)


async def root_document(live: Live, request: Request) -> Response:
    """``/``: which paths there are."""
    groups = _groups(live)
    versions = [each["groupVersion"] for group in groups for each in group["versions"]]
    named = [f"/apis/{group['name']}" for group in groups]
    paths = ["/api", "/api/v1", "/apis", *named, *(f"/apis/{each}" for each in versions), *_PATHS]
    return _document(request, {"paths": sorted(paths)})


async def discovery_document(live: Live, request: Request) -> Response:
    """``/api``, ``/apis`` and what lies below them that is not an object."""
    parts = request.path.strip("/").split("/")
    is_routed = parts[0] == "api" or _is_own_version(parts) or parts[1:] == [_REGISTRATION]
    if is_routed:
        _check_reads(request)
    if len(parts) == 1:
        aggregated_version = _aggregated_version(request.header(b"accept"))
        if aggregated_version is not None:
            return _aggregated(live, request, aggregated_version, core=parts[0] == "api")
    return _document(request, _legacy(live, request, parts), is_routed=is_routed)


def _is_own_version(parts: list[str]) -> bool:
    """Whether a path is the list of resources in a version that no definition has made."""
    return len(parts) > _GROUP_DEPTH and routing.is_built_in(parts[1])


def _check_reads(request: Request) -> None:
    """Refuse to write a document; the root of groups accepts all methods."""
    if request.method not in _READING:
        raise dispatch.not_allowed()


def _groups(live: Live) -> list[Json]:
    """All groups, also those of other API servers."""
    found = legacy.api_group_list(live.store.kinds)["groups"]
    return merging.with_groups(found, merging.remotes_of(live))


def _legacy(live: Live, request: Request, parts: list[str]) -> Json:
    found: Json | None
    kinds = live.store.kinds
    if parts[0] == "api":
        if len(parts) == 1:
            return legacy.legacy_api(request.header(b"host"))
        found = legacy.api_resource_list(kinds, "", parts[1])
    elif len(parts) == 1:
        return {**legacy.api_group_list(kinds), "groups": _groups(live)}
    elif len(parts) == _GROUP_DEPTH:
        found = legacy.api_group(kinds, parts[1])
        found = merging.with_group(found, parts[1], merging.remotes_of(live))
    else:
        found = legacy.api_resource_list(kinds, parts[1], parts[2])
    if found is None:
        raise routing.no_such_path("" if parts[0] == "api" else parts[1])
    return found


def _aggregated_version(accept: str) -> Version | None:
    """The requested version of aggregated discovery: the first that is supported."""
    for clause in accept.split(","):
        if _AGGREGATED in clause and "g=apidiscovery.k8s.io" in clause:
            for known in ("v2", "v2beta1"):
                if f"v={known};" in f"{clause};".replace(" ", ""):
                    return known
    return None


def _aggregated(live: Live, request: Request, form: Version, *, core: bool) -> Response:
    found = aggregated.document(live.store.kinds, core=core, version=form)
    if not core:
        found = merging.with_discovery(found, merging.remotes_of(live))
    body = msgspec.json.encode(found)
    etag = aggregated.etag(body)
    headers = [(b"etag", etag.encode()), (b"vary", b"Accept"), (b"cache-control", b"public")]
    if request.header(b"if-none-match") == etag:
        return Response(304, b"", aggregated.content_type(form).encode(), headers)
    return Response(200, body, aggregated.content_type(form).encode(), headers)


async def openapi_document(live: Live, request: Request) -> Response | StreamingResponse:
    """``/openapi/v2``, ``/openapi/v3`` and the documents of its index."""
    kinds = live.store.kinds
    if request.path.rstrip("/") == "/openapi/v2":
        return await openapi_v2.respond(live, request)
    if not request.path.startswith("/openapi/v3"):
        raise routing.no_such_page()
    path = request.path.removeprefix("/openapi/v3").strip("/")
    remotes = merging.remotes_of(live)
    if not path:
        found = merging.with_openapi(openapi.index(kinds), remotes)
        return Response(200, msgspec.json.encode(found), JSON)
    remote = next((each for each in remotes if each.path == f"/{path}"), None)
    if remote is not None:
        return await proxying.serve(live, request, remote)
    document = openapi.document(kinds, path)
    if document is None:
        raise routing.no_such_page()
    etag = f'"{document.hash}"'.encode()
    headers = [(b"etag", etag), (b"vary", b"Accept")]
    requested_hash = request.parameter("hash")
    if requested_hash and requested_hash != document.hash:
        query = f"/openapi/v3/{path}?hash={document.hash}".encode()
        return Response(301, b"", JSON, [*headers, (b"location", query)])
    if requested_hash:
        headers += [(b"cache-control", b"public, immutable"), (b"expires", openapi.EXPIRES)]
    else:
        headers.append((b"cache-control", b"no-cache, private"))
    if request.header(b"if-none-match").encode() == etag:
        return Response(304, b"", JSON, headers)
    return Response(200, document.body, JSON, headers)


def _document(request: Request, document: Json, *, is_routed: bool = True) -> Response:
    accept = request.header(b"accept")
    form = negotiation.negotiate(accept, converts=False, is_routed=is_routed)
    if form.media_type == negotiation.YAML:
        return Response(200, as_yaml(document), YAML)
    return Response(200, msgspec.json.encode(document), JSON)
