"""Searches for the best setting: ``kubestage.sweep.optimise`` and ``kubestage optimise``."""

from __future__ import annotations

import pathlib
import shlex
from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import InputError
from kubestage.runs import interruption
from kubestage.runs.observer import SILENT
from kubestage.sweep import axes as axis_texts
from kubestage.sweep import sweeping
from kubestage.sweep.base_run import Base
from kubestage.sweep.optimise import applying, directory, finals, objectives, sampling, spaces
from kubestage.sweep.optimise.definition import OptimiseDefinition
from kubestage.sweep.optimise.evaluating import Evaluator
from kubestage.sweep.optimise.result import OptimiseResult
from kubestage.sweep.optimise.search import Search, SearchPlan
from kubestage.sweep.report import sweep_report as reporting
from kubestage.sweep.report.options import ReportOptions
from kubestage.sweep.statistics.comparisons import ComparisonOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.runs.observer import Observer
    from kubestage.sweep.axes import Axis
    from kubestage.sweep.engines.engine import Engine
    from kubestage.sweep.optimise.finals import Finals
    from kubestage.sweep.optimise.objectives import Aims
    from kubestage.sweep.optimise.spaces import Space
    from kubestage.sweep.report.sweep_report import SweepReport
    from kubestage.sweep.rows import Scalar, Table


class PreparedSearch(msgspec.Struct, frozen=True):
    """A search whose inputs are read and checked: it can start."""

    definition: OptimiseDefinition
    base: Base
    axes: tuple[Axis, ...]
    space: Space
    aims: Aims
    comparison: ComparisonOptions
    seeds: tuple[int, ...]

    @property
    def final_seeds(self) -> tuple[int, ...]:
        """Seeds that the search did not use."""
        first = max(self.seeds) + 1
        return tuple(range(first, first + self.definition.final_seeds))


def optimise(
    base: str | Sequence[str],
    vary: Mapping[str, str | Sequence[Scalar]],
    *,
    minimise: str | Sequence[str] = (),
    maximise: str | Sequence[str] = (),
    subject_to: str | Sequence[str] = (),
    trials: int = 50,
    seeds: str | int = 6,
    sampler: sampling.SamplerName = "tpe",
    sampler_seed: int = 0,
    batch: int = 8,
    pruning: bool = True,
    finalists: int = 5,
    final_seeds: int = 20,
    baseline: bool = True,
    level: float = 95.0,
    margin: str = "1%",
    out: str | pathlib.Path | None = None,
    resume: bool = False,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    observer: Observer = SILENT,
) -> OptimiseResult:
    """Search for the setting with the least or most of a measure, within limits.

    ::

        found = optimise(
            "run shop/ --for 30m",
            {"hpa/web:spec.maxReplicas": "5..20"},
            minimise="replicaHours",
            subject_to="responseP99<800ms",
        )
        found.best

    `base` is a command as it is typed after ``kubestage``. The arguments are those of
    ``kubestage optimise``; docs/optimise.md has the procedure.
    """
    definition = OptimiseDefinition(
        command=shlex.split(base) if isinstance(base, str) else list(base),
        vary={
            path: values if isinstance(values, str) else list(values)
            for path, values in vary.items()
        },
        minimise=_words(minimise),
        maximise=_words(maximise),
        subject_to=_words(subject_to),
        trials=trials,
        seeds=seeds,
        sampler=sampler,
        sampler_seed=sampler_seed,
        batch=batch,
        pruning=pruning,
        finalists=finalists,
        final_seeds=final_seeds,
        baseline=baseline,
        level=level,
        margin=margin,
    )
    chosen = sweeping.engine_of(engine, jobs, address)
    place = None if out is None else str(out)
    return run(prepare(definition), chosen, place, resume=resume, observer=observer)


def prepare(definition: OptimiseDefinition) -> PreparedSearch:
    """Read and check everything; InputError if something is wrong, before anything runs."""
    aims = objectives.read(definition.minimise, definition.maximise, definition.subject_to)
    if not definition.vary:
        fix = "add --vary PATH=VALUES, as in nodes=5..50"
        raise InputError("nothing says what is searched", path=axis_texts.OPTION, fix=fix)
    base = Base.read(definition.command)
    axes = tuple(
        axis_texts.make(path, values if isinstance(values, str | list) else [values], base)
        for path, values in definition.vary.items()
    )
    axis_texts.check(axes, base)
    shown = ReportOptions(level=definition.level, margin=definition.margin)
    comparison = ComparisonOptions(level=shown.confidence(), margin=shown.difference_margin())
    space = spaces.space(axes)
    # Refuses what the sampler cannot do, or that it is not installed.
    sampling.sampler(definition.sampler, space, aims, definition.trials, definition.sampler_seed)
    return PreparedSearch(
        definition, base, axes, space, aims, comparison, definition.seed_numbers(base.seed)
    )


def run(
    prepared: PreparedSearch,
    engine: Engine,
    out: str | None = None,
    *,
    resume: bool = False,
    observer: Observer = SILENT,
) -> OptimiseResult:
    """Search; with `out` all runs are kept there as they come.

    A search that is resumed makes the same proposals again: what was computed is known by then.
    """
    with directory.claimed(out, prepared.definition, prepared.axes, resume=resume) as kept:
        with (
            interruption.reporting(lambda: directory.interrupt_report(out)),
            engine.open(prepared.base) as pool,
        ):
            result = _Run(prepared, Evaluator(prepared.base, pool, kept), observer).result()
        if kept is not None:
            assert out is not None
            with interruption.deferred(observer):
                directory.finish(pathlib.Path(out), kept, result, prepared.axes, observer)
    return result


class _Run:
    """A search from its first run to its result."""

    def __init__(self, prepared: PreparedSearch, evaluator: Evaluator, observer: Observer) -> None:
        self.prepared = prepared
        self.evaluator = evaluator
        self.observer = observer

    def result(self) -> OptimiseResult:
        prepared, definition = self.prepared, self.prepared.definition
        has_baseline = definition.baseline and prepared.base.is_runnable
        if has_baseline:
            self.evaluator.evaluate([{}], prepared.seeds)
        aims = self._aims()
        sampler = sampling.sampler(
            definition.sampler, prepared.space, aims, definition.trials, definition.sampler_seed
        )
        plan = SearchPlan(
            trials=definition.trials,
            seeds=prepared.seeds,
            batch=definition.batch,
            prunes=definition.pruning,
        )
        search = Search(plan, aims, sampler, self.evaluator)
        with self.observer.progress("optimising", definition.trials, noticeable=1) as advance:
            search.run(advance, prepared.space.size)
        compared, table = self._finals(search, aims, has_baseline=has_baseline)
        leader = compared.leader
        return OptimiseResult(
            definition=definition,
            aims=aims,
            trials=search.trials,
            finals=compared,
            rows=self.evaluator.table([each.path for each in prepared.axes]),
            final_report=self._report(table, aims, compared),
            # Of a front, one has to choose.
            apply=[]
            if leader is None or len(aims.objectives) > 1
            else applying.lines(prepared.base, leader.standing.setting.parameters),
        )

    def _aims(self) -> Aims:
        """The aims with the measures that runs have: that of the first setting, if need be."""
        prepared = self.prepared
        if not self.evaluator.measures():
            first = prepared.space.parameters({})
            self.evaluator.evaluate([first], prepared.seeds[:1])
        known = self.evaluator.measures()
        if not known:
            row = self.evaluator.settings()[0].rows[0]
            problem = f"the first run failed: {row.error}"
            raise InputError(problem, fix="run the command by itself")
        return prepared.aims.resolved(known)

    def _finals(self, search: Search, aims: Aims, *, has_baseline: bool) -> tuple[Finals, Table]:
        prepared = self.prepared
        number = prepared.definition.finalists * (1 if len(aims.objectives) == 1 else 2)
        tried = [each for each in search.standings() if each.setting.parameters]
        chosen = [each.setting.parameters for each in finals.choose(tried, aims, number)]
        if has_baseline:
            chosen.insert(0, {})
        seeds = prepared.final_seeds
        message = f"comparing the best {len(chosen)} with {len(seeds)} new seeds"
        with self.observer.progress(message, 1, noticeable=1) as advance:
            self.evaluator.evaluate(chosen, seeds)
            advance(1)
        table = self.evaluator.table([each.path for each in prepared.axes], seeds)
        return finals.compare(table, aims, prepared.comparison, seeds), table

    def _report(self, table: Table, aims: Aims, compared: Finals) -> SweepReport | None:
        leader = compared.leader
        if leader is None:
            return None
        places = [each.parameters for each in table.settings()]
        options = ReportOptions(
            measures=tuple(aims.measures),
            against=str(places.index(leader.standing.setting.parameters) + 1),
            level=self.prepared.definition.level,
            margin=self.prepared.definition.margin,
            front=tuple(aims.better) if len(aims.objectives) > 1 else (),
        )
        # What the search calls better counts, whatever it is elsewhere.
        infos = {
            key: msgspec.structs.replace(info, better=aims.better.get(key, info.better))
            for key, info in table.measures.items()
        }
        return reporting.report(msgspec.structs.replace(table, measures=infos), options)


def _words(found: str | Sequence[str]) -> list[str]:
    return [found] if isinstance(found, str) else list(found)
