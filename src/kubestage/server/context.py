"""Everything a verb needs to know about the request it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server import negotiation
from kubestage.server.presentation import View

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind, KindTable
    from kubestage.server.encoding import Encoder
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.routing import Target

_ENDPOINTS: Final = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"


class Context:
    """A request on its way: what it asks for, on which stage, and what it is warned of."""

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

    def view(self, *, is_list: bool = False) -> View:
        """How the answer is wanted; refused if it cannot be had that way."""
        form = negotiation.negotiate(
            self.request.header(b"accept"),
            is_list=is_list,
            is_routed=self.target.kind.definition is None,
        )
        now_ns = self.live.stage.clock.unix_ns
        include = self.request.parameter("includeObject")
        return View(self.target.kind, form, self.encoder, now_ns, include)


def _deprecations(kind: Kind, kinds: KindTable) -> list[str]:
    """What every request for a kind or version is told that is on its way out."""
    if kind.definition is None:
        return [_ENDPOINTS] if kind.kind == "Endpoints" and not kind.group else []
    return _deprecated_version(kind, kinds) if kind.definition.get("deprecated") else []


def _deprecated_version(kind: Kind, kinds: KindTable) -> list[str]:
    """What the definition of a custom resource says of an old version, or else where to go."""
    # NOTE: discovery is loaded by those who ask for it, and by the few who need its order.
    from kubestage.server.discovery import groups  # noqa: PLC0415

    told = (kind.definition or {}).get("deprecationWarning")
    if told is not None:
        return [told]
    rows = (
        kinds.by_plural(kind.group, each, kind.plural)
        for each in groups.versions(kinds, kind.group)
    )
    current = (row for row in rows if row is not None and row.definition is not None)
    newer = next((row for row in current if not (row.definition or {}).get("deprecated")), None)
    text = f"{kind.api_version} {kind.kind} is deprecated"
    return [text if newer is None else f"{text}; use {newer.api_version} {kind.kind}"]
