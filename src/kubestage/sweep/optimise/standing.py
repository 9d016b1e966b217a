"""What is known of a setting: the means of all that counts, and whether it is worth more seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.statistics import differences, intervals, verdicts
from kubestage.results.statistics.differences import Margin
from kubestage.sweep.statistics import samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.optimise.objectives import Aims
    from kubestage.sweep.rows import Setting

PRUNING_LEVEL: Final = 0.99
"""How sure it must be that a setting is worse before its evaluation ends."""
_EXACT: Final = Margin(0.0, is_share=False)


class Standing(msgspec.Struct, frozen=True):
    """A setting with the estimates of its objectives and of what has a limit.

    `problem` is why it counts for nothing: a run failed, or has no such measure.
    """

    setting: Setting
    objectives: tuple[Estimate, ...] = ()
    limited: tuple[Estimate, ...] = ()
    problem: str = ""

    @property
    def seeds(self) -> int:
        """How many runs it has."""
        return len(self.setting.rows)

    def means(self) -> list[float] | None:
        """The mean of each objective; None if it has none."""
        found = [each.mean for each in self.objectives if each.mean is not None]
        return found if found and not self.problem else None

    def excess(self, aims: Aims) -> dict[str, float]:
        """By how much each limit is exceeded by the mean; at most 0 where it is not."""
        return {
            limit.text: limit.excess(found.mean)
            for limit, found in zip(aims.constraints, self.limited, strict=False)
            if found.mean is not None
        }

    def is_feasible(self, aims: Aims) -> bool:
        """Whether it has all objectives, and no mean exceeds a limit."""
        return not self.problem and all(each <= 0 for each in self.excess(aims).values())


def standing(setting: Setting, aims: Aims, level: float = intervals.LEVEL) -> Standing:
    """What is known of a setting."""
    failed = next((row.error for row in setting.rows if row.error is not None), None)
    if failed is not None:
        return Standing(setting, problem=failed)
    estimates = {}
    for measure in aims.measures:
        taken = samples.sample(setting, measure)
        if not taken.values or taken.missing:
            return Standing(setting, problem=f"a run has no {measure}")
        estimates[measure] = intervals.estimate(list(taken.values.values()), level)
    return Standing(
        setting,
        tuple(estimates[each.measure] for each in aims.objectives),
        tuple(estimates[each.measure] for each in aims.constraints),
    )


def best(known: Sequence[Standing], aims: Aims) -> list[Standing]:
    """The feasible settings that no other beats, by means; one if there is one objective."""
    feasible = [each for each in known if each.is_feasible(aims)]
    signs = [1.0 if each.better == "less" else -1.0 for each in aims.objectives]
    costs = [
        [sign * mean for sign, mean in zip(signs, each.means() or [], strict=True)]
        for each in feasible
    ]
    if len(signs) == 1:
        places = sorted(range(len(costs)), key=lambda at: costs[at])[:1]
    else:
        places = [
            at
            for at, cost in enumerate(costs)
            if not any(_dominates(other, cost) for other in costs)
        ]
    return [feasible[at] for at in places]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return one != other and all(mine <= its for mine, its in zip(one, other, strict=True))


class Pruner:
    """Ends the evaluation of settings that are clearly not the best.

    After each round of seeds a setting gets no more of them if a run failed, if the interval of a
    mean is wholly beyond a limit, or if one of the best settings so far is better in every
    objective. Intervals and differences, seed by seed, are at 99%.
    """

    def __init__(self, aims: Aims, everything: Sequence[Setting]) -> None:
        self._aims = aims
        self._depends = {
            each.measure: samples.varies(everything, each.measure) for each in aims.objectives
        }

    def reason(self, found: Standing, leaders: Sequence[Standing]) -> str:
        """Why a setting gets no more seeds; empty if it does."""
        if found.problem:
            return found.problem
        for limit in self._aims.constraints:
            taken = samples.sample(found.setting, limit.measure)
            estimate = intervals.estimate(list(taken.values.values()), PRUNING_LEVEL)
            if limit.holds(estimate) is False:
                return f"misses {limit.text}"
        for leader in leaders:
            if leader.setting is not found.setting and self._is_worse(found, leader):
                return "clearly worse"
        return ""

    def _is_worse(self, found: Standing, leader: Standing) -> bool:
        for objective in self._aims.objectives:
            one, other = (
                samples.sample(each.setting, objective.measure) for each in (leader, found)
            )
            difference = differences.difference(
                one, other, _EXACT, PRUNING_LEVEL, depends_on_seed=self._depends[objective.measure]
            )
            (verdict,) = verdicts.verdicts([difference], [objective.better], PRUNING_LEVEL)
            if verdict.word != verdicts.WORSE:
                return False
        return True
