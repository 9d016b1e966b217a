"""Everything a verb needs to know about the request it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server import negotiation
from kubestage.server.presentation import View

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
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
        self.warnings: list[str] = _deprecations(target.kind)

    @property
    def kind(self) -> Kind:
        """The kind that the path names."""
        return self.target.kind

    def view(self, *, is_list: bool = False) -> View:
        """How the answer is wanted; refused if it cannot be had that way."""
        form = negotiation.negotiate(self.request.header(b"accept"), is_list=is_list)
        now_ns = self.live.stage.clock.unix_ns
        include = self.request.parameter("includeObject")
        return View(self.target.kind, form, self.encoder, now_ns, include)


def _deprecations(kind: Kind) -> list[str]:
    """What every request for a kind is told that is on its way out."""
    return [_ENDPOINTS] if kind.kind == "Endpoints" and not kind.group else []
