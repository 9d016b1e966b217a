"""What a mutation is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import random

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits


class Mutation(Protocol):
    """A small change of a case."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """The changed case; None if there is nothing in it that this could change."""
