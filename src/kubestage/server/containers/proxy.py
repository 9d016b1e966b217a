"""Requests through the API to pods and Services, answered by modelled servers."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, ServiceUnavailable, Unmodelled
from kubestage.objects import gvk
from kubestage.programs.http import HttpRequest
from kubestage.server.containers import kubelets, links
from kubestage.server.response import Response

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.loop import KubeletController
    from kubestage.programs.http import HttpAnswer
    from kubestage.server.context import RequestContext

_SERVICE: Final = ("v1", "Service")
_TEXT: Final = "text/plain; charset=utf-8"


def answer(context: RequestContext) -> Response:
    """Ask the pod, or a ready pod of the Service, that a path names."""
    scheme, name, port = split(context.target.name)
    if scheme not in ("", "http", "https") or not name:
        kind = context.target.kind.kind.lower()
        raise BadRequest(f'invalid {kind} request "{context.target.name}"')
    if context.target.kind.kind == "Service":
        ways = _to_service(context, name, port)
    else:
        ways = _to_pod(context, name, port)
    kubelet = kubelets.find(context.live)
    assert kubelet is not None
    elsewhere = redirect(context)
    if elsewhere is not None:
        return elsewhere
    for uid, number in ways:
        try:
            found = kubelet.inside.request(uid, number, _request(context, is_tls=scheme == "https"))
        except Unmodelled as error:
            raise BadRequest(f"proxy is not possible: {error} is not modelled") from None
        if found is not None:
            return _response(context, found, f"{kubelet.inside.address(uid)}:{number}")
        if not kubelet.inside.is_modelled(uid):
            raise BadRequest("proxy is not possible: what runs there is not modelled")
    raise refused()


def refused(problem: str = "connect: connection refused") -> ServiceUnavailable:
    """Nothing answers there."""
    return ServiceUnavailable(f"error trying to reach service: {problem}", {})


def _response(context: RequestContext, found: HttpAnswer, own: str) -> Response:
    """What a server answers, with its links leading through the proxy."""
    if not found.code:
        raise refused(found.body.decode())
    headers, body = dict(found.headers), found.body
    kind = headers.pop("Content-Type", _TEXT)
    ways = links.Links(parts(context)[0], context.request.header(b"host"), own)
    if "Location" in headers:
        headers["Location"] = ways.through(headers["Location"])
    elif kind.partition(";")[0].strip() == "text/html":
        body = ways.in_page(body)
    shown = [(key.lower().encode(), value.encode()) for key, value in headers.items()]
    return Response(found.code, body, kind.encode(), shown)


def parts(context: RequestContext) -> tuple[str, str]:
    """The path of the proxy, and what comes after it."""
    before, proxy, rest = context.request.path.partition(f"/{context.target.name}/proxy")
    return before + proxy, rest or "/"


def redirect(context: RequestContext) -> Response | None:
    """To the path with a slash at its end, for those who read the root of a server without it."""
    request = context.request
    if request.method not in ("GET", "HEAD") or not request.path.endswith("/proxy"):
        return None
    query = f"?{_query(context)}" if request.query else ""
    location = urllib.parse.quote(request.path) + "/" + query
    return Response(301, b"", _TEXT.encode(), [(b"location", location.encode())])


def split(name: str) -> tuple[str, str, str]:
    """``scheme:name:port``, of which only the name has to be there."""
    parts = name.split(":")
    if len(parts) > 3:
        return "", "", ""
    scheme = parts.pop(0) if len(parts) == 3 else ""
    return scheme, parts[0], parts[1] if len(parts) == 2 else ""


def _to_pod(context: RequestContext, name: str, port: str) -> list[tuple[str, int]]:
    pod = context.live.store.get(gvk.POD, name, context.target.namespace)
    need_kubelet(context)
    ports = [one for each in pod["spec"]["containers"] for one in each.get("ports") or ()]
    if not port:
        return [(pod["metadata"]["uid"], int(ports[0]["containerPort"]) if ports else 80)]
    named = [int(one["containerPort"]) for one in ports if one.get("name") == port]
    if not named and not port.isdigit():
        raise BadRequest(f'invalid pod request "{context.target.name}"')
    return [(pod["metadata"]["uid"], named[0] if named else int(port))]


def _to_service(context: RequestContext, name: str, port: str) -> list[tuple[str, int]]:
    service = context.live.store.get(_SERVICE, name, context.target.namespace)
    kubelet = need_kubelet(context)
    stated = [each for each in service["spec"].get("ports") or () if _is_it(each, port)]
    if not stated:
        raise ServiceUnavailable(f'no service port "{port}" found for service "{name}"', {})
    ways: list[tuple[str, int]] = kubelet.inside.behind(service, stated[0])
    if not ways:
        raise ServiceUnavailable(f'no endpoints available for service "{name}"', {})
    return ways


def _is_it(stated: Json, port: str) -> bool:
    return not port or port in (stated.get("name"), str(stated["port"]))


def need_kubelet(context: RequestContext) -> KubeletController:
    """The kubelets that are at work; refused if there are none."""
    kubelet = kubelets.find(context.live)
    if kubelet is None:
        raise BadRequest("proxy is not possible: no kubelets are at work here")
    return kubelet


def _request(context: RequestContext, *, is_tls: bool) -> HttpRequest:
    request = context.request
    headers = {
        key.decode("latin-1"): value.decode("latin-1") for key, value in request.headers.items()
    }
    prefix, rest = parts(context)
    headers["X-Forwarded-Uri"] = prefix + rest
    client, body = "10.0.0.1:40000", request.body
    return HttpRequest(request.method, rest, _query(context), headers, body, client, is_tls)


def _query(context: RequestContext) -> str:
    items = context.request.query.items()
    return urllib.parse.urlencode([(key, value) for key, values in items for value in values])
