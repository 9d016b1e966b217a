"""A function with noise in place of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.sweep.axes import Axis
from kubestage.sweep.engines.local import LocalEngine
from kubestage.sweep.optimise import objectives, sampling, spaces
from kubestage.sweep.optimise.evaluating import Evaluator
from kubestage.sweep.optimise.search import Search, SearchPlan
from kubestage.sweep.rows import MeasureInfo, Row, Scalar, Task
from kubestage.sweep.values import parse

if TYPE_CHECKING:
    from kubestage.sweep.optimise.objectives import Aims

INFOS = (
    MeasureInfo("cost", "less", "USD"),
    MeasureInfo("wait", "less", "s"),
    MeasureInfo("served", "more"),
)


def number(value: Scalar) -> float:
    assert isinstance(value, int | float)
    return float(value)


class NoisyWork:
    """A bowl with its lowest point at x = 6, y = 3: what a seed adds is the same everywhere."""

    def __init__(self, noise: float = 1.0, own: float = 0.2) -> None:
        self.noise = noise
        self.own = own
        self.calls: list[Task] = []

    def key(self, task: Task) -> str:
        return repr((sorted(task.parameters.items()), task.seed))

    def __call__(self, task: Task) -> Row:
        self.calls.append(task)
        x, y = number(task.parameters.get("x", 0)), number(task.parameters.get("y", 0))
        if x == 13:
            return Row(task.index, self.key(task), task.parameters, task.seed, {}, "no luck")
        shared = float(np.random.default_rng(task.seed).normal(0, self.noise))
        mine = float(np.random.default_rng((task.seed, int(x), int(y))).normal(0, self.own))
        measures: dict[str, Any] = {
            "cost": 10 + (x - 6) ** 2 + (y - 3) ** 2 + shared + mine,
            "wait": 20 - x + 0.2 * shared,
            "served": 100 - abs(x - 6),
        }
        return Row(task.index, self.key(task), task.parameters, task.seed, measures, None, INFOS)


def axes(**texts: str) -> list[Axis]:
    return [Axis(path, parse(text)) for path, text in texts.items()]


def aims(*, minimise: tuple[str, ...] = ("cost",), limits: tuple[str, ...] = ()) -> Aims:
    found = objectives.read(minimise, (), limits)
    return found.resolved({each.key: each for each in INFOS})


def _quietly(done: int, what: str | None = None) -> None:
    del done, what


def search(
    work: NoisyWork,
    trials: int = 40,
    seeds: int = 6,
    sampler: str = "tpe",
    prunes: bool = True,
    batch: int = 8,
    aim: Aims | None = None,
    **texts: str,
) -> Search:
    """A search that has been run."""
    space = spaces.space(axes(**(texts or {"x": "0..12", "y": "0..12"})))
    chosen = aims() if aim is None else aim
    plan = SearchPlan(trials=trials, seeds=tuple(range(1, seeds + 1)), batch=batch, prunes=prunes)
    with LocalEngine(1).open(work) as pool:
        evaluator = Evaluator(work, pool)  # type: ignore[arg-type]
        found = Search(plan, chosen, sampling.sampler(sampler, space, chosen, trials, 0), evaluator)
        found.run(_quietly, space.size)
    return found
