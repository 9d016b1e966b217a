"""The context of a request, for the verb that serves it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.server import authorizing, callers, negotiation
from kubestage.server.converting_view import ConvertingView
from kubestage.server.presentation import ResponseView
from kubestage.store.admission import caller as admission_caller
from kubestage.store.admission.caller import Caller

# NOTE: discovery is loaded by its first request, and by the few that need its order.
with lazy.imports():
    from kubestage.server.discovery import groups

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind, KindTable
    from kubestage.server.encoding import Encoder
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.routing import Target

_OPTIONS: Final = ("fieldManager", "fieldValidation")
_ENDPOINTS: Final = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"


class RequestContext:
    """A request being served: its target, its stage, and the warnings for its response."""

    __slots__ = ("caller", "encoder", "live", "request", "target", "warnings")

    def __init__(self, live: Live, encoder: Encoder, request: Request, target: Target) -> None:
        self.live = live
        self.encoder = encoder
        self.request = request
        self.target = target
        self.warnings: list[str] = _deprecations(target.kind, live.store.kinds)
        # The client, as admission sees it: one for all attempts at a write.
        self.caller = Caller(
            callers.client_of(live, request),
            authorize=functools.partial(authorizing.answer, live),
            authorizer=live.authorizer,
        )

    @property
    def kind(self) -> Kind:
        """The kind that the path names."""
        return self.target.kind

    def acting(self) -> AbstractContextManager[None]:
        """Have the store know the client, and the options of its request."""
        query = self.request.query
        found = {key: query[key][0] for key in _OPTIONS if query.get(key)}
        dry_run = {"dryRun": query["dryRun"]} if query.get("dryRun") else {}
        self.caller.options = {**found, **dry_run}
        return admission_caller.writing(self.caller)

    def view(self, *, is_list: bool = False) -> ResponseView:
        """The form of the response; refused if the object has no such form."""
        form = negotiation.negotiate(
            self.request.header(b"accept"),
            is_list=is_list,
            is_routed=self.target.kind.definition is None,
            encodes=True,
        )
        now_ns = self.live.stage.clock.unix_ns
        include = self.request.parameter("includeObject")
        kind, encoder = self.target.kind, self.encoder
        if kind.conversion_webhook is None:
            return ResponseView(kind, form, encoder, now_ns, include)
        return ConvertingView(kind, form, encoder, now_ns, include, self.live.conversions)

    @property
    def present(self) -> Json | None:
        """The object that the path names, as it is stored now; None if it is not there."""
        target = self.target
        key = f"{target.namespace}/{target.name}" if target.kind.namespaced else target.name
        return self.live.store.read(target.kind).get(key)


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
