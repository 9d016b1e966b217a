"""Writing a Scenario's status, its result only when the strategy says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scenario import phases
from kubestage.scenario.resource import SCENARIO
from kubestage.scenario.settings import Strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.scenario.timeline import Timeline
    from kubestage.scheduler.measuring import Measuring
    from kubestage.store.store import Store


class StatusWriter:
    """Holds the status of one Scenario as it was last written, and writes what is new.

    `version` is the simulator's, as the result names it. `pod_counts` counts pods: scheduled ones
    and so on; every status of a step has them. The result has the values of `measuring`.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        strategy: Strategy,
        version: str,
        pod_counts: Callable[[], Json] | None = None,
        measuring: Measuring | None = None,
    ) -> None:
        self.name = name
        self._measuring = measuring
        self._pod_counts = pod_counts
        self._store = store
        self._strategy = strategy
        self._version = version
        scenario = store.read(SCENARIO)[name]
        self._uid: str = scenario["metadata"]["uid"]
        self._status: Json = dict(scenario.get("status") or {})

    @property
    def is_there(self) -> bool:
        """Whether the Scenario is still there, and not another one of its name."""
        found = self._store.read(SCENARIO).get(self.name)
        return found is not None and found["metadata"]["uid"] == self._uid

    def is_about(self, scenario: Json) -> bool:
        """Whether it is the Scenario whose status is written here."""
        return bool(scenario["metadata"]["uid"] == self._uid)

    def is_contradicted_by(self, scenario: Json) -> bool:
        """Whether the Scenario has a status that was not written here."""
        return self.is_about(scenario) and (scenario.get("status") or {}) != self._status

    @property
    def phase(self) -> str:
        """The Scenario's phase."""
        return str(self._status.get("phase") or "")

    @property
    def message(self) -> str:
        """What the status says about the phase."""
        return str(self._status.get("message") or "")

    @property
    def step(self) -> int | None:
        """The step that the Scenario is in."""
        step: int | None = self._status.get("step")
        return step

    def report(self, step: int, step_phase: str, scheduler: str | None = None) -> None:
        """Say how far a step is, and what the scheduler is about."""
        if scheduler is not None:
            self._status["schedulerStatus"] = scheduler
        self._status["stepStatus"] = {"step": step, "phase": step_phase}
        self._status["step"] = step
        self._write()

    def finish_step(self, step: int, timeline: Timeline) -> None:
        """Say that a step is over."""
        if self._strategy is Strategy.AT_MOVING_NEXT_STEP:
            self._put_result(timeline)
        self.report(step, phases.STEP_FINISHED)

    def enter(self, phase: str, message: str, timeline: Timeline | None = None) -> None:
        """Say that the Scenario is in another phase, or why it still is in this one."""
        self._status["phase"] = phase
        if message:
            self._status["message"] = message
        else:
            self._status.pop("message", None)
        if timeline is not None and self._is_written_in(phase):
            self._put_result(timeline)
        self._write()

    def _is_written_in(self, phase: str) -> bool:
        if phase == phases.PAUSED:
            return self._strategy is Strategy.ON_PAUSE
        if phase == phases.FAILED:
            return True
        return phase == phases.SUCCEEDED and self._strategy is not Strategy.AT_MOVING_NEXT_STEP

    def _put_result(self, timeline: Timeline) -> None:
        result: Json = {"simulatorVersion": self._version, "timeline": timeline.as_dict()}
        if self._measuring is not None:
            result["measures"] = self._measuring.as_json()
        self._status["scenarioResult"] = result

    def _write(self) -> None:
        if self._pod_counts is not None and "step" in self._status:
            self._status["pods"] = self._pod_counts()
        if self.is_there:
            self._store.record_status(SCENARIO, self.name, dict(self._status))
