"""Exec: a command that is run beside the test, if that is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.access import Moments
    from kubestage.measure.facilities import Shell
    from kubestage.measure.results import Result

_MOST_CHARACTERS = 500


class ExecParams(Params, frozen=True, kw_only=True):
    """The parameters of Exec."""

    command: tuple[str, ...] = ()
    timeout: Duration = Duration(durations.HOUR)
    retries: int = 1
    backoff_delay: Duration = Duration(durations.SECOND)

    def problems(self) -> Iterator[InputError]:
        """There is a command, and at least one attempt."""
        if not self.command:
            problem = "command is a required argument. Got empty slice instead"
            yield InputError(problem, path="params.command")
        if self.retries < 1:
            yield InputError(f"{self.retries} is less than one", path="params.retries")


class Exec(Measurement[ExecParams]):
    """Runs a command, several times if need be, until it succeeds.

    A configuration can come from anywhere, so nothing is run unless the user allows it.
    """

    params_type = ExecParams

    def perform(self, params: ExecParams) -> Result:
        """Run the command, whatever the action."""
        params.check()
        shell = self.context.facilities.shell
        if shell is None:
            return MeasurementResult(skipped="not allowed: --allow-exec")
        attempts = _Attempts(params, shell, self.cluster.moments)
        attempts.run()
        return attempts.pending


class _Attempts:
    """One command, run until it succeeds or has been tried often enough."""

    def __init__(self, params: ExecParams, shell: Shell, moments: Moments) -> None:
        self.pending = PendingResult()
        self._params = params
        self._shell = shell
        self._moments = moments
        self._left = params.retries
        self._last = ""

    def run(self) -> None:
        self._left -= 1
        self._shell.run(self._params.command, self._params.timeout, self._ended)

    def _ended(self, code: int, text: str) -> None:
        if code == 0:
            self.pending.resolve(NOTHING)
            return
        self._last = f"exit status {code}" if code > 0 else "signal: killed"
        output = text.strip()
        if output:
            self._last += f": {output[-_MOST_CHARACTERS:]}"
        # The pause comes after the last attempt as well.
        step = self.run if self._left else self._give_up
        self._moments.at(self._moments.now_ns + self._params.backoff_delay, step)

    def _give_up(self) -> None:
        command = " ".join(self._params.command)
        self.pending.resolve(
            MeasurementResult(errors=(f"command [{command}] failed: {self._last}",))
        )
