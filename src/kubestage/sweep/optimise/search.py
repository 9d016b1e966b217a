"""The search: batches of settings, each evaluated with seeds until it is clearly not the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.sweep.optimise import standing as standings
from kubestage.sweep.optimise.standing import Pruner, Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.runs.observer import Advance
    from kubestage.sweep.optimise.evaluating import Evaluator
    from kubestage.sweep.optimise.objectives import Aims
    from kubestage.sweep.optimise.sampling import Proposal, Sampler
    from kubestage.sweep.rows import Scalar

FIRST_SEEDS: Final = 3
"""So many seeds has every setting; after that, twice as many in each round."""


class Trial(msgspec.Struct, frozen=True):
    """A setting that was proposed: with how many seeds it was run, and what ended that."""

    number: int
    parameters: dict[str, Scalar]
    seeds: int
    values: list[float] | None
    is_feasible: bool
    ended: str = ""
    """Why it did not get all seeds; empty if it did."""
    is_repeated: bool = False
    """Whether the same setting was proposed before."""


class SearchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How much is tried."""

    trials: int
    seeds: tuple[int, ...]
    batch: int = 8
    prunes: bool = True


class Search:
    """A search while it goes on."""

    def __init__(
        self, plan: SearchPlan, aims: Aims, sampler: Sampler, evaluator: Evaluator
    ) -> None:
        self.plan = plan
        self.trials: list[Trial] = []
        self._aims = aims
        self._sampler = sampler
        self._evaluator = evaluator
        self._ended: dict[str, str] = {}

    def run(self, advance: Advance, most: int | None = None) -> None:
        """Try settings until there are enough trials, or all `most` settings were tried."""
        while len(self.trials) < self.plan.trials:
            if most is not None and len({str(each.parameters) for each in self.trials}) >= most:
                return
            number = min(self.plan.batch, self.plan.trials - len(self.trials))
            proposals = self._sampler.propose(number)
            if not proposals:
                return
            self._evaluate(proposals)
            self._report(proposals)
            advance(len(self.trials))

    def standings(self) -> list[Standing]:
        """What is known of every setting that was tried."""
        return [standings.standing(each, self._aims) for each in self._evaluator.settings()]

    def _evaluate(self, proposals: Sequence[Proposal]) -> None:
        active: dict[str, dict[str, Scalar]] = {}
        for each in proposals:
            if not self._evaluator.knows(each.parameters):
                active.setdefault(str(each.parameters), each.parameters)
        for seeds in self._rounds():
            if not active:
                return
            self._evaluator.evaluate(active.values(), seeds)
            if self.plan.prunes and seeds[-1] != self.plan.seeds[-1]:
                active = dict(self._kept(active))

    def _rounds(self) -> Iterator[tuple[int, ...]]:
        """The seeds of each round: three, then as many as there were before."""
        seeds, done = self.plan.seeds, 0
        while done < len(seeds):
            following = min(len(seeds), max(FIRST_SEEDS, 2 * done))
            if not self.plan.prunes:
                following = len(seeds)
            yield seeds[done:following]
            done = following

    def _kept(
        self, active: dict[str, dict[str, Scalar]]
    ) -> Iterator[tuple[str, dict[str, Scalar]]]:
        known = self.standings()
        leaders = standings.best(known, self._aims)
        pruner = Pruner(self._aims, [each.setting for each in known])
        for name, parameters in active.items():
            found = standings.standing(self._evaluator.setting(parameters), self._aims)
            reason = pruner.reason(found, leaders)
            if reason:
                self._ended[name] = reason
            else:
                yield name, parameters

    def _report(self, proposals: Sequence[Proposal]) -> None:
        seen = {str(each.parameters) for each in self.trials}
        for proposal in proposals:
            name = str(proposal.parameters)
            found = standings.standing(self._evaluator.setting(proposal.parameters), self._aims)
            values = found.means()
            self._sampler.report(proposal, values, found.excess(self._aims))
            self.trials.append(
                Trial(
                    number=len(self.trials) + 1,
                    parameters=proposal.parameters,
                    seeds=found.seeds,
                    values=values,
                    is_feasible=found.is_feasible(self._aims),
                    ended=self._ended.get(name, found.problem),
                    is_repeated=name in seen,
                )
            )
            seen.add(name)
