"""The kubelets' own servers, as containers reach them: who asks, and whether they may.

A kubelet has the API server check tokens and permissions, so this asks the same authorizer.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Final

from kubestage.programs import http, kubelet_servers
from kubestage.server.containers import kubelets, node_proxy
from kubestage.server.identity import service_accounts
from kubestage.store.authorization.access import Access, forbidden

if TYPE_CHECKING:
    from kubestage.programs.http import HttpAnswer, HttpRequest
    from kubestage.server.live import Live

_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "DELETE": "delete"}
_SUBRESOURCES: Final = {"metrics": "metrics", "stats": "stats", "logs": "log", "spec": "spec"}


def provide(live: Live) -> None:
    """Have the kubelets of a cluster answer its containers."""
    known = weakref.ref(live)

    def answer(node: str, request: HttpRequest) -> HttpAnswer:
        found = known()
        return kubelet_servers.UNAUTHORIZED if found is None else _answer(found, node, request)

    kubelet_servers.provide(live.store, answer)


def _answer(live: Live, node: str, request: HttpRequest) -> HttpAnswer:
    headers = {name.lower(): value for name, value in request.headers.items()}
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not live.issuer.is_ours(token):
        return kubelet_servers.UNAUTHORIZED
    owner = service_accounts.owner(live, token)
    if isinstance(owner, str):
        return kubelet_servers.UNAUTHORIZED
    path = request.path.strip("/")
    part = _SUBRESOURCES.get(path.partition("/")[0], "proxy")
    access = Access(_VERBS.get(request.method, ""), "", "nodes", part, "", node)
    if live.authorizer is not None and not live.authorizer.allows(owner.user, access):
        return http.text(f"Forbidden ({forbidden(owner.user, access).message})", 403)
    kubelet = kubelets.find(live)
    found = None if kubelet is None else kubelet.nodes.get(node)
    if found is None or not found.speaks:
        return http.text("404 page not found\n", 404)
    page = node_proxy.page(live, found, path)
    return http.HttpAnswer(page.status, page.body, {"Content-Type": page.headers[0][1].decode()})
