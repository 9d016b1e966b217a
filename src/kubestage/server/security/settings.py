"""What the door demands of those who knock."""

from __future__ import annotations

from typing import Final

import msgspec

MEBIBYTE: Final = 1 << 20
MOST_BYTES: Final = 2 << 30
"""No body may be larger than that, whatever is asked for."""
REMOTE_SCENARIO_BYTES: Final = 32 * MEBIBYTE
"""How large a Scenario may be that comes from another machine, unless somebody says otherwise."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much one request, or all together, may take.

    `body_bytes` is that of the API server. A Scenario holds all that is to happen to a cluster,
    hence `scenario_body_bytes`, and what comes to our own API may be a whole cluster, hence
    `own_body_bytes`. Times are those of the real clock.
    """

    body_bytes: int = 3 * MEBIBYTE
    scenario_body_bytes: int = 256 * MEBIBYTE
    own_body_bytes: int = 256 * MEBIBYTE
    head_bytes: int = 128 * 1024
    objects: int = 500_000
    watchers: int = 10_000
    connections: int = 20_000
    request_s: float = 60.0
    head_s: float = 20.0
    idle_s: int = 75


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who may come in.

    `hosts` are the names by which this server may be called; empty if any will do. With a `token`,
    only those who bring it are let in.
    """

    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    token: str | None = None
    limits: Limits = Limits()
