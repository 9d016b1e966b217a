"""The mutation of the order in which pods arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.sweep.worst import case as cases
from kubestage.sweep.worst.mutations import moments

if TYPE_CHECKING:
    import random

    from kubestage.sweep.worst.case import Case, CaseEvent
    from kubestage.sweep.worst.limits import Limits


class Exchange:
    """Two arrivals exchange their places, and with them their moments."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Exchange two."""
        if len(case.arrivals) < 2:
            return None
        one, other = stream.sample(case.arrivals, 2)
        events = list(case.events)
        first, second = events[one], events[other]
        events[one] = _at(case, second, first.at, limits)
        events[other] = _at(case, first, second.at, limits)
        return cases.arranged(events)


def _at(case: Case, event: CaseEvent, at: int, limits: Limits) -> CaseEvent:
    moment = moments.allowed(case, event, limits).clamp(at)
    return msgspec.structs.replace(event, at=moment)
