"""Sets up the dependencies of a load one after another, and takes them down in reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.clusterloader.dependencies import registry
from kubestage.golang import durations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.cluster.access import Moments, Timer
    from kubestage.clusterloader import config
    from kubestage.clusterloader.dependencies.dependency import Dependency
    from kubestage.clusterloader.requests import Requests

    Done = Callable[[list[str]], None]


class Dependencies:
    """All dependencies of one run; an error of one does not keep others from being set up."""

    def __init__(self, configured: Sequence[config.Dependency], requests: Requests) -> None:
        self._moments = requests.cluster.moments
        self._dependencies = [
            (each, registry.named(each.method)(each.params, requests)) for each in configured
        ]
        self._started: list[_SettingUp] = []
        self._problems: list[str] = []
        self._is_abandoned = False
        self._done: Done | None = None
        self._requests = requests

    @property
    def warnings(self) -> list[str]:
        """What people should know."""
        return [
            f"dependency {each.name}: {warning}"
            for each, dependency in self._dependencies
            for warning in dependency.warnings
        ]

    def set_up(self, done: Done) -> None:
        """Begin with the first."""
        self._done = done
        self._next()

    def abandon(self) -> None:
        """Set up no more, and say so, if that is under way."""
        self._is_abandoned = True
        if self._done is not None and self._started:
            self._started[-1].abandon()

    def take_down(self, requests: Requests, done: Done) -> None:
        """Take down all that were started, the last one first."""
        self._done = done
        self._problems = []
        self._requests = requests
        self._next_down()

    def _next(self) -> None:
        at = len(self._started)
        if at == len(self._dependencies) or self._is_abandoned:
            self._report()
            return
        configured, dependency = self._dependencies[at]
        setting_up = _SettingUp(configured, dependency, self._moments, self._set_up)
        self._started.append(setting_up)
        setting_up.start()

    def _set_up(self, problem: str) -> None:
        if problem:
            self._problems.append(problem)
        self._next()

    def _next_down(self) -> None:
        if self._started:
            self._started[-1].dependency.take_down(self._requests, self._taken_down)
        else:
            self._report()

    def _taken_down(self, problem: str) -> None:
        name = self._started.pop().configured.name
        if problem:
            self._problems.append(f"dependency {name} teardown failed: {problem}")
        self._next_down()

    def _report(self) -> None:
        done, self._done = self._done, None
        assert done is not None, "set_up or take_down was called"
        done(self._problems)


class _SettingUp:
    """One dependency on its way, for as long as it may take."""

    def __init__(
        self,
        configured: config.Dependency,
        dependency: Dependency,
        moments: Moments,
        done: Callable[[str], None],
    ) -> None:
        self.configured = configured
        self.dependency = dependency
        self._moments = moments
        self._done = done
        self._timer: Timer | None = None
        self._is_over = False

    def start(self) -> None:
        timeout_ns = self.configured.timeout_ns
        if timeout_ns > 0:
            self._timer = self._moments.at(self._moments.now_ns + timeout_ns, self._time_is_up)
        self.dependency.set_up(self._ended)

    def abandon(self) -> None:
        if not self._is_over:
            self.dependency.abandon()
            self._end("")

    def _ended(self, problem: str) -> None:
        if not self._is_over:
            failed = f"dependency {self.configured.name} setup failed: {problem}"
            self._end(failed if problem else "")

    def _time_is_up(self) -> None:
        if not self._is_over:
            self.dependency.abandon()
            time = durations.go_string(self.configured.timeout_ns)
            self._end(f"dependency {self.configured.name} setup timed out after {time}")

    def _end(self, problem: str) -> None:
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._done(problem)
