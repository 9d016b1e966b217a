"""The search from start to end: read, evolve, shrink, explain, write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import InputError
from kubestage.runs import interruption
from kubestage.runs.inputs import plugin_files, sources, text_files
from kubestage.runs.observer import SILENT
from kubestage.sweep import sweeping
from kubestage.sweep.worst import (
    bounds,
    contenders,
    explanation,
    limits,
    objectives,
    start,
    wording,
    writing,
)
from kubestage.sweep.worst.evaluation import SCORE, Evaluation
from kubestage.sweep.worst.evolution import Evolution
from kubestage.sweep.worst.result import WorstCase
from kubestage.sweep.worst.scoring import Scorer
from kubestage.sweep.worst.shrinking.shrinker import Shrinker
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Advance, Observer
    from kubestage.sweep.engines.engine import Engine, Pool
    from kubestage.sweep.worst.bounds import Bounds
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits
    from kubestage.sweep.worst.options import WorstOptions


def search(
    files: Files,
    options: WorstOptions,
    *,
    observer: Observer = SILENT,
    engine: Engine | None = None,
) -> WorstCase:
    """Search for the case in which a configuration does worst, and shrink it.

    `files` are those of a Scenario, of manifests, or with `run_for` of a living run. The result
    depends on the files, the options and the version, not on the engine. An interrupt ends the
    search early: the result is the worst case so far.
    """
    chosen = engine or sweeping.engine_of(options.engine, options.jobs, options.address)
    objective = objectives.read(options)
    within = _bounds(options)
    found = contenders.read(options, observer)
    begin = start.read(sources.file_names(files), options, observer)
    resolved = limits.resolve(within, begin.case, begin.living_ns)
    seeds = range(options.seed, options.seed + options.repeats)
    work = Evaluation(begin, found, objective, seeds)
    with plugin_files.error_context(found[0].settings.plugins), writing.claimed(options.out) as out:
        _check_start(work)
        with chosen.open(work) as pool:
            searching = _Search(work, resolved, options, observer, pool)
            searching.run()
        result = searching.result()
        if out is not None:
            with interruption.deferred(observer):
                out.write(result, options, found)
    return result


def _bounds(options: WorstOptions) -> Bounds:
    text = None if options.bounds is None else text_files.read(options.bounds, "--bounds")
    stated = list(options.bound)
    if options.mutate is not None:
        groups = [each.strip() for each in options.mutate.split(",") if each.strip()]
        unknown = [each for each in groups if each not in bounds.GROUPS]
        if unknown or not groups:
            fix = f"there are {', '.join(bounds.GROUPS)}"
            problem = f'there is no group "{unknown[0]}"' if unknown else "names no group"
            raise InputError(problem, path="--mutate", fix=fix)
        stated.append(f"mutate=[{', '.join(groups)}]")
    return bounds.read(text, stated, options.bounds)


def _check_start(work: Evaluation) -> None:
    """Refuse a start that does not run, or runs of which do not have the measure."""
    for at, contender in enumerate(work.contenders):
        run, _ = work.run(work.start.case, at, work.seeds[0])
        if run.failure is not None:
            fix = "the start of a search must run: see `kubestage run`"
            raise InputError(f"{contender.name}: {run.failure}", fix=fix)
        objectives.check(work.objective, run.measures())


class _Search:
    """A search that an interrupt may end at any time."""

    def __init__(
        self,
        work: Evaluation,
        resolved: Limits,
        options: WorstOptions,
        observer: Observer,
        pool: Pool,
    ) -> None:
        self._work, self._limits, self._options = work, resolved, options
        self._observer = observer
        self._scorer = Scorer(pool, options.seed, lambda _: self._report())
        self._evolution = Evolution(
            work.start.case, resolved, self._scorer, options.seed, options.budget
        )
        self._shrinker: Shrinker | None = None
        self._is_interrupted = False
        self._search_runs = 0
        self._advance: Advance | None = None

    def run(self) -> None:
        """Evolve, then shrink; an interrupt ends both."""
        options, evolution = self._options, self._evolution
        enough = self._work.objective.is_search_over_at
        try:
            with self._observer.progress("searching", options.budget) as self._advance:
                evolution.run(enough, self._report)
            self._search_runs = self._scorer.runs
            if evolution.best is not None and self._is_found(evolution.best_score):
                self._shrink(evolution.best, evolution.best_score or 0.0)
        except KeyboardInterrupt:
            self._is_interrupted = True
        self._search_runs = self._search_runs or self._scorer.runs

    def _shrink(self, best: Case, score: float) -> None:
        objective, budget = self._work.objective, self._options.shrink_budget
        enough = objective.is_search_over_at
        threshold = score if enough is None else min(enough, score)
        self._shrinker = Shrinker(
            best,
            self._limits,
            self._scorer,
            lambda found: objective.preserves(found, threshold),
            budget,
        )
        with self._observer.progress("shrinking", budget) as self._advance:
            self._shrinker.run(self._report)

    def _report(self) -> None:
        if self._advance is None:
            return
        if self._shrinker is not None:
            events = len(self._shrinker.case.events)
            self._advance(self._shrinker.runs, f"shrinking: {events} events")
        else:
            best = wording.number(self._evolution.best_score)
            self._advance(self._scorer.runs, f"searching: worst so far {best}")

    def _is_found(self, score: float | None) -> bool:
        objective = self._work.objective
        if score is None:
            return False
        enough = objective.is_search_over_at
        if enough is not None:
            return score >= enough
        if len(self._work.contenders) > 1:
            return score > 0
        begin = self._evolution.start_score
        return begin is None or score > begin

    def _note_errors(self) -> None:
        """A search in which most cases fail does not search where the user thinks."""
        failed = sum(self._scorer.errors.values())
        if 2 * failed > self._scorer.runs:
            reason, _ = max(self._scorer.errors.items(), key=lambda each: each[1])
            total = plural(self._scorer.runs, "case")
            self._observer.note(f"{failed:,} of {total} could not be run, as in: {reason}")

    def result(self) -> WorstCase:
        """What was found so far."""
        evolution, scorer, shrinker = self._evolution, self._scorer, self._shrinker
        best = evolution.best
        if best is None:
            if self._is_interrupted:
                raise KeyboardInterrupt
            worst = max(scorer.errors.items(), key=lambda each: each[1])[0]
            raise InputError(f"no case could be run: {worst}")
        case = best if shrinker is None else shrinker.case
        row = scorer.row(case)
        self._note_errors()
        evaluated = self._work.evaluate(case, row.seed)
        result = WorstCase(
            objective=self._work.objective.title,
            is_found=self._is_found(row.measures.get(SCORE)),
            is_interrupted=self._is_interrupted,
            score=evaluated.score,
            values={
                each.name: outcome.value
                for each, outcome in zip(self._work.contenders, evaluated.outcomes, strict=True)
            },
            best_score=evolution.best_score,
            start_score=evolution.start_score,
            seed=self._options.seed,
            run_seed=row.seed,
            runs=self._search_runs,
            shrink_runs=scorer.runs - self._search_runs,
            failed=sum(scorer.errors.values()),
            is_smallest=shrinker is not None and shrinker.is_smallest,
            best_events=len(best.events),
            generations=tuple(evolution.generations),
            limits=self._limits,
            explanation=(),
            start=self._work.start,
            case=case,
            best=best,
        )
        lines = explanation.explain(self._work, result, evaluated, self._options)
        return msgspec.structs.replace(result, explanation=tuple(lines))
