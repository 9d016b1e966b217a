"""What measurements that consist of others have in common."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from kubestage.aliases import Json
from kubestage.measure import outcome as outcomes
from kubestage.measure import params as parameters
from kubestage.measure.bundles.in_turn import InTurn
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import Outcome
from kubestage.measure.params import FreeParams
from kubestage.measure.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Later, Result


class Part(msgspec.Struct, frozen=True):
    """One of several measurements: its method, and what tells it from another of that method."""

    method: str
    component: str = ""


class Bundle(Measurement[FreeParams]):
    """Has parts, which it finds in the registry as a load would, so a user's own come first.

    They get the parameters of the bundle; each takes those that it knows.
    """

    params_type = FreeParams
    parts: ClassVar[tuple[Part, ...]] = ()

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._registry = context.registry or Registry()
        self._parts: dict[Part, Measurement[Any]] = {}
        self._told: set[str] = set()

    def dispose(self) -> None:
        """Let go of all parts."""
        for part in self._parts.values():
            part.end()

    def in_turn(self, mentions: Sequence[tuple[Part, Json]], given: Json) -> Later:
        """Have parts do what their parameters say, one after another.

        `given` are the parameters of the bundle: one that no part knows is warned of.
        """
        strange = self._strange(given)
        steps = [functools.partial(self._perform, part, raw) for part, raw in mentions]
        done = functools.partial(self._merged, [part for part, _ in mentions], strange)
        return InTurn(steps, done).later

    def problem(self, part: Part, error: str) -> str:
        """How the error of a part is told."""
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

    def _strange(self, given: Json) -> tuple[str, ...]:
        kinds = [self._registry.find(part.method).params_type for part in self.parts]
        if any(issubclass(kind, FreeParams) for kind in kinds):
            return ()
        names = sorted(
            {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}
        )
        return tuple(
            f"{self.context.method} - {self.context.identifier}: {parameters.strange(key, names)}"
            for key in given
            if key not in names
        )

    def _merged(self, parts: list[Part], strange: tuple[str, ...], told: list[Outcome]) -> Outcome:
        """All outcomes as one; a part that was skipped is a warning unless all were."""
        reasons: dict[str, dict[str, None]] = {}
        outcome_parts = []
        for part, outcome in zip(parts, told, strict=True):
            if outcome.skipped:
                reasons.setdefault(outcome.skipped, {}).setdefault(part.method)
            errors = tuple(self.problem(part, error) for error in outcome.errors)
            outcome_parts.append(msgspec.structs.replace(outcome, errors=errors, skipped=""))
        lines = [f"{', '.join(methods)}: {reason}" for reason, methods in reasons.items()]
        merged = outcomes.merged([Outcome(warnings=strange), *outcome_parts])
        if told and all(outcome.skipped for outcome in told):
            return msgspec.structs.replace(merged, skipped="; ".join(lines))
        fresh = [line for line in lines if line not in self._told]
        self._told.update(fresh)
        warnings = tuple(f"{self.context.method} skipped {line}" for line in fresh)
        return msgspec.structs.replace(merged, warnings=merged.warnings + warnings)
