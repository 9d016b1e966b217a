"""Requests that connect to a pod or a node, as admission sees them: an exec, an attach, a proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.admission import dynamic
from kubestage.store.admission.attributes import CONNECT

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext

_OPTIONS: Final = {
    ("pods", "attach"): "PodAttachOptions",
    ("pods", "exec"): "PodExecOptions",
    ("pods", "portforward"): "PodPortForwardOptions",
    ("pods", "proxy"): "PodProxyOptions",
    ("services", "proxy"): "ServiceProxyOptions",
    ("nodes", "proxy"): "NodeProxyOptions",
}
_FLAGS: Final = ("stdin", "stdout", "stderr", "tty")


def check(context: RequestContext) -> None:
    """Refuse a connection that a policy or a webhook is against."""
    target = context.target
    kind = _OPTIONS.get((target.kind.plural, target.subresource))
    if kind is None or target.kind.group:
        return
    with context.acting():
        dynamic.check_part(
            context.live.store,
            target.kind,
            target.subresource,
            ("v1", kind),
            {"kind": kind, "apiVersion": "v1", **_options(context)},
            target.name,
            target.namespace or "",
            operation=CONNECT,
        )


def _options(context: RequestContext) -> Json:
    query = context.request.query
    found: Json = {
        each: context.request.parameter(each) not in ("", "0", "false")
        for each in _FLAGS
        if each in query
    }
    if query.get("container"):
        found["container"] = query["container"][0]
    if query.get("command"):
        found["command"] = query["command"]
    if query.get("ports"):
        found["ports"] = [int(each) for each in query["ports"] if each.isdigit()]
    return found
