"""The measurements of one test: made when they are first mentioned, known by method and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import ApiError, InputError
from kubestage.measure import outcome as outcomes
from kubestage.measure import params
from kubestage.measure.measurement import Context, Measurement, Shared
from kubestage.measure.outcome import Later, Outcome

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster
    from kubestage.measure.facilities import Facilities
    from kubestage.measure.registry import Registry
    from kubestage.sim.streams import Streams


class Measurements:
    """All instances of one test."""

    def __init__(
        self, registry: Registry, cluster: Cluster, streams: Streams, facilities: Facilities
    ) -> None:
        self._registry = registry
        self._cluster = cluster
        self._streams = streams
        self._facilities = facilities
        self._shared = Shared()
        self._instances: dict[tuple[str, str], Measurement[Any]] = {}

    def perform(self, method: str, identifier: str, raw: dict[str, Any]) -> Later:
        """Have a measurement do what its parameters say.

        What is wrong with them is an error of the step, and so is what the cluster refuses.
        """
        later = Later()
        told = _Warned(later, ())
        try:
            instance = self._instance(method, identifier)
            typed, warnings = params.typed(instance.params_type, with_action(raw))
            if self._facilities.are_params_checked:
                warnings = []
            told = _Warned(later, tuple(f"{method} - {identifier}: {each}" for each in warnings))
            result = instance.perform(typed)
        except (InputError, ApiError) as problem:
            result = Outcome(errors=(str(problem),))
        if isinstance(result, Outcome):
            told.resolve(result)
        else:
            result.then(told.resolve)
        return later

    def dispose(self) -> None:
        """The test is over."""
        for instance in self._instances.values():
            instance.end()
        self._shared.dispose()

    def _instance(self, method: str, identifier: str) -> Measurement[Any]:
        key = (method, identifier)
        found = self._instances.get(key)
        if found is None:
            chance = self._streams.stream(f"measure/{method}/{identifier}")
            context = Context(
                method,
                identifier,
                self._cluster,
                chance,
                self._facilities,
                self._registry,
                self._shared,
            )
            found = self._instances[key] = self._registry.find(method)(context)
        return found


class _Warned:
    """Passes an outcome on, with warnings of its own before those of the measurement."""

    def __init__(self, later: Later, warnings: tuple[str, ...]) -> None:
        self._later = later
        self._warnings = warnings

    def resolve(self, outcome: Outcome) -> None:
        warned = Outcome(warnings=self._warnings)
        self._later.resolve(outcomes.merged([warned, outcome]) if self._warnings else outcome)


def with_action(raw: dict[str, Any]) -> dict[str, Any]:
    """Parameters with an action: ``start: true`` and ``stop: true`` are other words for two."""
    if "action" in raw:
        return raw
    for word, action in (("start", "start"), ("stop", "gather")):
        if raw.get(word) is True:
            return {"action": action, **{key: raw[key] for key in raw if key != word}}
    return raw
