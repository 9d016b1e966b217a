"""What a simulation is to do differently, by setting or by who asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.settings import BEST_EFFORT, IGNORE, RESPECT, STRICT

Chooser = Callable[[Sequence[str]], str]
"""Chooses one of several topology domains that are as good."""


def first(domains: Sequence[str]) -> str:
    """The pinned choice: the first by name."""
    return domains[0]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to schedule; the defaults are those of a simulation for disruption.

    `well_known` are the labels that a NodePool need not define. With `strict_reservations` a pod
    rather waits than goes without a reservation that it could have had. With `consolidating` pods
    are not moved to nodes that changed lately.
    """

    preference_policy: str = RESPECT
    min_values_policy: str = STRICT
    reserved_capacity: bool = True
    strict_reservations: bool = False
    consolidating: bool = False
    well_known: frozenset[str] = labels.WELL_KNOWN
    reservation_label: str = ""
    choose: Chooser = first

    @property
    def ignores_preferences(self) -> bool:
        """Whether preferences are not looked at."""
        return self.preference_policy == IGNORE

    @property
    def is_best_effort(self) -> bool:
        """Whether `minValues` may be lowered."""
        return self.min_values_policy == BEST_EFFORT


class Placeholders:
    """Names for nodes that do not exist yet; they are counted for as long as the process runs."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def next(self) -> str:
        """The next name."""
        self.last += 1
        return f"hostname-placeholder-{self.last:04d}"
