"""The search finds what is there, with few runs, and the same each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep.optimise import objectives, sampling, spaces
from kubestage.sweep.optimise import standing as standings
from tests.sweep.optimise import fakes
from tests.sweep.optimise.fakes import NoisyWork

if TYPE_CHECKING:
    from kubestage.sweep.optimise.search import Search


def _best(found: Search, aim: objectives.Aims | None = None) -> dict[str, object]:
    (leader,) = standings.best(found.standings(), fakes.aims() if aim is None else aim)
    return dict(leader.setting.parameters)


@pytest.mark.parametrize("sampler", ["tpe", "cmaes"])
def test_the_lowest_point_is_found(sampler: str) -> None:
    best = _best(fakes.search(NoisyWork(), trials=60, sampler=sampler))
    assert abs(fakes.number(best["x"]) - 6) <= 1  # type: ignore[arg-type]
    assert abs(fakes.number(best["y"]) - 3) <= 1  # type: ignore[arg-type]


def test_a_grid_has_every_setting_and_then_ends() -> None:
    found = fakes.search(NoisyWork(), trials=500, sampler="grid", x="4..8", y="2,3,4")
    assert len(found.trials) == 15
    assert _best(found) == {"x": 6, "y": 3}


@pytest.mark.parametrize("sampler", ["tpe", "nsga2", "cmaes", "random", "grid"])
def test_the_same_seed_gives_the_same_trials(sampler: str) -> None:
    one = fakes.search(NoisyWork(), trials=24, sampler=sampler)
    other = fakes.search(NoisyWork(), trials=24, sampler=sampler)
    assert one.trials == other.trials


def test_clearly_worse_settings_get_few_seeds() -> None:
    pruned, full = NoisyWork(), NoisyWork()
    with_pruning = fakes.search(pruned, trials=40, seeds=12, sampler="random")
    without = fakes.search(full, trials=40, seeds=12, sampler="random", prunes=False)
    assert len(pruned.calls) < 0.6 * len(full.calls)
    assert _best(with_pruning) == _best(without)
    ended = [each for each in with_pruning.trials if each.ended == "clearly worse"]
    assert ended
    assert {each.seeds for each in ended} <= {3, 6}
    assert all(not each.ended and each.seeds == 12 for each in without.trials)


def test_settings_that_are_as_good_are_not_pruned() -> None:
    work = NoisyWork(noise=5, own=5)
    found = fakes.search(work, sampler="grid", x="6", y="2,3,4", seeds=12)
    assert [each.seeds for each in found.trials] == [12, 12, 12]


def test_a_setting_beyond_a_limit_is_pruned_and_never_the_best() -> None:
    aim = fakes.aims(limits=("wait<11.5s",))
    found = fakes.search(NoisyWork(), trials=60, seeds=12, aim=aim)
    best = _best(found, aim)
    assert best["x"] == 9
    reasons = {each.ended for each in found.trials if fakes.number(each.parameters["x"]) <= 5}
    assert "misses wait<11.5s" in reasons
    assert all(
        each.is_feasible == (fakes.number(each.parameters["x"]) > 8) for each in found.trials
    )


def test_a_setting_that_fails_is_counted_and_has_no_value() -> None:
    found = fakes.search(NoisyWork(), sampler="grid", x="12,13", y="1")
    failed = found.trials[1]
    assert (failed.values, failed.ended, failed.is_feasible) == (None, "no luck", False)
    assert failed.seeds == 3


def test_a_setting_is_computed_once() -> None:
    work = NoisyWork()
    found = fakes.search(work, trials=40, x="5,6,7", y="3,4")
    assert len(work.calls) == len({work.key(each) for each in work.calls})
    assert any(each.is_repeated for each in found.trials)
    assert len({str(each.parameters) for each in found.trials}) <= 6


def test_two_objectives_have_a_front() -> None:
    aim = fakes.aims(minimise=("cost", "wait"))
    found = fakes.search(NoisyWork(own=0.05), trials=80, sampler="nsga2", aim=aim)
    front = standings.best(found.standings(), aim)
    assert len(front) > 2
    points = sorted(each.means() or [] for each in front)
    waits = [wait for _, wait in points]
    assert waits == sorted(waits, reverse=True)


def test_ranges_are_places_and_words_are_not() -> None:
    kinds = {
        each.axis.path: (each.kind, each.count)
        for each in spaces.space(
            fakes.axes(
                a="1..9/2", b="8,4,2", c="x,y", d="100m..500m/100m", e="uniform(3,7)",
                f="uniform(0.5,2.5)", g="normal(10,2)", h="choice(p,q,r)", i="true,false", j="5",
                k="1,3,2",
            )
        ).dimensions
    }  # fmt: skip
    assert kinds == {
        "a": ("place", 5), "b": ("place", 3), "c": ("word", 2), "d": ("place", 5),
        "e": ("place", 5), "f": ("share", None), "g": ("share", None), "h": ("word", 3),
        "i": ("word", 2), "j": ("place", 1), "k": ("word", 3),
    }  # fmt: skip


def test_values_are_those_of_the_axes() -> None:
    found = spaces.space(
        fakes.axes(a="1..9/2", e="uniform(3,7)", f="uniform(0.5,2.5)", h="choice(p,q)", j="5")
    )
    assert found.parameters({"a": 1, "e": 3, "f": 0.0, "h": 1}) == {
        "a": 3, "e": 3, "f": 0.5, "h": "q", "j": 5,
    }  # fmt: skip
    assert [found.dimensions[1].value(each) for each in (3, 4, 5, 6, 7)] == [3, 4, 5, 6, 7]
    assert found.size is None
    assert found.dimensions[2].value(0.123456789) == 0.7469


def test_what_a_sampler_cannot_do_is_refused() -> None:
    words = spaces.space(fakes.axes(c="x,y"))
    drawn = spaces.space(fakes.axes(g="normal(10,2)"))
    with pytest.raises(InputError, match="numbers only, unlike c"):
        sampling.sampler("cmaes", words, fakes.aims(), 10, 0)
    with pytest.raises(InputError, match="one objective and no limits"):
        sampling.sampler("cmaes", drawn, fakes.aims(limits=("wait<1",)), 10, 0)
    with pytest.raises(InputError, match="a grid has no distributions"):
        sampling.sampler("grid", drawn, fakes.aims(), 10, 0).propose(1)


def test_without_the_library_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    with pytest.raises(InputError, match=r"pip install 'kubestage\[optimise\]'"):
        sampling.sampler("tpe", spaces.space(fakes.axes(x="1..3")), fakes.aims(), 10, 0)
    grid = sampling.sampler("grid", spaces.space(fakes.axes(x="1..3")), fakes.aims(), 10, 0)
    assert [each.parameters for each in grid.propose(9)] == [{"x": 1}, {"x": 2}, {"x": 3}]
