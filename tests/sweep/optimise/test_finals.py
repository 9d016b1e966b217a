"""What the final comparison calls the best, and what it cannot tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results.statistics.intervals import Estimate
from kubestage.sweep.optimise import finals, objectives
from kubestage.sweep.optimise import standing as standings
from kubestage.sweep.rows import Row, Table, Task
from kubestage.sweep.statistics.comparisons import ComparisonOptions
from tests.sweep.optimise import fakes
from tests.sweep.optimise.fakes import NoisyWork

if TYPE_CHECKING:
    from kubestage.sweep.optimise.finals import Finals
    from kubestage.sweep.optimise.objectives import Aims


def _table(points: list[tuple[int, int]], seeds: int, work: NoisyWork | None = None) -> Table:
    work = work or NoisyWork()
    rows: list[Row] = []
    for x, y in points:
        for seed in range(seeds):
            parameters: dict[str, object] = {"x": x, "y": y} if x >= 0 else {}
            task = Task(len(rows), parameters, seed)  # type: ignore[arg-type]
            rows.append(work(task))
    return Table(("x", "y"), tuple(rows), {each.key: each for each in fakes.INFOS})


def _compared(table: Table, aim: Aims | None = None) -> Finals:
    options = ComparisonOptions()
    return finals.compare(table, aim or fakes.aims(), options, range(20))


def test_a_clear_winner_is_the_best() -> None:
    found = _compared(_table([(7, 4), (6, 3), (4, 3), (-1, 0)], 20))
    assert found.is_decided
    assert found.leader is not None
    assert found.leader.standing.setting.parameters == {"x": 6, "y": 3}
    assert [each.status for each in found.finalists] == ["best", "worse", "worse", "worse"]
    baseline = found.finalists[-1]
    assert baseline.is_baseline
    assert baseline.difference is not None
    assert baseline.difference.estimate.mean == pytest.approx(45, abs=1)


def test_what_noise_hides_cannot_be_told_apart() -> None:
    found = _compared(_table([(6, 3), (6, 4), (0, 0)], 5, NoisyWork(own=4)))
    assert not found.is_decided
    assert [each.status for each in found.finalists] == [finals.TIED, finals.TIED, "worse"]


def test_a_setting_whose_mean_misses_a_limit_comes_last() -> None:
    aim = fakes.aims(limits=("wait<=13",))
    found = _compared(_table([(6, 3), (8, 3), (7, 3)], 10), aim)
    assert found.leader is not None
    assert found.leader.standing.setting.parameters["x"] in (7, 8)
    last = found.finalists[-1]
    assert (last.standing.setting.parameters["x"], last.status) == (6, "misses a limit")
    assert last.limits == (False,)
    assert {each.standing.setting.parameters["x"]: each.limits for each in found.finalists}[8] == (
        True,
    )


def test_if_nothing_meets_the_limits_there_is_no_leader() -> None:
    aim = fakes.aims(limits=("wait<1",))
    table = _table([(6, 3), (12, 3), (13, 3)], 5)
    found = _compared(table, aim)
    assert found.leader is None
    assert not found.is_decided
    assert [each.standing.setting.parameters["x"] for each in found.finalists] == [12, 6, 13]
    assert [each.status for each in found.finalists][-1] == "failed"
    known = [standings.standing(each, aim) for each in table.settings()]
    assert [each.setting.parameters["x"] for each in finals.choose(known, aim, 5)] == [12, 6]


def test_the_best_few_are_chosen() -> None:
    known = [
        standings.standing(each, fakes.aims())
        for each in _table([(0, 0), (6, 3), (5, 3), (13, 1), (6, 5)], 4).settings()
    ]
    chosen = finals.choose(known, fakes.aims(), 2)
    assert [each.setting.parameters for each in chosen] == [{"x": 6, "y": 3}, {"x": 5, "y": 3}]


def test_several_objectives_have_standings_on_the_front() -> None:
    aim = fakes.aims(minimise=("cost", "wait"))
    found = _compared(_table([(6, 3), (9, 3), (9, 6), (4, 4)], 12), aim)
    by_place = {
        tuple(each.standing.setting.parameters.values()): each.status for each in found.finalists
    }
    assert by_place == {(6, 3): "front", (9, 3): "front", (9, 6): "dominated", (4, 4): "dominated"}
    assert found.is_decided


@pytest.mark.parametrize(
    ("text", "value", "reach", "holds"),
    [
        ("wait<30s", 29.0, 0.5, True),
        ("wait<30s", 29.0, 2.0, None),
        ("wait<30s", 31.0, 0.5, False),
        ("wait<30s", 30.0, 0.0, False),
        ("wait<=30s", 30.0, 0.0, True),
        ("served>=90", 95.0, 1.0, True),
        ("served>=90", 85.0, 1.0, False),
        ("wait<30s", 29.0, None, None),
    ],
)
def test_a_limit_holds_if_the_whole_interval_is_within(
    text: str, value: float, reach: float | None, holds: bool | None
) -> None:
    (limit,) = fakes.aims(limits=(text,)).constraints
    estimate = Estimate(count=5, level=0.95, mean=value, half_width=reach)
    assert limit.holds(estimate) is holds


@pytest.mark.parametrize(
    ("minimise", "maximise", "limits", "problem"),
    [
        ((), (), (), "nothing says what is best"),
        (("cost",), ("cost",), (), "an objective twice"),
        (("cost",), (), ("wait",), '"wait" is no limit'),
        (("cost",), (), ("wait=3",), "is no limit"),
        (("cost",), (), ("wait<long",), "is no number"),
        (("csot",), (), (), r"did you mean cost\?"),
        (("cost",), (), ("wiat<3",), r"did you mean wait\?"),
        (("cost", "COST"), (), (), "an objective twice"),
    ],
)
def test_bad_aims_are_refused(
    minimise: tuple[str, ...], maximise: tuple[str, ...], limits: tuple[str, ...], problem: str
) -> None:
    known = {each.key: each for each in fakes.INFOS}
    with pytest.raises(InputError, match=problem):
        objectives.read(minimise, maximise, limits).resolved(known)
