"""What the API server publishes of itself: whom it trusts, and that it is alive."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final

from kubestage.controllers import leases
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.bootstrap import Bootstrap

AUTHENTICATION: Final = "extension-apiserver-authentication"
TOKEN_TRACKING: Final = "kube-apiserver-legacy-service-account-token-tracking"
_DAY: Final = len("2026-01-01")
_HOST: Final = "kubestage"
_DURATION_S: Final = 3600
_RENEWED_EVERY: Final = "10s"


def authentication(server: Bootstrap) -> Json:
    """The authority of client certificates, for API servers that extend this one."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": AUTHENTICATION,
            "namespace": "kube-system",
        },
        "data": {"client-ca-file": server.certificate},
    }


def token_tracking(now: str) -> Json:
    """Since which day it is recorded when tokens of Secrets are used."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": TOKEN_TRACKING, "namespace": "kube-system"},
        "data": {"since": now[:_DAY]},
    }


def lease(now_unix_ns: int) -> Json:
    """The server's Lease, which is renewed without being written."""
    digest = hashlib.sha256(_HOST.encode()).digest()[:16]
    name = "apiserver-" + base64.b32encode(digest).decode().rstrip("=").lower()
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name,
            "namespace": "kube-system",
            "labels": {
                "apiserver.kubernetes.io/identity": "kube-apiserver",
                "kubernetes.io/hostname": _HOST,
            },
            "annotations": {leases.RENEWED_EVERY: _RENEWED_EVERY},
        },
        "spec": {
            "holderIdentity": name,
            "leaseDurationSeconds": _DURATION_S,
            "renewTime": timestamps.format_micro_time(now_unix_ns),
        },
    }
