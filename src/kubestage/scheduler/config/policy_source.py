"""Where the policies lie that configurations from before there were plugins name."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class PolicySource(msgspec.Struct, frozen=True):
    """Where a policy lies: in a file, or in a ConfigMap under the key ``policy.cfg``."""

    path: str | None = None
    namespace: str | None = None
    name: str | None = None


PolicyReader = Callable[[PolicySource], str | None]
"""Fetches a policy's text; None if there is none."""
