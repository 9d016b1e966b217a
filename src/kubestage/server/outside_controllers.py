"""Controllers that are clients of the API: refused beside built-in ones, and given heartbeats.

Two sets of controllers fight: each creates the pods of a ReplicaSet.
Outside of kubestage time is real. A real node controller takes a node for dead whose Lease has not
been renewed for a while, so Leases are written there, in real time.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from kubestage.controllers import leases
from kubestage.errors import ApiError
from kubestage.objects import timestamps
from kubestage.server import read_only

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.server.request import Request

REFUSAL: Final = (
    "kubestage runs its own controllers here, and two sets of them would fight: start "
    "`kubestage serve --simulate kubelets` for a kube-controller-manager of your own"
)
_AGENT: Final = b"kube-controller-manager/"
INTERVAL_S: Final = 10.0
# A share of all Leases is renewed at a time, so that other requests do not wait for long.
_SHARES: Final = 10
_MICROSECOND_NS: Final = 1_000


def is_rival(request: Request) -> bool:
    """Whether a request is a write of the real kube-controller-manager."""
    agent = request.headers.get(b"user-agent", b"")
    return agent.startswith(_AGENT) and read_only.is_write(request)


class LeaseRenewals:
    """Renews the Leases of all reachable nodes, each once in `interval_s` of real time."""

    def __init__(self, live: Live, interval_s: float = INTERVAL_S) -> None:
        self._live = live
        self._interval_s = interval_s
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Renew from now on; a loop must be running."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Renew no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        share = 0
        while True:
            await asyncio.sleep(self._interval_s / _SHARES)
            self.renew(share)
            share = (share + 1) % _SHARES

    def renew(self, share: int) -> None:
        """Renew the Leases of one share, by the place of their node in the list."""
        live = self._live
        if live.durability.failure is not None:
            return
        live.pace.catch_up()
        found = live.store.read(leases.LEASE)
        for key in [key for key in found if key.startswith(f"{leases.NAMESPACE}/")][share::_SHARES]:
            lease = found.get(key)
            if lease is not None and leases.renews_itself(lease):
                # Deleted or limited, like a kubelet that cannot write: the next turn tries again.
                with contextlib.suppress(ApiError):
                    live.store.update(_renewed(lease, live.stage.clock.unix_ns))


def _renewed(lease: Json, now_ns: int) -> Json:
    """A Lease with a later time of renewal, even where virtual time stands still."""
    before = (lease.get("spec") or {}).get("renewTime")
    if before:
        now_ns = max(now_ns, timestamps.parse_time(before) + _MICROSECOND_NS)
    return {**lease, "spec": {**lease["spec"], "renewTime": timestamps.format_micro_time(now_ns)}}
