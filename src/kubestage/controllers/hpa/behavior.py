"""How fast an autoscaler may go: scaling policies, and what they remember of its past."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.controllers.hpa import go_numbers
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


@dataclasses.dataclass(slots=True)
class ScaleEvent:
    """Replicas were added or taken away; one that is outdated gives its place to the next."""

    change: int
    at_ns: int
    is_outdated: bool = False


class ScaleEvents:
    """What an autoscaler did lately, upwards and downwards."""

    def __init__(self) -> None:
        self.ups: list[ScaleEvent] = []
        self.downs: list[ScaleEvent] = []

    def store(self, behavior: Json, before: int, after: int, now_ns: int) -> None:
        """Store a change, in the place of one that is older than any policy's period."""
        is_up = after > before
        rules = behavior["scaleUp" if is_up else "scaleDown"]
        known = self.ups if is_up else self.downs
        periods = [policy["periodSeconds"] for policy in rules.get("policies") or ()]
        cutoff_ns = now_ns - max(periods, default=0) * SECOND_NS
        event = ScaleEvent(abs(after - before), now_ns)
        place: int | None = None
        for at, each in enumerate(known):
            if each.at_ns < cutoff_ns:
                each.is_outdated = True
            if each.is_outdated:
                place = at
        if place is None:
            known.append(event)
        else:
            known[place] = event

    def up_limit(self, current: int, rules: Json, now_ns: int) -> int:
        """The most replicas that the policies allow for now."""
        return self._limit(current, rules, now_ns, is_up=True)

    def down_limit(self, current: int, rules: Json, now_ns: int) -> int:
        """The fewest replicas that the policies allow for now."""
        return self._limit(current, rules, now_ns, is_up=False)

    def _limit(self, current: int, rules: Json, now_ns: int, *, is_up: bool) -> int:
        select = rules["selectPolicy"]
        if select == "Disabled":
            return current
        proposed = [
            self._proposed(current, policy, now_ns, is_up=is_up)
            for policy in rules.get("policies") or ()
        ]
        # The smallest change is the lowest limit on the way up and the highest on the way down.
        if (select == "Min") == is_up:
            return min(proposed, default=go_numbers.INT32_MAX)
        return max(proposed, default=go_numbers.INT32_MIN)

    def _proposed(self, current: int, policy: Json, now_ns: int, *, is_up: bool) -> int:
        cutoff_ns = now_ns - policy["periodSeconds"] * SECOND_NS
        added, deleted = _since(self.ups, cutoff_ns), _since(self.downs, cutoff_ns)
        start = go_numbers.int32(current - added + deleted)
        value = policy["value"]
        if policy["type"] == "Pods":
            return go_numbers.int32(start + value if is_up else start - value)
        if is_up:
            # Rounded up, or one replica would never become two.
            return go_numbers.ceiling_int32(float(start) * (1 + float(value) / 100))
        return go_numbers.truncated_int32(float(start) * (1 - float(value) / 100))


def _since(events: Iterable[ScaleEvent], cutoff_ns: int) -> int:
    return sum(event.change for event in events if event.at_ns > cutoff_ns)
