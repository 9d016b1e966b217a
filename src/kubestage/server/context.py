"""The context of a request, for the verb that serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.server import negotiation
from kubestage.server.presentation import ResponseView

# NOTE: discovery is loaded by its first request, and by the few that need its order.
with lazy.imports():
    from kubestage.server.discovery import groups

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind, KindTable
    from kubestage.server.encoding import Encoder
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.routing import Target

_ENDPOINTS: Final = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"


class RequestContext:
    """A request being served: its target, its stage, and the warnings for its response."""

    __slots__ = ("encoder", "live", "request", "target", "warnings")

    def __init__(self, live: Live, encoder: Encoder, request: Request, target: Target) -> None:
        self.live = live
        self.encoder = encoder
        self.request = request
        self.target = target
        self.warnings: list[str] = _deprecations(target.kind, live.store.kinds)

    @property
    def kind(self) -> Kind:
        """The kind that the path names."""
        return self.target.kind

    def view(self, *, is_list: bool = False) -> ResponseView:
        """The form of the response; refused if the object has no such form."""
        form = negotiation.negotiate(
            self.request.header(b"accept"),
            is_list=is_list,
            is_routed=self.target.kind.definition is None,
        )
        now_ns = self.live.stage.clock.unix_ns
        include = self.request.parameter("includeObject")
        return ResponseView(self.target.kind, form, self.encoder, now_ns, include)


def _deprecations(kind: Kind, kinds: KindTable) -> list[str]:
    """The warnings of every request for a kind or version that is deprecated."""
    if kind.definition is None:
        return [_ENDPOINTS] if kind.kind == "Endpoints" and not kind.group else []
    return _deprecated_version(kind, kinds) if kind.definition.get("deprecated") else []


def _deprecated_version(kind: Kind, kinds: KindTable) -> list[str]:
    """The warning that a definition has for an old version, or else the newer version."""
    warning = (kind.definition or {}).get("deprecationWarning")
    if warning is not None:
        return [warning]
    rows = (
        kinds.by_plural(kind.group, each, kind.plural)
        for each in groups.versions(kinds, kind.group)
    )
    current = (row for row in rows if row is not None and row.definition is not None)
    newer = next((row for row in current if not (row.definition or {}).get("deprecated")), None)
    text = f"{kind.api_version} {kind.kind} is deprecated"
    return [text if newer is None else f"{text}; use {newer.api_version} {kind.kind}"]
