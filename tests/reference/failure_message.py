"""The sentence that tells why no node fits, counted node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.scheduler.status import Status


def message(names: Sequence[str], verdicts: Mapping[str, Status], absent: Status) -> str:
    """What is said of nodes with these names; those without a verdict have the absent one.

    A verdict on a node that is not there counts, and takes the place of one that is silent.
    """
    counts: dict[str, int] = {}
    silent = max(len(names) - len(verdicts), 0)
    for status in [*verdicts.values(), *[absent] * silent]:
        for reason in status.reasons:
            counts[reason] = counts.get(reason, 0) + 1
    reasons = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
    return f"0/{len(names)} nodes are available:" + (f" {reasons}." if reasons else "")
