"""Effects of axes, interactions, fronts and heat maps, where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from kubestage.sweep.rows import MeasureInfo, Row, Scalar, Table
from kubestage.sweep.statistics import axis_levels, effects, heat, pareto
from tests.sweep import tables


def _number(value: Scalar) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _additive(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
    noise = float(np.random.default_rng(seed).normal(0, 0.5))
    x, y = _number(parameters["x"]), _number(parameters["y"])
    return {"cost": 10 * x + 1 * y + noise}


def _crossed(parameters: dict[str, Scalar], seed: int) -> tables.Measures:
    x, y = _number(parameters["x"]), _number(parameters["y"])
    return {"cost": x * y + seed}


AXES = {"y": [0, 1, 2], "x": [-1, 0, 1]}


def test_the_strongest_axis_is_first_and_has_its_share() -> None:
    first, second = effects.main_effects(tables.table(AXES, range(6), _additive), "cost")
    assert (first.axis, second.axis) == ("x", "y")
    assert first.share == pytest.approx(100 / 101)
    assert second.share == pytest.approx(1 / 101)
    assert [each.level.label for each in first.levels] == ["-1", "0", "1"]
    assert first.span.mean == pytest.approx(20)
    # The same noise in all settings of a seed cancels out in a span, not in a level.
    assert first.span.half_width == 0
    assert first.levels[0].estimate.half_width is not None
    assert first.levels[0].estimate.half_width > 0.1
    assert first.levels[0].settings == 3


def test_additive_axes_have_no_interaction() -> None:
    (found,) = effects.interactions(tables.table(AXES, range(3), _additive), "cost")
    assert found.axes == ("y", "x")
    assert found.share == pytest.approx(0, abs=1e-12)


def test_an_interaction_is_found_where_it_is() -> None:
    (found,) = effects.interactions(
        tables.table({"x": [-1, 1], "y": [-1, 1]}, range(3), _crossed), "cost"
    )
    assert found.share == pytest.approx(1)
    assert found.beyond.mean is not None
    assert abs(found.beyond.mean) == pytest.approx(1)


def test_a_measure_that_does_not_vary_has_no_shares() -> None:
    found = tables.table(AXES, range(2), lambda *_: {"cost": 3.5})
    assert [each.share for each in effects.main_effects(found, "cost")] == [None, None]
    assert effects.interactions(found, "cost")[0].share is None


def test_axes_that_were_not_crossed_evenly_have_no_interaction() -> None:
    def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures | str:
        bad = parameters == {"x": -1, "y": -1}
        return "failed" if bad else _crossed(parameters, seed)

    found = tables.table({"x": [-1, 1], "y": [-1, 1]}, range(3), run)
    assert effects.interactions(found, "cost") == []
    assert len(effects.main_effects(found, "cost")) == 2


def test_many_values_of_an_axis_are_grouped() -> None:
    rng = np.random.default_rng(5)
    values = [float(each) for each in rng.uniform(0, 1, 60)]
    found = tables.table({"x": values}, range(2), lambda p, _: {"cost": _number(p["x"])})
    there = axis_levels.levels(found.settings(), "x")
    assert [len(each.settings) for each in there] == [10] * 6
    middles = [_number(each.value) for each in there]
    assert middles == sorted(middles)
    assert there[0].label.startswith(f"{min(values):.4g} to ")


def test_words_keep_the_order_of_the_design() -> None:
    found = tables.table({"config": ["z", "a"]}, [1], lambda *_: {"cost": 1})
    assert [each.label for each in axis_levels.levels(found.settings(), "config")] == ["z", "a"]


def test_a_heat_map_averages_the_other_axes() -> None:
    axes: dict[str, list[Scalar]] = {"x": [0, 1], "y": [0, 1], "other": [0, 10]}

    def run(parameters: dict[str, Scalar], _: int) -> tables.Measures:
        return {"cost": sum(_number(each) for each in parameters.values())}

    found = heat.heat_map(tables.table(axes, range(2), run), "cost", ("x", "y"))
    assert {(each.first, each.second): each.estimate.mean for each in found.cells} == {
        ("0", "0"): 5, ("0", "1"): 6, ("1", "0"): 6, ("1", "1"): 7,
    }  # fmt: skip
    assert found.cells[0].settings == 2


def _points(points: list[tuple[float, float]], noise: float, seeds: int) -> Table:
    rows: list[Row] = []
    for at, (cost, wait) in enumerate(points):
        for seed in range(seeds):
            draws = np.random.default_rng((at, seed)).normal(0, noise, 2)
            measures: tables.Measures = {"cost": cost + draws[0], "wait": wait + draws[1]}
            rows.append(Row(len(rows), "", {"at": at}, seed, measures))
    known = {"cost": tables.COST, "wait": MeasureInfo("wait", "less", "s")}
    return Table(("at",), tuple(rows), known)


def test_the_front_is_what_no_setting_beats() -> None:
    found = _points([(1, 9), (5, 5), (9, 1), (6, 6), (1, 20), (9, 9)], 0.01, 6)
    points = pareto.front(found, {"cost": "less", "wait": "less"})
    assert [each.status for each in points[:4]] == ["front", "front", "front", "dominated"]
    assert points[3].dominated_by == 1
    assert points[4].status in ("unclear", "dominated", "front")
    assert points[5].status == "dominated"


def test_noise_leaves_open_what_is_dominated() -> None:
    points = pareto.front(_points([(5, 5), (5.2, 5.2)], 1.0, 4), {"cost": "less", "wait": "less"})
    assert sorted(each.status for each in points) in (["front", "front"], ["front", "unclear"])


def test_more_may_be_better() -> None:
    points = pareto.front(_points([(1, 1), (2, 2)], 0.001, 6), {"cost": "more", "wait": "more"})
    assert [each.status for each in points] == ["dominated", "front"]


def test_settings_without_values_are_not_on_the_front() -> None:
    found = tables.table({"x": [1, 2]}, range(3), lambda p, _: "no" if p["x"] == 1 else {"cost": 1})
    assert [each.setting for each in pareto.front(found, {"cost": "less"})] == [1]
    assert pareto.front(found, {"pending": "less"}) == []
