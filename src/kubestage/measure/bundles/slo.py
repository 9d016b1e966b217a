"""SLOMeasurement: service level objectives that belong together, as one measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.measure.bundles.bundle import Bundle, Part
from kubestage.measure.params import with_action

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.measure.params import FreeParams
    from kubestage.measure.results import Result


class SLOMeasurement(Bundle):
    """Passes its parameters on; ``overrides`` has others for parts by their names."""

    parts = (Part("DnsLookupLatency"), Part("SchedulingThroughputPrometheus"))
    actions = ("start", "gather")
    needs_start = True

    @classmethod
    def shares(cls, params: FreeParams) -> list[tuple[Part, Json]]:
        """The action is that of all parts; each has its own overrides."""
        values = with_action(params.values)
        overrides = values.pop("overrides", None) or {}
        return [(part, {**values, **_of(overrides, part.method)}) for part in cls.parts]

    def perform(self, params: FreeParams) -> Result:
        """Perform the action of all parts."""
        return self.in_turn(params)


def _of(overrides: Any, method: str) -> dict[str, Any]:
    if isinstance(overrides, dict):
        found = overrides.get(method) or {}
        if isinstance(found, dict):
            return found
    raise InputError(
        "no map of parameters",
        path="params.overrides",
        fix=f"write the parameters of {method} under its name",
    )
