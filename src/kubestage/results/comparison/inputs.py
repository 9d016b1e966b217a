"""Whether two runs had the same input: only then do their figures compare schedulers."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json


def differing_inputs(first: Json, second: Json) -> str | None:
    """In what the events of two Scenarios differ, in words; None if they are the same.

    What events are called makes no difference.
    """
    one, other = _events(first), _events(second)
    differences = []
    if one != other:
        only_one = (collections.Counter(one) - collections.Counter(other)).total()
        only_other = (collections.Counter(other) - collections.Counter(one)).total()
        if only_one or only_other:
            differences.append(
                f"{len(one) - only_one} events are the same, {only_one} only in the first, "
                f"{only_other} only in the second"
            )
        else:
            differences.append("the events are the same, but in another order")
    durations = [(each.get("spec") or {}).get("stepDuration") for each in (first, second)]
    if durations[0] != durations[1]:
        differences.append(
            f"steps last {durations[0] or 'no time'} and {durations[1] or 'no time'}"
        )
    return "; ".join(differences) or None


def _events(scenario: Json) -> list[bytes]:
    spec = scenario.get("spec") or {}
    events = spec.get("events") or spec.get("operations") or ()
    return [
        msgspec.json.encode({key: event[key] for key in sorted(event) if key != "id"})
        for event in events
        if isinstance(event, dict)
    ]
