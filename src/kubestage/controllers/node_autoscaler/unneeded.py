"""A node that could go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.aliases import Json

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.drainability import Moves


class Unneeded(msgspec.Struct):
    """A node that could go: what would become of its pods, since when, and when it may.

    `is_risky` means that budgets do not let all of its pods go at once.
    """

    name: str
    node: Json
    moves: Moves
    since_ns: int
    patience_ns: int
    is_risky: bool = False
