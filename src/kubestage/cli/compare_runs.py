"""The runs that a person compares: those that were kept, or those that are made for it."""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import functools
import pathlib
import sys
from typing import TYPE_CHECKING, Final

import typer

from kubestage.cli import explain_sources, interruption
from kubestage.errors import InputError
from kubestage.results import analysis, comparison, run_directory, timings
from kubestage.runs.inputs import file_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.cli.explain_repeating import Repeatable
    from kubestage.cli.explain_sources import Stories
    from kubestage.cluster.profile import Profile as ControlPlane
    from kubestage.results.analysis import Digest
    from kubestage.results.comparison import Tried
    from kubestage.results.run_directory import Run
    from kubestage.results.timings import Recorded
    from kubestage.runs.inputs.loading import Loaded
    from kubestage.runs.inputs.scenario_inputs import Inputs


DEFAULT: Final = "default"
"""The word for the configuration that nobody has written."""


class Contender(abc.ABC):
    """One of the runs that are compared, under the name that tables call it by.

    `conditions` is what it was run with besides events and a configuration, as far as is known;
    `timings` how long scheduling took, if that was measured or modelled.
    """

    def __init__(
        self,
        name: str,
        scenario: Json,
        conditions: Mapping[str, object],
        timings: Recorded | None = None,
    ) -> None:
        self.name = name
        self.scenario = scenario
        self.conditions = conditions
        self.timings = timings

    @functools.cached_property
    def told(self) -> Digest:
        """The run, walked through."""
        return analysis.digest(self.scenario)

    def tried(self) -> list[Tried]:
        """Every attempt, in order."""
        return comparison.tried(self.told)

    @abc.abstractmethod
    def stories(self, numbers: Sequence[int]) -> Stories:
        """Attempts told in full."""


class Kept(Contender):
    """A run that was kept in a directory or a file."""

    def __init__(self, name: str, run: Run) -> None:
        super().__init__(name, run.scenario, _conditions(run), timings.beside(run.name))
        self._run = run

    @functools.cached_property
    def told(self) -> Digest:
        """The run, walked through."""
        return explain_sources.digest(self._run)

    def tried(self) -> list[Tried]:
        """Every attempt, in order, be it that only the record knows it."""
        return explain_sources.tried(self._run, self.told)

    def stories(self, numbers: Sequence[int]) -> Stories:
        """Attempts told in full, from where that can be had."""
        return explain_sources.stories(self._run, numbers, self.tried)


class Made(Contender):
    """A run that was made just now, and can be made again."""

    def __init__(
        self, name: str, scenario: Json, again: Repeatable, timings: Recorded | None
    ) -> None:
        super().__init__(name, scenario, {}, timings)
        self._again = again

    def stories(self, numbers: Sequence[int]) -> Stories:
        """Attempts told in full, by a run that is the same again."""
        from kubestage.cli import explain_repeating

        return explain_sources.Stories(dict(explain_repeating.repeat(self._again, numbers).told))


def _conditions(run: Run) -> dict[str, object]:
    how = run.repeat
    if how is None:
        return {}
    return {
        "seed": how.seed,
        "tie break": how.tie_break,
        "controllers": how.controllers,
        "start": how.start,
        "version": how.version,
    }


@dataclasses.dataclass(frozen=True, slots=True)
class Rules:
    """What all runs that are made have in common."""

    plugins: Sequence[str]
    seed: int
    tie_break: str
    is_alive: bool | None
    stopwatch: Callable[[], int] | None = None
    control_plane: ControlPlane | None = None


@contextlib.contextmanager
def kept(paths: Sequence[str]) -> Iterator[list[Contender]]:
    """Runs that were kept, open as long as they are needed."""
    with contextlib.ExitStack() as stack:
        runs = [stack.enter_context(_opened(path)) for path in paths]
        names = _short([_place(run.name) for run in runs])
        yield [Kept(name, run) for name, run in zip(names, runs, strict=True)]


def _opened(path: str) -> Run:
    try:
        file_kinds.expect_run(path)
        return run_directory.open_run(path)
    except InputError as error:
        other = "to run it now, give --config for each configuration"
        error.fix = f"{error.fix}; {other}" if error.fix else other
        raise


def made(files: Sequence[str], configs: Sequence[str], rules: Rules) -> list[Contender]:
    """Runs of one input under several configurations."""
    from kubestage.runs.inputs import scenario_inputs, staging

    repeatables = _prepared(configs, rules)
    loaded = staging.load(files, configs[0])
    inputs = scenario_inputs.read(loaded, rules.is_alive)
    if len(inputs.scenarios) > 1:
        several = ", ".join(str(each["metadata"]["name"]) for each in inputs.scenarios)
        raise InputError(
            f"there are several Scenarios: {several}", fix="compare with one at a time"
        )
    names = _short(configs)
    found: list[Contender] = []
    with interruption.telling(
        lambda: f"{len(found)} of {len(names)} runs had ended, and none of them is kept"
    ):
        for name, settings in zip(names, repeatables, strict=True):
            if sys.stderr.isatty():
                typer.echo(f"{len(found) + 1} of {len(names)}: {name}", err=True)
            found.append(_made(name, dataclasses.replace(settings, inputs=inputs), loaded))
    return found


def _prepared(configs: Sequence[str], rules: Rules) -> list[Repeatable]:
    """All configurations with their plugins, looked at before the first run begins."""
    from kubestage.cli import explain_repeating, running
    from kubestage.runs.inputs import config_file, plugin_files, scenario_inputs
    from kubestage.scheduler.record import Recording
    from kubestage.scheduler.selection import TieBreak

    found: list[Repeatable] = []
    unused: set[str] = set()
    nothing: Inputs = scenario_inputs.Inputs([], None, is_alive=False)
    for at, each in enumerate(configs):
        path = None if each == DEFAULT else each
        configuration = config_file.load(path, config_file.Flags())
        plugins = plugin_files.load(rules.plugins, configuration)
        config_file.check(configuration, plugins, path)
        idle = set(plugin_files.unused(plugins, configuration))
        unused = idle & unused if at else idle
        settings = running.Settings(
            configuration,
            plugins,
            rules.seed,
            TieBreak(rules.tie_break),
            Recording.DECISIONS,
            stopwatch=rules.stopwatch,
            control_plane=rules.control_plane,
        )
        found.append(explain_repeating.Repeatable(nothing, settings))
    if unused:
        told = ", ".join(sorted(unused))
        typer.echo(f"Note: no configuration enables {told}, so it takes no part", err=True)
    return found


def _made(name: str, this: Repeatable, loaded: Loaded) -> Made:
    from kubestage.cli import running, scenario_run, scenario_view
    from kubestage.runs.inputs import plugin_files
    from kubestage.scheduler.record import Recording

    (scenario,) = this.inputs.scenarios
    settings = dataclasses.replace(this.settings, recording=Recording.NONE)
    with (
        plugin_files.blaming(settings.plugins),
        scenario_view.shown(this.inputs.scenarios) as view,
    ):
        watching = scenario_run.Watching(progress=view)
        played = scenario_run.play(this.inputs, settings, watching=watching)
    ended = played.scenario(scenario["metadata"]["name"])
    scenario_run.blame(played, this.inputs, loaded)
    quiet = dataclasses.replace(this, settings=dataclasses.replace(this.settings, stopwatch=None))
    return Made(name, ended, quiet, running.timings_of(played.scheduler))


def _place(path: str) -> str:
    """Where a run is, without the file that every run is in."""
    place = pathlib.Path(path)
    return str(place.parent) if place.name == run_directory.SCENARIO else path


def _short(paths: Sequence[str]) -> list[str]:
    """The last part of each path, if that tells them apart; one that comes again has a number."""
    distinct = list(dict.fromkeys(paths))
    forms = (_stem, _last, str)
    form = next(each for each in forms if len({each(path) for path in distinct}) == len(distinct))
    seen: collections.Counter[str] = collections.Counter()
    names = []
    for path in paths:
        seen[path] += 1
        names.append(form(path) if seen[path] == 1 else f"{form(path)} ({seen[path]})")
    return names


def _stem(path: str) -> str:
    return pathlib.Path(path).stem or path


def _last(path: str) -> str:
    return pathlib.Path(path).name or path
