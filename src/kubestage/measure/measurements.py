"""The measurements of one test: created at their first use, known by method and identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import ApiError, InputError
from kubestage.measure import params
from kubestage.measure.measurement import Context, Measurement, Shared
from kubestage.measure.results import (
    MeasurementResult,
    PendingResult,
    merge_results,
    with_empty_verdicts,
)

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

    def perform(self, method: str, identifier: str, raw: dict[str, Any]) -> PendingResult:
        """Perform the action that the parameters name.

        An error in them is an error of the step, and so is what the cluster refuses.
        """
        pending = PendingResult()
        forward = _WithWarnings(pending, ())
        try:
            instance = self._instance(method, identifier)
            typed, warnings = params.typed(instance.params_type, raw)
            if self._facilities.are_params_checked:
                warnings = []
            forward = _WithWarnings(
                pending, tuple(f"{method} - {identifier}: {each}" for each in warnings)
            )
            result = instance.perform(typed)
        except (InputError, ApiError) as problem:
            result = MeasurementResult(errors=(str(problem),))
        if isinstance(result, PendingResult):
            result.then(forward.resolve)
        else:
            forward.resolve(_checked(result, method))
        return pending

    def dispose(self) -> None:
        """The test is over."""
        for instance in self._instances.values():
            instance.end()
        self._shared.dispose()

    def _instance(self, method: str, identifier: str) -> Measurement[Any]:
        key = (method, identifier)
        found = self._instances.get(key)
        if found is None:
            stream = self._streams.stream(f"measure/{method}/{identifier}")
            context = Context(
                method,
                identifier,
                self._cluster,
                stream,
                self._facilities,
                self._registry,
                self._shared,
            )
            found = self._instances[key] = self._registry.find(method)(context)
        return found


def _checked(result: object, method: str) -> MeasurementResult:
    """A result; a measurement of a user may return something else."""
    if isinstance(result, MeasurementResult):
        return result
    problem = f"{method} returned {result!r} (return a MeasurementResult, which may be empty)"
    return MeasurementResult(errors=(problem,))


class _WithWarnings:
    """Forwards a result, with warnings before those of the measurement.

    A summary without data becomes a verdict without a sample.
    """

    def __init__(self, pending: PendingResult, warnings: tuple[str, ...]) -> None:
        self._pending = pending
        self._warnings = warnings

    def resolve(self, result: MeasurementResult) -> None:
        warned = MeasurementResult(warnings=self._warnings)
        merged = merge_results([warned, result]) if self._warnings else result
        self._pending.resolve(with_empty_verdicts(merged))
