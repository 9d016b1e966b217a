"""Who proposes the next settings: Optuna's samplers, in batches, or a plain grid.

A batch is proposed before any of it is known, and reported in its order. So proposals depend on
the seed of the search and on results, never on which run ended first.
"""

from __future__ import annotations

import itertools
import logging
import warnings
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.sweep.optimise.objectives import Aims
    from kubestage.sweep.optimise.spaces import Space
    from kubestage.sweep.rows import Scalar

SamplerName = Literal["tpe", "nsga2", "cmaes", "random", "grid"]
NAMES: Final = ("tpe", "nsga2", "cmaes", "random", "grid")
_PATH: Final = "--sampler"
_STARTUP: Final = 10
_POPULATION: Final = 50
_GENERATIONS: Final = 6
_FEWEST: Final = 8


class Proposal(Protocol):
    """A setting that is to be tried."""

    @property
    def parameters(self) -> dict[str, Scalar]:
        """The setting."""


class Sampler(Protocol):
    """Proposes settings and learns of their results."""

    def propose(self, number: int) -> Sequence[Proposal]:
        """So many settings, or fewer if there are no more."""

    def report(
        self,
        proposal: Proposal,
        values: Sequence[float] | None,
        excess: Mapping[str, float],
    ) -> None:
        """What came of it: the objectives, or None if it failed; how far limits are exceeded."""


class _Point:
    __slots__ = ("parameters", "trial")

    def __init__(self, parameters: dict[str, Scalar], trial: Any = None) -> None:
        self.parameters = parameters
        self.trial = trial


class GridSampler:
    """All settings, one after the other."""

    def __init__(self, space: Space) -> None:
        self._settings = space.grid()

    def propose(self, number: int) -> Sequence[Proposal]:
        """The next settings of the grid."""
        return [_Point(each) for each in itertools.islice(self._settings, number)]

    def report(
        self,
        proposal: Proposal,
        values: Sequence[float] | None,
        excess: Mapping[str, float],
    ) -> None:
        """A grid learns nothing."""


class OptunaSampler:
    """One of Optuna's samplers, with a study in memory."""

    def __init__(self, name: str, space: Space, aims: Aims, trials: int, seed: int) -> None:
        optuna = library()
        # It has a line for each study; the command has its own progress.
        logging.getLogger("optuna").setLevel(logging.WARNING)
        self._space = space
        self._distributions = {
            each.axis.path: _distribution(optuna, each)
            for each in space.dimensions
            if each.low < each.high
        }
        with warnings.catch_warnings():
            # Its samplers warn that they may change; a pinned version does not.
            warnings.simplefilter("ignore")
            self._study = optuna.create_study(
                directions=[
                    "minimize" if each.better == "less" else "maximize" for each in aims.objectives
                ],
                sampler=_sampler(optuna, name, trials, seed),
            )
        self._failed = optuna.trial.TrialState.FAIL

    def propose(self, number: int) -> Sequence[Proposal]:
        """So many settings, all before the first of them is known."""
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(number):
                trial = self._study.ask(fixed_distributions=self._distributions)
                found.append(_Point(self._space.parameters(trial.params), trial))
        return found

    def report(
        self,
        proposal: Proposal,
        values: Sequence[float] | None,
        excess: Mapping[str, float],
    ) -> None:
        """Have Optuna learn of a result."""
        assert isinstance(proposal, _Point)
        for name, value in excess.items():
            proposal.trial.set_constraint(name, value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if values is None:
                self._study.tell(proposal.trial, state=self._failed)
            else:
                self._study.tell(proposal.trial, list(values))


def sampler(name: str, space: Space, aims: Aims, trials: int, seed: int) -> Sampler:
    """The sampler of a name; InputError if it cannot do what it is to do."""
    if name == "grid":
        return GridSampler(space)
    if name == "cmaes":
        _check_cmaes(space, aims)
    return OptunaSampler(name, space, aims, trials, seed)


def library() -> Any:
    """Optuna; InputError with how to install it."""
    try:
        # Large, and part of an extra.
        import optuna  # noqa: PLC0415
    except ModuleNotFoundError:
        fix = "pip install 'kubestage[optimise]', or --sampler grid"
        raise InputError("optuna is not installed", path=_PATH, fix=fix) from None
    return optuna


def _distribution(optuna: Any, dimension: Any) -> Any:
    kinds = optuna.distributions
    if dimension.kind == "word":
        return kinds.CategoricalDistribution(range(int(dimension.high) + 1))
    if dimension.kind == "place":
        return kinds.IntDistribution(int(dimension.low), int(dimension.high))
    return kinds.FloatDistribution(dimension.low, dimension.high)


def _sampler(optuna: Any, name: str, trials: int, seed: int) -> Any:
    kinds = optuna.samplers
    if name == "random":
        return kinds.RandomSampler(seed=seed)
    if name == "cmaes":
        return kinds.CmaEsSampler(seed=seed)
    if name == "nsga2":
        population = min(_POPULATION, max(_FEWEST, trials // _GENERATIONS))
        return kinds.NSGAIISampler(seed=seed, population_size=population)
    startup = min(_STARTUP, max(2, trials // 4))
    return kinds.TPESampler(
        seed=seed, n_startup_trials=startup, multivariate=True, constant_liar=True
    )


def _check_cmaes(space: Space, aims: Aims) -> None:
    fix = "choose --sampler tpe"
    if len(aims.objectives) > 1 or aims.constraints:
        raise InputError("cmaes has one objective and no limits", path=_PATH, fix=fix)
    words = [each.axis.path for each in space.dimensions if each.kind == "word"]
    if words:
        raise InputError(f"cmaes has numbers only, unlike {words[0]}", path=_PATH, fix=fix)
