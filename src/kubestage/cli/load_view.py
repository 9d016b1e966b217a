"""How far a load is, on stderr: a picture for a person, a line now and then for a log."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

import typer

from kubestage.cli import load_compose
from kubestage.load import config
from kubestage.objects import durations
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from kubestage.cli.load_grounds import Ground
    from kubestage.load.loading import Loaded
    from kubestage.load.phase_run import PhaseRun
    from kubestage.load.planned import Plan, PlannedStep
    from kubestage.load.run import LoadRun

_REFRESHES: Final = 8
_LINE_SECONDS: Final = 30
_WIDTH: Final = 20
_PHASES: Final = 8
_TROUBLES: Final = 3
# What counts for the time that is left: a call, a pod, a step that waits.
_POD_WEIGHT: Final = 3
_WAIT_WEIGHT: Final = 20


class View(Protocol):
    """Somebody who may watch."""

    def begin(self, run: LoadRun, loaded: Loaded, which: str) -> None:
        """A test begins; `which` of several it is."""

    def told(self) -> None:
        """Something may have changed."""

    def end(self) -> None:
        """The test is over."""


class Unseen:
    """Nobody watches."""

    def begin(self, run: LoadRun, loaded: Loaded, which: str) -> None:
        """Nothing to see."""

    def told(self) -> None:
        """Nothing to see."""

    def end(self) -> None:
        """Nothing to see."""


class Lines:
    """A line per step, in a run that takes its time."""

    def __init__(self) -> None:
        self._run: LoadRun | None = None
        self._said = ""
        self._at = time.monotonic()

    def begin(self, run: LoadRun, loaded: Loaded, which: str) -> None:
        """Watch this one."""
        del loaded, which
        self._run = run

    def told(self) -> None:
        """Say which step it is at, if it is another one and some time has passed."""
        if self._run is None or time.monotonic() - self._at < _LINE_SECONDS:
            return
        self._at = time.monotonic()
        where = _where(self._run)
        if where != self._said:
            self._said = where
            typer.echo(f"{self._run.result.test_name or 'load'}: {where}", err=True)

    def end(self) -> None:
        """It is over."""
        self._run = None


class Picture:
    """Steps and phases with bars, redrawn a few times a second."""

    def __init__(self, ground: Ground) -> None:
        from rich import console
        from rich import live as lives

        self._ground = ground
        screen = console.Console(stderr=True)
        self._live: Any = lives.Live(console=screen, transient=True, auto_refresh=False)
        self._drawn = 0.0

    def begin(self, run: LoadRun, loaded: Loaded, which: str) -> None:
        """Watch this one."""
        around = self._ground.around
        self._run = run
        self._which = which
        self._rates = rates(loaded.config)
        self._plan = load_compose.plan_of(loaded, around.nodes, around.limits)
        self._weights = [_weight(each, self._ground.is_real) for each in _grown(self._plan)]
        self._began = time.monotonic()
        self._live.start()

    def told(self) -> None:
        """Draw, unless that was just done."""
        now = time.monotonic()
        if now - self._drawn > 1 / _REFRESHES:
            self._drawn = now
            self._live.update(self.drawn(now - self._began), refresh=True)

    def end(self) -> None:
        """Leave nothing on the screen."""
        self._live.stop()

    def drawn(self, seconds: float) -> RenderableType:
        """The picture after so many seconds of the wall."""
        from rich import console, markup, progress_bar, table

        run = self._run
        done = self._done()
        head = table.Table.grid(padding=(0, 2))
        head.add_row(
            f"[bold]{run.result.test_name or 'load'}[/] {self._which}".strip(),
            progress_bar.ProgressBar(100, round(100 * done), _WIDTH),
            self._clock(seconds, done),
        )
        phases = table.Table.grid(padding=(0, 2))
        for number, phase in enumerate(() if run.step is None else run.step.phases[:_PHASES], 1):
            phases.add_row(
                f"  phase {number}",
                progress_bar.ProgressBar(max(phase.actions, 1), phase.ended, _WIDTH),
                f"{phase.ended:,} of {phase.actions:,}",
                self._pace(number - 1, phase),
            )
        troubles = [f"  [yellow]{markup.escape(each)}[/]" for each in self._ground.problems()]
        return console.Group(head, f"  {markup.escape(_where(run))}", phases, *troubles[:_TROUBLES])

    def _done(self) -> float:
        """Which share of all that is to be done is done, about."""
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
        now_ns = self._ground.around.cluster.moments.now_ns - run.result.began_ns
        passed = durations.go_string(now_ns // SECOND_NS * SECOND_NS)
        words = [passed if self._ground.is_real else f"virtual {passed}, wall {seconds:,.0f}s"]
        if 0.02 < done < 1:
            words.append(f"{seconds * (1 - done) / done:,.0f}s left")
        return ", ".join(words)

    def _pace(self, at: int, phase: PhaseRun) -> str:
        """How fast actions begin, beside how fast they are to."""
        step = self._run.step
        assert step is not None
        planned = self._plan.steps[len(self._run.result.steps)].phases[at]
        asked = self._rates.get(planned.tuning_set)
        moments = self._ground.around.cluster.moments
        seconds = (moments.now_ns - step.began_ns) / SECOND_NS
        if asked is None or seconds < 1 or phase.begun in (0, phase.actions):
            return planned.tuning_set
        return f"{planned.tuning_set}: {phase.begun / seconds:.1f} of {asked:g}/s"


def rates(loaded: config.Config) -> dict[str, float]:
    """How many actions a second each tuning set asks for, where it does."""
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


def view(ground: Ground, *, is_wanted: bool = True) -> View:
    """A picture where a person watches, lines where nobody does."""
    if not is_wanted:
        return Unseen()
    return Picture(ground) if sys.stderr.isatty() else Lines()


def _where(run: LoadRun) -> str:
    """``step 3 of 8: Creating pods``."""
    if run.is_cleaning:
        return "cleaning up"
    if run.step is None:
        return "making namespaces"
    return f"step {run.step.number} of {run.steps}: {run.step.name.partition('] ')[2]}"


def _grown(plan: Plan) -> Iterator[tuple[PlannedStep, int]]:
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
