"""Computes measures while a scheduler works, and keeps their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.scheduler.contract import measure_check
from kubestage.scheduler.device_definition import Devices
from kubestage.scheduler.hooks import METHODS, Hooks
from kubestage.scheduler.measures import DECISION, STEP, MeasureDefinition, Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.queue import SchedulingQueue
    from kubestage.scheduler.record import Decision, Record
    from kubestage.scheduler.runtime import Profile


class MeasuredValue(NamedTuple):
    """One value; `attempt` is 0 at the end of a step."""

    name: str
    step: int
    attempt: int
    at_ns: int
    value: float | int


class _Computed(NamedTuple):
    """A measure at work: what is called, and the values so far."""

    definition: MeasureDefinition
    measured: Any
    call: Callable[[Moment], Any]
    values: list[MeasuredValue]


class Measuring:
    """The measures of a scheduler: the user's own, and those of plugins with a `measure` method.

    The scheduler's record calls it after each attempt. A Scenario sets `step`; `latest` are the
    values of the last decision or step.
    """

    def __init__(self, measures: Sequence[Any], record: Record) -> None:
        self.definitions = measure_check.definitions_of(measures)
        self.measures = measures
        self.step = 0
        self.latest: list[MeasuredValue] = []
        self._record = record
        self._computed: list[_Computed] = []
        self._is_watching = False
        # Whether a measure is computed at each decision.
        self.is_by_decision = False

    def begin(self, handle: Handle, queue: SchedulingQueue, profiles: Iterable[Profile]) -> None:
        """Start with no values, on a new cluster."""
        self.handle, self._queue = handle, queue
        self.step, self.latest = 0, []
        self._computed = []
        for definition, each in zip(self.definitions, self.measures, strict=True):
            made = each({}, handle) if isinstance(each, type) else each
            call = made.measure if isinstance(each, type) else each
            self._computed.append(_Computed(definition, each, call, []))
            self._add_parts(made)
        self._add_plugins(profiles)
        self.is_by_decision = any(each.definition.at == DECISION for each in self._computed)
        # Without measures at decisions, attempts are as fast as without any.
        if self.is_by_decision and not self._is_watching:
            self._record.follow(self, in_full=False)
            self._is_watching = True

    @property
    def is_used(self) -> bool:
        """Whether there is any measure."""
        return bool(self._computed)

    def attempted(self, decision: Decision, attempt: AnyAttempt, explained: Json | None) -> None:
        """An attempt has ended."""
        del explained
        moment = self._moment(decision.at_ns)._replace(decision=decision, pod=attempt.pod)
        self._compute(DECISION, moment, decision.number)

    def step_ended(self, step: int, at_ns: int) -> None:
        """A step has ended."""
        self.step = step
        self._compute(STEP, self._moment(at_ns), 0)

    def series(self) -> Iterable[tuple[MeasureDefinition, Sequence[MeasuredValue]]]:
        """Every measure with its values, in order."""
        return [(each.definition, each.values) for each in self._computed]

    def as_json(self) -> list[Json]:
        """All values, by measure; later ones do not show in it."""
        return [
            {
                "name": each.definition.name,
                "at": each.definition.at,
                "better": each.definition.better,
                "unit": each.definition.unit,
                "steps": [value.step for value in each.values],
                "attempts": [value.attempt for value in each.values],
                "values": [value.value for value in each.values],
            }
            for each in self._computed
        ]

    def _compute(self, at: str, moment: Moment, attempt: int) -> None:
        self.latest = []
        for definition, measured, call, values in self._computed:
            if definition.at == at:
                number = measure_check.value_of(definition, measured, call(moment))
                value = MeasuredValue(definition.name, self.step, attempt, moment.at_ns, number)
                values.append(value)
                self.latest.append(value)

    def _moment(self, at_ns: int) -> Moment:
        return Moment(self.handle.columns, at_ns, len(self._queue))

    def _add_parts(self, made: Any) -> None:
        """The devices and hooks of a measure that is a class."""
        devices = getattr(made, "devices", None)
        if isinstance(devices, Devices):
            self.handle.cache.own.add_devices(devices)
        if any(hasattr(made, name) for name in METHODS):
            cache = self.handle.cache
            cache.hooks = cache.hooks or Hooks()
            cache.hooks.add([made])

    def _add_plugins(self, profiles: Iterable[Profile]) -> None:
        """Have the measures of plugins, too; with several profiles, by the profile's name."""
        found = [(profile.name, each) for profile in profiles for each in profile.measured_plugins]
        taken = {each.name for each in self.definitions}
        names = [plugin.name for _, plugin in found]
        for profile, plugin in found:
            name = plugin.name if names.count(plugin.name) == 1 else f"{plugin.name}-{profile}"
            if name in taken:
                problem = f'a plugin and a measure are called "{name}"'
                raise measure_check.refused(type(plugin.plugin), problem, "rename one of them")
            declared = measure_check.definition_of(type(plugin.plugin))
            definition = MeasureDefinition(
                name=name, at=declared.at, better=declared.better, unit=declared.unit
            )
            call = plugin.plugin.measure
            self._computed.append(_Computed(definition, type(plugin.plugin), call, []))
