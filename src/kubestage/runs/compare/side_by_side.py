"""One input run under several configurations, in turns, until the runs part.

The runs advance by a few attempts each. As long as two of them make the same decisions, every
attempt is explained, and its explanation dropped once the decision is known to be the same. The
explanation of the first decision that differs is kept, and from then on each run goes on by itself,
at full speed. So each Scenario runs once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.results import comparison
from kubestage.runs import scenario_run
from kubestage.runs.compare.attempt_log import AttemptLog
from kubestage.runs.inputs import plugin_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_settings import RunSettings
    from kubestage.runs.scenario_run import ScenarioRun
    from kubestage.scenario.controller import ScenarioController
    from kubestage.scenario.sink import Sink

_TURN: Final = 50
# An attempt that waits for a permit ends out of order. Others that end before it are kept, so many.
_MOST_ROWS: Final = 20 * _TURN


class SteppedRun:
    """A Scenario under one configuration, run in turns with others.

    An error of a run is kept until `finish`, so that the first run that fails is the one reported,
    as if they ran one after another.
    """

    def __init__(
        self,
        inputs: Inputs,
        settings: RunSettings,
        observer: Observer,
        sink: Sink | None = None,
    ) -> None:
        self.log = AttemptLog()
        self.is_over = False
        self._inputs = inputs
        self._settings = settings
        self._observer = observer
        self._sink = sink
        self._error: Exception | None = None
        self._run: ScenarioRun | None = None
        self._pieces: Iterator[None] = iter(())
        self._is_followed = False

    def follow(self) -> None:
        """Start the run; every attempt is explained until `unfollow`."""
        try:
            self._start().scheduler.record.follow(self.log)
            self._is_followed = True
        except Exception as error:  # noqa: BLE001 - raised by `finish`
            self._error, self.is_over = error, True

    def unfollow(self) -> None:
        """Explain no more attempts."""
        if self._run is not None and self._is_followed:
            self._run.scheduler.record.unfollow(self.log)
            self._is_followed = False

    @property
    def has_failed(self) -> bool:
        """Whether an error waits to be raised."""
        return self._error is not None

    def advance_to(self, attempts: int) -> None:
        """Run until so many attempts were made, or to the end."""
        if self.is_over:
            return
        run = self._start()
        try:
            with (
                plugin_files.error_context(self._settings.plugins, self._settings.measures),
                stages.few_collections(),
            ):
                while not self.is_over and run.controller.attempts.count < attempts:
                    self.is_over = next(self._pieces, self) is self
        except Exception as error:  # noqa: BLE001 - raised by `finish`
            self._error, self.is_over = error, True

    def finish(self) -> ScenarioRun:
        """Run to the end."""
        if self._error is not None:
            raise self._error
        self.unfollow()
        run = self._start()
        with (
            self._observer.watch_scenarios(self._inputs.scenarios) as view,
            plugin_files.error_context(self._settings.plugins, self._settings.measures),
            stages.few_collections(),
        ):
            if view is not None:
                run.controller.attempts.progress = lambda: view(run.controller)
            for _ in self._pieces:
                pass
            run.controller.attempts.progress = None
        return run

    def _start(self) -> ScenarioRun:
        if self._run is None:
            hooks = scenario_run.RunHooks(self._sink, observer=self._observer)
            with plugin_files.error_context(self._settings.plugins, self._settings.measures):
                self._run = scenario_run.start_scenario(
                    self._inputs, self._settings, watching=hooks
                )
            self._run.controller.divide(_TURN)
            self._pieces = _pieces(self._run.controller)
        return self._run


def _pieces(controller: ScenarioController) -> Iterator[None]:
    """The whole Scenario, piece by piece; one that its own events have created is not started."""
    while (yield from controller.pieces()):
        if controller.current is None or controller.is_paused:
            return


def run_until_they_part(runs: Sequence[SteppedRun], pairs: Sequence[tuple[int, int]]) -> None:
    """Advance the runs of each pair until it is known where they part, or that they do not."""
    left = dict.fromkeys(pairs, 1)
    for at in {at for pair in left for at in pair}:
        runs[at].follow()
    attempts = 0
    while left:
        attempts += _TURN
        taking_turns = sorted({at for pair in left for at in pair})
        for at in taking_turns:
            runs[at].advance_to(attempts)
        left = {
            (one, other): number
            for (one, other), before in left.items()
            if (number := _compare(runs[one], runs[other], before)) is not None
        }
        for at in taking_turns:
            waiting = [number for pair, number in left.items() if at in pair]
            if waiting:
                runs[at].log.forget(min(waiting))
            else:
                runs[at].unfollow()
        if any(runs[at].has_failed for at in taking_turns):
            return


def _compare(one: SteppedRun, other: SteppedRun, number: int) -> int | None:
    """The number of the next attempt to compare; None if there is nothing more to find out."""
    while number in one.log.rows and number in other.log.rows:
        if comparison.diverge([one.log.rows[number]], [other.log.rows[number]]) is not None:
            one.log.keep(number)
            other.log.keep(number)
            return None
        number += 1
    if one.is_over and other.is_over:
        # One of them may go on; else they are the same.
        one.log.keep(number)
        other.log.keep(number)
        return None
    if any(each.is_over and number not in each.log.rows for each in (one, other)):
        # The attempt after the last of a run that is over: the other has it, or soon will.
        rest = other if one.is_over else one
        rest.log.keep(number)
        return None if number in rest.log.rows else number
    is_stuck = max(len(one.log.rows), len(other.log.rows)) > _MOST_ROWS
    return None if is_stuck else number
