"""How far a load is, on stderr: a picture for a person, a line now and then for a log."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import screen
from kubestage.cli.progress import TerminalObserver
from kubestage.clusterloader import config
from kubestage.golang import durations
from kubestage.runs.load import composition
from kubestage.runs.load.observer import LoadObserver
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.clusterloader.phase_run import PhaseRun
    from kubestage.clusterloader.planned import LoadPlan, PlannedStep
    from kubestage.clusterloader.run import LoadRun
    from kubestage.runs.load.limit_result import LimitPoint
    from kubestage.runs.load.remaining import RemainingObjects
    from kubestage.runs.load.targets import LoadTarget

_REFRESHES: Final = 8
_LINE_SECONDS: Final = 30
_WIDTH: Final = 20
_PHASES: Final = 8
_PROBLEMS: Final = 3
# What counts for the time that is left: a call, a pod, a step that waits.
_POD_WEIGHT: Final = 3
_WAIT_WEIGHT: Final = 20


_INTERRUPTED: Final = "Interrupted: cleaning up. Press Ctrl-C again to exit at once."
_FAILED: Final = "Something failed: cleaning up. Press Ctrl-C to exit at once."
_SHOWN: Final = 20


class LimitObserver(TerminalObserver, LoadObserver):
    """Prints what goes wrong, and each load about which a search has decided.

    It is sent to the processes of a search.
    """

    def warning(self, text: str) -> None:
        """Print it."""
        screen.note(f"Warning: {text}")

    def interrupted(self) -> None:
        """Report that the load cleans up."""
        with contextlib.suppress(OSError):
            screen.note(_INTERRUPTED)

    def failed(self) -> None:
        """Report that the load cleans up."""
        with contextlib.suppress(OSError):
            screen.note(_FAILED)

    def objects_remain(self, objects: RemainingObjects) -> None:
        """List them."""
        _list("Left behind:", objects.left)
        _list("Being deleted by the cluster:", objects.terminating)
        if not objects.left and not objects.terminating:
            screen.note("Nothing is known to be left behind.")

    def point_decided(self, point: LimitPoint, path: str) -> None:
        """Print a line where a person watches."""
        if sys.stderr.isatty():
            met = sum(each.is_met for each in point.runs)
            screen.note(f"{path} = {point.value:g}: {met} of {len(point.runs)} runs meet")


class LineObserver(LimitObserver):
    """A line per step, in a run that takes its time."""

    def __init__(self) -> None:
        self._run: LoadRun | None = None
        self._printed = ""
        self._at = time.monotonic()

    def test_started(self, run: LoadRun, loaded: LoadedConfig, position: str) -> None:
        """Observe this one."""
        del loaded, position
        self._run = run

    def progressed(self) -> None:
        """Print the step, if it is another one and some time has passed."""
        if self._run is None or time.monotonic() - self._at < _LINE_SECONDS:
            return
        self._at = time.monotonic()
        step = _step(self._run)
        if step != self._printed:
            self._printed = step
            screen.note(f"{self._run.result.test_name or 'load'}: {step}")

    def test_ended(self) -> None:
        """It is over."""
        self._run = None


class PictureObserver(LimitObserver):
    """Steps and phases with bars, redrawn a few times a second."""

    def target_ready(self, target: LoadTarget) -> None:
        """Prepare the screen."""
        from rich import live as lives

        self._target = target
        drawing = screen.console()
        self._live: Any = lives.Live(console=drawing, transient=True, auto_refresh=False)
        self._drawn = 0.0

    def test_started(self, run: LoadRun, loaded: LoadedConfig, position: str) -> None:
        """Draw this one."""
        context = self._target.context
        self._run = run
        self._position = position
        self._rates = rates(loaded.config)
        self._plan = composition.plan(loaded, context.nodes, context.limits)
        self._weights = [_weight(each, self._target.is_real) for each in _grown(self._plan)]
        self._started = time.monotonic()
        self._live.start()

    def progressed(self) -> None:
        """Draw, unless that was just done."""
        now = time.monotonic()
        if now - self._drawn > 1 / _REFRESHES:
            self._drawn = now
            self._live.update(self.drawn(now - self._started), refresh=True)

    def test_ended(self) -> None:
        """Leave nothing on the screen."""
        self._live.stop()

    def drawn(self, seconds: float) -> RenderableType:
        """The picture after so many seconds of real time."""
        from rich import console, markup, progress_bar, table

        run = self._run
        done = self._done()
        head = table.Table.grid(padding=(0, 2))
        head.add_row(
            f"[bold]{markup.escape(run.result.test_name or 'load')}[/] {self._position}".strip(),
            progress_bar.ProgressBar(100, round(100 * done), _WIDTH),
            self._clock(seconds, done),
        )
        phases = table.Table.grid(padding=(0, 2))
        for number, phase in enumerate(() if run.step is None else run.step.phases[:_PHASES], 1):
            phases.add_row(
                f"  phase {number}",
                progress_bar.ProgressBar(max(phase.actions, 1), phase.ended, _WIDTH),
                f"{phase.ended:,} of {phase.actions:,}",
                markup.escape(self._pace(number - 1, phase)),
            )
        problems = [f"  [yellow]{markup.escape(each)}[/]" for each in self._target.problems()]
        return console.Group(head, f"  {markup.escape(_step(run))}", phases, *problems[:_PROBLEMS])

    def _done(self) -> float:
        """About which share of the work is done."""
        run = self._run
        if run.is_cleaning:
            return 1.0
        at = len(run.result.steps)
        inside = 0.0
        if run.step is not None and at < len(self._weights):
            inside = self._weights[at] * _inside(run.step.phases)
        return (sum(self._weights[:at]) + inside) / max(sum(self._weights), 1)

    def _clock(self, seconds: float, done: float) -> str:
        run = self._run
        now_ns = self._target.context.cluster.moments.now_ns - run.result.began_ns
        passed = durations.go_string(now_ns // SECOND_NS * SECOND_NS)
        words = [passed if self._target.is_real else f"virtual {passed}, wall {seconds:,.0f}s"]
        if 0.02 < done < 1:
            words.append(f"{seconds * (1 - done) / done:,.0f}s left")
        return ", ".join(words)

    def _pace(self, at: int, phase: PhaseRun) -> str:
        """How fast actions start, and how fast they should."""
        step = self._run.step
        assert step is not None
        planned = self._plan.steps[len(self._run.result.steps)].phases[at]
        rate = self._rates.get(planned.tuning_set)
        moments = self._target.context.cluster.moments
        seconds = (moments.now_ns - step.began_ns) / SECOND_NS
        if rate is None or seconds < 1 or phase.started in (0, phase.actions):
            return planned.tuning_set
        return f"{planned.tuning_set}: {phase.started / seconds:.1f} of {rate:g}/s"


def rates(loaded: config.Config) -> dict[str, float]:
    """The actions a second of each tuning set that has a rate."""
    found: dict[str, float] = {}
    for each in loaded.tuning_sets:
        match each.load:
            case config.QpsLoad(qps=rate) | config.GlobalQpsLoad(qps=rate):
                found[each.name] = rate
            case config.RandomizedLoad(average_qps=rate):
                found[each.name] = rate
            case config.PoissonLoad(expected_actions_per_second=rate):
                found[each.name] = rate
            case _:
                pass
    return found


def observer() -> LoadObserver:
    """A picture where a person watches, else lines."""
    return PictureObserver() if sys.stderr.isatty() else LineObserver()


def _list(heading: str, names: list[str]) -> None:
    for line in [heading, *(f"  {each}" for each in names[:_SHOWN])] if names else ():
        screen.note(line)
    if len(names) > _SHOWN:
        screen.note(f"  and {len(names) - _SHOWN:,} more")


def _step(run: LoadRun) -> str:
    """``step 3 of 8: Creating pods``."""
    if run.is_cleaning:
        return "cleaning up"
    if run.step is None:
        return "making namespaces"
    return f"step {run.step.number} of {run.steps}: {run.step.name.partition('] ')[2]}"


def _grown(plan: LoadPlan) -> Iterator[tuple[PlannedStep, int]]:
    """Every step, and how many pods come or go in it."""
    before = 0
    for step in plan.steps:
        yield step, abs(step.pods - before)
        before = step.pods


def _weight(grown: tuple[PlannedStep, int], is_real: bool) -> float:
    """How long a step is expected to take, in units that mean nothing by themselves."""
    step, pods = grown
    wait = _WAIT_WEIGHT if step.is_open_ended else 1
    if is_real:
        return step.expected_ns / SECOND_NS + wait
    return step.calls + _POD_WEIGHT * pods + wait


def _inside(phases: list[PhaseRun]) -> float:
    actions = sum(phase.actions for phase in phases)
    return sum(phase.ended for phase in phases) / actions if actions else 0.0
