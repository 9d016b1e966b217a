"""Approves the requests of kubelets, and signs what is approved for the built-in signers."""

from __future__ import annotations

import base64
import datetime as dt
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.store.log import DELETED

# NOTE: most clusters have no certificate request, and cryptography takes a while to load.
with lazy.imports():
    from kubestage.server.identity import certificate_rules

if TYPE_CHECKING:
    from cryptography import x509

    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.store.log import Change

REQUEST: Final = ("certificates.k8s.io/v1", "CertificateSigningRequest")
_MANAGER: Final = "kube-controller-manager"
_DEFAULT: Final = dt.timedelta(days=365)
_SHORTEST: Final = dt.timedelta(minutes=10)
_SELF: Final = "Auto approving self kubelet client certificate after SubjectAccessReview."
_OTHER: Final = "Auto approving kubelet client certificate after SubjectAccessReview."


class CertificateSigning:
    """Follows all certificate requests of a cluster."""

    kinds: Final = frozenset({("certificates.k8s.io", "CertificateSigningRequest")})

    def __init__(self, live: Live) -> None:
        self._live = live

    def start(self) -> None:
        """Handle what is there, and from now on every change."""
        for each in tuple(self._live.store.read(REQUEST).values()):
            self._handle(each)
        self._live.store.subscribe(self.on_change, self.kinds)

    def close(self) -> None:
        """Follow them no more."""
        self._live.store.unsubscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        """Handle a request that came or was changed."""
        if change.type != DELETED:
            self._handle(change.new)

    def _handle(self, request: Json) -> None:
        status = request.get("status") or {}
        states = {each["type"] for each in status.get("conditions") or ()}
        if status.get("certificate") or states & {"Denied", "Failed"}:
            return
        content = certificate_rules.parsed(request)
        if content is None:
            return
        if "Approved" in states:
            self._sign(request, content)
        else:
            self._approve(request, content)

    def _approve(self, request: Json, content: x509.CertificateSigningRequest) -> None:
        spec = request["spec"]
        if spec["signerName"] != certificate_rules.KUBELET_CLIENT:
            return
        if certificate_rules.problem(request, content):
            return
        is_own = spec.get("username") == certificate_rules.common_name(content)
        self._add(request, "approval", "Approved", "AutoApproved", _SELF if is_own else _OTHER)

    def _sign(self, request: Json, content: x509.CertificateSigningRequest) -> None:
        problem = certificate_rules.problem(request, content)
        if problem is None:
            return
        if problem:
            self._add(request, "status", "Failed", "SignerValidationFailure", problem)
            return
        spec = request["spec"]
        lasts, requested_s = _DEFAULT, spec.get("expirationSeconds")
        if requested_s is not None:
            lasts = min(max(dt.timedelta(seconds=requested_s), _SHORTEST), _DEFAULT)
        now_s = self._live.stage.clock.unix_ns // 10**9
        now = dt.datetime.fromtimestamp(now_s, dt.UTC)
        signed = self._live.issuer.authority.sign(content, spec.get("usages") or (), lasts, now)
        status = {**request["status"], "certificate": base64.b64encode(signed).decode()}
        self._update({**request, "status": status}, "status")

    def _add(self, request: Json, through: str, kind: str, reason: str, message: str) -> None:
        condition = {"type": kind, "status": "True", "reason": reason, "message": message}
        status = request.get("status") or {}
        conditions = [*(status.get("conditions") or ()), condition]
        self._update({**request, "status": {**status, "conditions": conditions}}, through)

    def _update(self, request: Json, through: str) -> None:
        self._live.store.update(
            request,
            kind=REQUEST,
            name=request["metadata"]["name"],
            subresource=through,
            manager=_MANAGER,
        )
