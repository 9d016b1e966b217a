"""What time it is in a cluster: that of its own clock, also where it is a virtual one."""

from __future__ import annotations

import asyncio
import email.utils
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import ApiError
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.remote.cluster import RemoteCluster

_CLOCK: Final = "/kubestage/v1/clock"
_POLL_S: Final = 0.5
# The Date of an answer has whole seconds: less than this is no difference.
_NOTICEABLE_NS: Final = 2 * SECOND_NS


class _StageTime(msgspec.Struct, rename={"elapsed_ns": "nowNs", "is_passing": "isPassing"}):
    now: str
    elapsed_ns: int
    mode: str
    speed: float | None = None
    is_passing: bool = False


class ServerTime:
    """The calendar of a cluster; it never goes back."""

    def __init__(self, cluster: RemoteCluster) -> None:
        self.ahead_ns = 0
        """How far the clock of the cluster is ahead of this machine's."""
        self.is_virtual = False
        self._moments = cluster.moments
        self._connection = cluster.connection
        self._zero_ns = 0
        self._read_ns = 0
        self._unix_ns = 0
        self._rate = 1.0
        self._last_ns = 0

    @property
    def now_ns(self) -> int:
        """Unix time now."""
        return self.unix_at(self._moments.now_ns)

    def unix_at(self, at_ns: int) -> int:
        """A moment of this machine in the calendar of the cluster."""
        if self.is_virtual:
            found = self._unix_ns + round((at_ns - self._read_ns) * self._rate)
        else:
            found = self._moments.unix_at(at_ns) + self.ahead_ns
        self._last_ns = max(self._last_ns, found)
        return self._last_ns

    async def find(self) -> None:
        """Find out which clock it is, and how far ahead."""
        await self._poll()
        if self.is_virtual:
            return
        sent_ns = self._moments.now_ns
        try:
            reply = await self._connection.send("GET", "/version")
        except ApiError:
            return
        middle_ns = self._moments.unix_at((sent_ns + self._moments.now_ns) // 2)
        date_ns = _date(reply.headers)
        if date_ns is not None:
            ahead_ns = date_ns + SECOND_NS // 2 - middle_ns
            self.ahead_ns = ahead_ns if abs(ahead_ns) > _NOTICEABLE_NS else 0

    async def follow(self) -> None:
        """Keep up with a clock that does not go as this machine's."""
        while self.is_virtual:
            await asyncio.sleep(_POLL_S)
            await self._poll()

    async def _poll(self) -> None:
        try:
            reply = await self._connection.send("GET", _CLOCK)
            if reply.code >= 400:
                return
            found = msgspec.json.decode(reply.body, type=_StageTime)
            now_ns = timestamps.parse_time(found.now)
        except (ApiError, msgspec.DecodeError, ValueError):
            return
        if not self.is_virtual:
            self.is_virtual = True
            self._zero_ns = now_ns - found.elapsed_ns
        self._read_ns = self._moments.now_ns
        # The text has whole seconds.
        self._unix_ns = max(self._zero_ns + found.elapsed_ns, now_ns)
        speed: Any = found.speed or 1.0
        self._rate = float(speed) if found.mode == "speed" else float(found.is_passing)


def _date(headers: Mapping[str, str]) -> int | None:
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("Date", ""))
    except ValueError:
        return None
    return int(moment.timestamp()) * SECOND_NS
