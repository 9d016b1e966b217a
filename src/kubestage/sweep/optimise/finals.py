"""The final comparison: the best few settings once more, with seeds that chose none of them.

The best of many noisy results is partly the luckiest. So the best settings of the search are run
with new seeds, and only those decide: a setting is the best if it is better than every other,
seed by seed, with all pairs corrected together.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.statistics import differences, verdicts
from kubestage.sweep.optimise import standing as standings
from kubestage.sweep.statistics import pareto, samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.statistics.differences import Difference
    from kubestage.results.statistics.verdicts import Verdict
    from kubestage.sweep.optimise.objectives import Aims
    from kubestage.sweep.optimise.standing import Standing
    from kubestage.sweep.rows import Table
    from kubestage.sweep.statistics.comparisons import ComparisonOptions

BEST: Final = "best"
"""Decided to be better than every other finalist."""
TIED: Final = "cannot be distinguished"
"""Not decided, or decided that the difference does not matter."""
WORSE: Final = "worse"
MISSES: Final = "misses a limit"
FAILED: Final = "failed"


class Finalist(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of the final comparison.

    `difference` is how much more it has of the objective than the leader, if there is one
    objective. `limits` are whether each limit is met: None if the interval has the limit in it.
    """

    standing: Standing
    status: str
    limits: tuple[bool | None, ...] = ()
    difference: Difference | None = None
    verdict: Verdict | None = None
    is_baseline: bool = False


class Finals(msgspec.Struct, frozen=True, kw_only=True):
    """All finalists, the leader first."""

    finalists: tuple[Finalist, ...]
    seeds: tuple[int, ...]
    is_decided: bool
    """Whether one setting is better than all others; of several objectives, whether the front is
    clear: no setting may or may not belong to it."""

    @property
    def leader(self) -> Finalist | None:
        """The setting with the best mean that meets all limits; None if none does."""
        found = next(iter(self.finalists), None)
        return None if found is None or found.status in (MISSES, FAILED) else found


def choose(known: Sequence[Standing], aims: Aims, number: int) -> list[Standing]:
    """The settings of the final comparison: the best few, or the front and what is next to it.

    If none meets all limits, those that come nearest to them.
    """
    left = [each for each in known if each.is_feasible(aims)]
    if not left:
        able = [each for each in known if not each.problem]
        return sorted(able, key=lambda each: _distance(each, aims))[:number]
    chosen: list[Standing] = []
    while left and len(chosen) < number:
        layer = standings.best(left, aims)
        chosen += layer
        left = [each for each in left if not any(each is one for one in layer)]
    return chosen[:number]


def _distance(found: Standing, aims: Aims) -> float:
    """By how much limits are exceeded, each as a share of itself."""
    excess = found.excess(aims) if not found.problem else {}
    return sum(
        max(0.0, excess.get(each.text, 0.0)) / (abs(each.limit) or 1.0) for each in aims.constraints
    )


def compare(table: Table, aims: Aims, options: ComparisonOptions, seeds: Sequence[int]) -> Finals:
    """Compare settings by their rows in a table, which has the seeds of the comparison only."""
    known = [standings.standing(each, aims, options.level) for each in table.settings()]
    places = [at for at, each in enumerate(known) if each.is_feasible(aims)]
    judged = (_ranked if len(aims.objectives) == 1 else _front)(table, known, places, aims, options)
    others = [
        Finalist(
            standing=each,
            status=FAILED if each.problem else MISSES,
            limits=_limits(each, aims),
            is_baseline=not each.setting.parameters,
        )
        for at, each in enumerate(known)
        if at not in places
    ]
    others.sort(key=lambda each: (bool(each.standing.problem), _distance(each.standing, aims)))
    decided = all(each.status not in (TIED, pareto.UNCLEAR) for each in judged)
    return Finals(
        finalists=(*judged, *others), seeds=tuple(seeds), is_decided=decided and bool(judged)
    )


def _ranked(
    table: Table,
    known: Sequence[Standing],
    places: Sequence[int],
    aims: Aims,
    options: ComparisonOptions,
) -> list[Finalist]:
    """The settings from the best mean on, each beside the first."""
    (objective,) = aims.objectives
    sign = 1.0 if objective.better == "less" else -1.0
    order = sorted(places, key=lambda at: sign * (known[at].objectives[0].mean or 0.0))
    depends = samples.varies(table.settings(), objective.measure)
    taken = {at: samples.sample(known[at].setting, objective.measure) for at in order}
    pairs = {
        (one, other): differences.difference(
            taken[one], taken[other], options.margin, options.level, depends_on_seed=depends
        )
        for one, other in itertools.combinations(order, 2)
    }
    # The leader is the best of them by chance or not: so all pairs count, not only its own.
    words = dict(
        zip(
            pairs,
            verdicts.verdicts(list(pairs.values()), [objective.better] * len(pairs), options.level),
            strict=True,
        )
    )
    rivals = [words[order[0], other] for other in order[1:]]
    is_best = all(each.word == verdicts.WORSE for each in rivals)
    found = []
    for at in order:
        verdict = words.get((order[0], at))
        status = BEST if is_best else TIED
        if verdict is not None:
            status = WORSE if verdict.word == verdicts.WORSE else TIED
        found.append(
            Finalist(
                standing=known[at],
                status=status,
                limits=_limits(known[at], aims),
                difference=pairs.get((order[0], at)),
                verdict=verdict,
                is_baseline=not known[at].setting.parameters,
            )
        )
    return found


def _front(
    table: Table,
    known: Sequence[Standing],
    places: Sequence[int],
    aims: Aims,
    options: ComparisonOptions,
) -> list[Finalist]:
    """The settings of the front, then those that may or may not belong to it, then the others."""
    points = pareto.front(table, aims.better, options, places)
    order = (pareto.FRONT, pareto.UNCLEAR, pareto.DOMINATED)
    sign = 1.0 if aims.objectives[0].better == "less" else -1.0
    points.sort(key=lambda each: (order.index(each.status), sign * (each.estimates[0].mean or 0.0)))
    return [
        Finalist(
            standing=known[each.setting],
            status=each.status,
            limits=_limits(known[each.setting], aims),
            is_baseline=not known[each.setting].setting.parameters,
        )
        for each in points
    ]


def _limits(found: Standing, aims: Aims) -> tuple[bool | None, ...]:
    return tuple(
        limit.holds(estimate)
        for limit, estimate in zip(aims.constraints, found.limited, strict=False)
    )
