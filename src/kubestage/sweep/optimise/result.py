"""What a search came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage import wording
from kubestage.results.analysis.table import Column, Kind, Table, columns
from kubestage.runs.notebook import TableResult
from kubestage.sweep.optimise import finals as final_comparison
from kubestage.sweep.report import axis_names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sweep import rows as sweep_rows
    from kubestage.sweep.optimise.definition import OptimiseDefinition
    from kubestage.sweep.optimise.finals import Finalist, Finals
    from kubestage.sweep.optimise.objectives import Aims
    from kubestage.sweep.optimise.search import Trial
    from kubestage.sweep.report.sweep_report import SweepReport
    from kubestage.sweep.rows import Scalar


class OptimiseResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """A whole search: every trial, and the final comparison.

    >>> from kubestage.sweep.optimise import optimise
    >>> optimise("run shop/ --for 30m", {"nodes": "5..50"}, minimise="cost")  # doctest: +SKIP
    """

    definition: OptimiseDefinition
    aims: Aims
    trials: list[Trial]
    finals: Finals
    rows: sweep_rows.Table
    """The rows of all runs; `kubestage.sweep.report` compares any of them."""
    final_report: SweepReport | None
    """The final comparison as a report; None if no setting got there."""
    apply: list[str]
    """What to type to use the leader's values."""

    @property
    def best(self) -> dict[str, Scalar] | None:
        """The values of the leader; None if no setting meets all limits.

        With several objectives it is the setting of the front with the best mean of the first.
        """
        leader = self.finals.leader
        return None if leader is None else dict(leader.standing.setting.parameters)

    @property
    def saved(self) -> int:
        """How many runs of the search were not needed, as settings were clearly worse."""
        full = len(self.definition.seed_numbers(0))
        return sum(full - each.seeds for each in self.trials if each.ended and not each.is_repeated)

    def headline(self) -> str:
        """The answer in one line."""
        leader = self.finals.leader
        if leader is None:
            nearest = next((each for each in self.finals.finalists if each.standing.means()), None)
            near = "" if nearest is None else f" Nearest to the limits is {self.name(nearest)}."
            return f"No setting was found for {self.aims}.{near}"
        name = self.name(leader)
        if len(self.aims.objectives) > 1:
            front = [each for each in self.finals.finalists if each.status == "front"]
            sure = "" if self.finals.is_decided else "; others cannot be distinguished from it"
            settings = "setting is" if len(front) == 1 else "settings are"
            return f"{len(front)} {settings} on the front of {self.aims}{sure}."
        open_limits = [
            limit.text
            for limit, holds in zip(self.aims.constraints, leader.limits, strict=True)
            if holds is None
        ]
        unsure = f" It is not sure that {' and '.join(open_limits)} holds." if open_limits else ""
        if leader.status == final_comparison.BEST:
            return f"Best for {self.aims}: {name}.{unsure}"
        rivals = [
            self.name(each)
            for each in self.finals.finalists[1:]
            if each.status == final_comparison.TIED
        ]
        tied = f"cannot be distinguished from {wording.few(rivals)}"
        return f"Best mean for {self.aims}: {name}; {tied}.{unsure}"

    def name(self, finalist: Finalist) -> str:
        """A setting in one line."""
        if finalist.is_baseline:
            return "the inputs as they are"
        return axis_names.label(finalist.standing.setting, self.rows.axes)

    def table(self) -> Table:
        """A row for each trial."""
        axes = tuple(Column(axis, Kind.TEXT) for axis in self.rows.axes)
        goals = tuple(Column(each.measure, Kind.FLOAT) for each in self.aims.objectives)
        head = columns(trial=Kind.INT)
        tail = columns(seeds=Kind.INT, feasible=Kind.INT, repeated=Kind.INT, ended=Kind.TEXT)
        none = [None] * len(goals)
        return Table(
            (*head, *axes, *goals, *tail),
            [
                (
                    each.number,
                    *(axis_names.value(each.parameters.get(axis)) for axis in self.rows.axes),
                    *(each.values or none),
                    each.seeds,
                    int(each.is_feasible),
                    int(each.is_repeated),
                    each.ended or None,
                )
                for each in self.trials
            ],
        )

    def to_dict(self) -> Json:
        """All that is known; docs/optimise.md describes it."""
        return {
            "answer": self.headline(),
            "best": self.best,
            "decided": self.finals.is_decided,
            "objectives": msgspec.to_builtins(self.aims.objectives),
            "subjectTo": [each.text for each in self.aims.constraints],
            "finalSeeds": list(self.finals.seeds),
            "finalists": [self._finalist(each) for each in self.finals.finalists],
            "trials": [
                {
                    "trial": each.number,
                    "parameters": each.parameters,
                    "values": each.values,
                    "seeds": each.seeds,
                    "feasible": each.is_feasible,
                    "repeated": each.is_repeated,
                    "ended": each.ended or None,
                }
                for each in self.trials
            ],
            "apply": self.apply,
        }

    def _finalist(self, each: Finalist) -> Json:
        names = [objective.measure for objective in self.aims.objectives]
        limits = [limit.text for limit in self.aims.constraints]
        difference = each.difference
        return {
            "parameters": dict(each.standing.setting.parameters),
            "baseline": each.is_baseline,
            "status": each.status,
            "objectives": {
                name: {"mean": found.mean, "low": found.low, "high": found.high}
                for name, found in zip(names, each.standing.objectives, strict=False)
            },
            "limits": dict(zip(limits, each.limits, strict=False)),
            "difference": None
            if difference is None
            else {
                "mean": difference.estimate.mean,
                "low": difference.estimate.low,
                "high": difference.estimate.high,
                "pValue": None if each.verdict is None else each.verdict.p_value,
            },
            "problem": each.standing.problem or None,
        }
