"""Which requests are admitted, and how much they may take."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.server.security.origins import Origin  # noqa: TC001 - read by msgspec

MEBIBYTE: Final = 1 << 20
MOST_BYTES: Final = 2 << 30
"""No body may be larger than that, whatever is configured."""
REMOTE_SCENARIO_BYTES: Final = 32 * MEBIBYTE
"""How large a Scenario may be that comes from another machine, unless configured otherwise."""


class RequestLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much one request, or all together, may take."""

    body_bytes: int = 3 * MEBIBYTE
    """The size of a body; that of the API server."""

    scenario_body_bytes: int = 256 * MEBIBYTE
    """The size of a Scenario, which holds all that is to happen to a cluster."""

    own_body_bytes: int = 256 * MEBIBYTE
    """The size of a body for the kubestage API, which may be a whole cluster."""

    head_bytes: int = 128 * 1024
    """The size of the head of a request."""

    objects: int = 500_000
    """How many objects may be stored."""

    watchers: int = 10_000
    """How many watches may be open."""

    connections: int = 20_000
    """How many connections may be open."""

    request_s: float = 60.0
    """How long a request may take, in real time."""

    head_s: float = 20.0
    """How long the head of a request may take to arrive, in real time."""

    idle_s: int = 75
    """How long a connection may be idle, in real time."""


class SecuritySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which requests are admitted.

    `hosts` are the names by which this server may be called; empty if any will do. With a `token`,
    only requests with it are admitted. `origins` are those of web pages of others that may write.
    """

    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    token: str | None = None
    origins: frozenset[Origin] = frozenset()
    limits: RequestLimits = RequestLimits()
