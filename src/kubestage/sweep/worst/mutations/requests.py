"""The mutation of the requests of a Traffic: how many there are, and how fast that changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import durations
from kubestage.sweep.worst import pod_specs
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import random

    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits

_RATES: Final = ("rps", "delta", "max", "amplitude", "requests")
_TIMES: Final = ("period", "duration", "after", "start")
_FASTEST: Final = 1_000_000


class Requests:
    """All rates of a Traffic, or all its times, are multiplied by a factor; that is relative to the
    start, so that mutations do not add up.
    """

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Change one."""
        places = [at for at, each in enumerate(case.events) if str(each.target) in limits.patterns]
        if not places:
            return None
        place = stream.choice(places)
        event = case.events[place]
        assert event.object is not None
        factor = math.exp(stream.uniform(*(math.log(each) for each in limits.factors)))
        fields = stream.choice((_RATES, _TIMES))
        first = limits.patterns[str(event.target)]

        def changed(now: Json) -> Json:
            return _scaled(first, now, fields, factor)

        whole = pod_specs.changed(event.object, ("spec", "pattern"), changed)
        return case.replaced(place, event.with_object(whole))


def _scaled(first: Json, now: Json, fields: tuple[str, ...], factor: float) -> Json:
    """The pattern as it is now, with some fields of the first one multiplied."""
    if "sum" in first:
        parts = zip(first["sum"], now["sum"], strict=True)
        return {"sum": [_scaled(one, other, fields, factor) for one, other in parts]}
    return {
        kind: {
            name: _times(first[kind][name], factor) if name in fields else value
            for name, value in settings.items()
        }
        for kind, settings in now.items()
    }


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, str):
        seconds = max(round(durations.parse_duration(value) / SECOND_NS * factor), 1)
        return durations.go_string(seconds * SECOND_NS)
    scaled = min(float(f"{value * factor:.2g}"), max(value, _FASTEST))
    return max(round(scaled), 1) if isinstance(value, int) else scaled
