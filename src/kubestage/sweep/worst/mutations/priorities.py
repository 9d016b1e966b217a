"""The mutation of priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.sweep.worst import pod_specs
from kubestage.sweep.worst.mutations import moments

if TYPE_CHECKING:
    import random

    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits

# The API resolves them from the class.
_RESOLVED = ("priority", "preemptionPolicy")


class Reprioritize:
    """The pods of an arrival get another PriorityClass, or none."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Change one."""
        if not limits.classes or not case.arrivals:
            return None
        place = stream.choice(case.arrivals)
        event = case.events[place]
        assert event.object is not None
        spec = pod_specs.spec_of(event.object)
        chosen = stream.choice((None, *limits.classes))
        changed = event.with_object(pod_specs.with_spec(event.object, _with_class(spec, chosen)))
        moment = moments.allowed(case, changed, limits).clamp(event.at)
        return case.replaced(place, msgspec.structs.replace(changed, at=moment))


def _with_class(spec: Json, name: str | None) -> Json:
    kept = {key: value for key, value in spec.items() if key not in _RESOLVED}
    kept.pop("priorityClassName", None)
    return kept if name is None else {**kept, "priorityClassName": name}
