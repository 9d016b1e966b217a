"""What measurements that consist of others have in common."""

from __future__ import annotations

import abc
import functools
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from kubestage.aliases import Json
from kubestage.measure import params as parameters
from kubestage.measure.bundles.in_turn import InTurn
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import FreeParams
from kubestage.measure.registry import Registry
from kubestage.measure.results import MeasurementResult, merge_results

if TYPE_CHECKING:
    from kubestage.measure.measurement import Context
    from kubestage.measure.params import Params
    from kubestage.measure.results import PendingResult, Result


class Part(msgspec.Struct, frozen=True):
    """One of several measurements: its method, and its component where several have that method."""

    method: str
    component: str = ""


class Bundle(Measurement[FreeParams], abc.ABC):
    """Has parts, which it finds in the registry as a load does, so those of a user come first.

    They receive the parameters of the bundle; each takes those that it knows.
    """

    params_type = FreeParams
    parts: ClassVar[tuple[Part, ...]] = ()

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._registry = context.registry or Registry()
        self._parts: dict[Part, Measurement[Any]] = {}
        self._reported: set[str] = set()

    def dispose(self) -> None:
        """Dispose of all parts."""
        for part in self._parts.values():
            part.end()

    @classmethod
    @abc.abstractmethod
    def shares(cls, params: FreeParams) -> list[tuple[Part, Json]]:
        """The parts that act, in order, and the parameters of each."""

    @classmethod
    def inner_mentions(cls, params: Params) -> list[tuple[str, Json]]:
        """The methods of the parts."""
        assert isinstance(params, FreeParams)
        return [(part.method, raw) for part, raw in cls.shares(params)]

    @classmethod
    def unknown_parameters(cls, params: Params, registry: Registry) -> list[str]:
        """One that no part knows, unless a part takes any."""
        assert isinstance(params, FreeParams)
        kinds = [registry.find(part.method).params_type for part in cls.parts]
        if any(issubclass(kind, FreeParams) for kind in kinds):
            return []
        names = sorted(
            {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}
        )
        values = parameters.with_action(params.values)
        return [parameters.unknown_parameter(key, names) for key in values if key not in names]

    def in_turn(self, params: FreeParams) -> PendingResult:
        """Perform the actions of parts, one after another."""
        shares = self.shares(params)
        steps = [functools.partial(self._perform, part, raw) for part, raw in shares]
        done = functools.partial(self._merged, [part for part, _ in shares], self._oddities(params))
        return InTurn(steps, done).pending

    def problem(self, part: Part, error: str) -> str:
        """The error of a part as the bundle reports it."""
        del part
        return error

    def _part(self, part: Part) -> Measurement[Any]:
        found = self._parts.get(part)
        if found is None:
            context = msgspec.structs.replace(self.context, method=part.method)
            found = self._parts[part] = self._registry.find(part.method)(context)
        return found

    def _perform(self, part: Part, raw: Json) -> Result:
        measurement = self._part(part)
        typed, _ = parameters.typed(measurement.params_type, raw)
        return measurement.perform(typed)

    def _oddities(self, params: FreeParams) -> tuple[str, ...]:
        if self.context.facilities.are_params_checked:
            return ()
        who = f"{self.context.method} - {self.context.identifier}"
        return tuple(f"{who}: {each}" for each in self.unknown_parameters(params, self._registry))

    def _merged(
        self,
        parts: list[Part],
        oddities: tuple[str, ...],
        results: list[MeasurementResult],
    ) -> MeasurementResult:
        """All results as one; a part that was skipped is a warning unless all were."""
        reasons: dict[str, dict[str, None]] = {}
        result_parts = []
        for part, result in zip(parts, results, strict=True):
            if result.skipped:
                reasons.setdefault(result.skipped, {}).setdefault(part.method)
            errors = tuple(self.problem(part, error) for error in result.errors)
            result_parts.append(msgspec.structs.replace(result, errors=errors, skipped=""))
        lines = [f"{', '.join(methods)}: {reason}" for reason, methods in reasons.items()]
        merged = merge_results([MeasurementResult(warnings=oddities), *result_parts])
        if results and all(result.skipped for result in results):
            return msgspec.structs.replace(merged, skipped="; ".join(lines))
        fresh = [line for line in lines if line not in self._reported]
        self._reported.update(fresh)
        warnings = tuple(f"{self.context.method} skipped {line}" for line in fresh)
        has_samples = any(each.summaries and not each.is_empty for each in results)
        return msgspec.structs.replace(
            merged, warnings=merged.warnings + warnings, has_samples=has_samples
        )
