"""Removes certificate requests that are settled, or that were never answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.errors import NotFound
from kubestage.objects import timestamps
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change

REQUEST: Final = ("certificates.k8s.io/v1", "CertificateSigningRequest")
_SETTLED_NS: Final = 3600 * SECOND_NS
_PENDING_NS: Final = 24 * 3600 * SECOND_NS


class CSRCleanerController(Controller):
    """Deletes requests an hour after they were answered, or a day after they were not."""

    name = "csrcleaner"

    def handlers(self) -> Handlers:
        """Certificate requests only."""
        return {("certificates.k8s.io", "CertificateSigningRequest"): self._on_request}

    def _on_request(self, change: Change) -> None:
        if change.type != DELETED:
            self.queue.add(change.key)

    def sync(self, key: str) -> None:
        """Delete a request whose time is up, or come back when it is."""
        request = self.lister.get(REQUEST, key)
        expires_ns = None if request is None else _expires_ns(request)
        if request is None or expires_ns is None:
            return
        if expires_ns > self.clock.unix_ns:
            self.queue.add_at(key, expires_ns)
            return
        try:
            self.store.delete(REQUEST, request["metadata"]["name"])
        except NotFound:
            return


def _expires_ns(request: Json) -> int | None:
    """When a request is deleted; None if its conditions say nothing about that."""
    status = request.get("status") or {}
    conditions = status.get("conditions") or ()
    if not conditions:
        return timestamps.parse_time(request["metadata"]["creationTimestamp"]) + _PENDING_NS
    stays_ns = {
        "Denied": _SETTLED_NS,
        "Failed": _SETTLED_NS,
        "Approved": _SETTLED_NS if status.get("certificate") else _PENDING_NS,
    }
    ends = [
        timestamps.parse_time(each["lastUpdateTime"]) + stays_ns[each["type"]]
        for each in conditions
        if each["type"] in stays_ns and each.get("lastUpdateTime")
    ]
    return min(ends, default=None)
