"""The heartbeats of nodes: Leases, and what it means that one renews itself.

A real kubelet writes its Lease every few seconds. Here that would be most of what happens in an
idle cluster, so a Lease may say that it is renewed at an interval without being written: the
reader works out when that was last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json

LEASE: Final = ("coordination.k8s.io/v1", "Lease")
NAMESPACE: Final = "kube-node-lease"
RENEWED_EVERY: Final = "kubestage.dev/renewed-every"


def renews_itself(lease: Json) -> bool:
    """Whether a Lease goes on being renewed without being written."""
    return RENEWED_EVERY in (lease["metadata"].get("annotations") or ())


def renewed_at_ns(lease: Json, now_unix_ns: int) -> int | None:
    """When a Lease was last renewed; None if that never happened."""
    written = (lease.get("spec") or {}).get("renewTime")
    if not written:
        return None
    renewed_ns = timestamps.parse_time(written)
    if not renews_itself(lease):
        return renewed_ns
    every_ns = durations.parse_duration(lease["metadata"]["annotations"][RENEWED_EVERY])
    if every_ns <= 0 or now_unix_ns <= renewed_ns:
        return renewed_ns
    return now_unix_ns - (now_unix_ns - renewed_ns) % every_ns
