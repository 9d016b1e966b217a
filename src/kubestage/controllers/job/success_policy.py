"""When a Job has succeeded although not all of its indexes have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.job import intervals

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.job.intervals import Intervals


def match(policy: Json | None, completions: int, succeeded: Intervals) -> str | None:
    """The message of the first rule that holds."""
    if policy is None or not succeeded:
        return None
    for number, rule in enumerate(policy.get("rules") or ()):
        if _holds(rule, completions, succeeded):
            return f"Matched rules at index {number}"
    return None


def _holds(rule: Json, completions: int, succeeded: Intervals) -> bool:
    count = rule.get("succeededCount")
    wanted_text = rule.get("succeededIndexes")
    if wanted_text is None:
        return count is not None and intervals.total(succeeded) >= count
    wanted = intervals.parse(wanted_text, completions)
    if not wanted:
        return False
    shared = intervals.overlap(wanted, succeeded)
    return shared == intervals.total(wanted) or (count is not None and shared >= count)
