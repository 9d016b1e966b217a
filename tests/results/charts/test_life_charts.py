"""Every chart of a living run shows what was recorded, and is left out where nothing was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.results import charts
from kubestage.results.charts.life import autoscalers, drawing, nodes, replicas, requests, times
from kubestage.results.life.tables import LifeRows
from tests.results.life.lives import WEB, make_life

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json


NAMES = [
    "replicas-deployment-default-web",
    "requests-default-web",
    "response-times-default-web",
    "utilization-default-web",
    "hpa-default-web-cpu-utilization",
    "vpa-default-web-web-cpu",
    "vpa-default-web-web-memory",
    "nodes",
    "capacity",
]


def _values(chart: Any) -> list[Json]:
    spec = chart.to_dict()
    layers = [spec, *spec["layer"]]
    layers += [deeper for each in spec["layer"] for deeper in each.get("layer", ())]
    found = [each["data"]["values"] for each in layers if "values" in each.get("data", {})]
    return [row for values in (*found, *spec.get("datasets", {}).values()) for row in values]


def _series(chart: Any, name: str) -> list[tuple[float, float]]:
    return [(row["time"], row["value"]) for row in _values(chart) if row.get("series") == name]


def _subtitle(chart: Any) -> str:
    return str(chart.to_dict()["title"]["subtitle"])


def test_all_charts_can_be_drawn(tmp_path: pathlib.Path) -> None:
    drawn = drawing.of_life(make_life())
    assert list(drawn) == NAMES
    for name, chart in drawn.items():
        charts.save(chart, tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")


def test_a_run_of_which_nothing_was_recorded_has_no_charts() -> None:
    life = msgspec.structs.replace(make_life(), tables=LifeRows().tables())
    assert drawing.of_life(life) == {}


def test_replicas_are_step_lines_with_the_rate_of_requests_dashed_at_the_right() -> None:
    chart = replicas.replicas(make_life(), WEB)
    assert chart is not None
    counts, rate = chart.to_dict()["layer"]
    assert {each["mark"]["interpolate"] for each in counts["layer"]} == {"step-after"}
    assert "strokeDash" in rate["mark"]
    assert rate["encoding"]["y"]["axis"]["orient"] == "right"
    assert chart.to_dict()["resolve"] == {"scale": {"y": "independent"}}
    assert (5.0, 4) in _series(chart, "desired")
    assert max(value for _, value in _series(chart, "launching")) == 2
    assert len(_series(chart, requests.RPS)) <= times.MOST
    assert max(value for _, value in _series(chart, requests.RPS)) == pytest.approx(80, abs=1)


def test_requests_are_told_by_stock_and_failures_add_up() -> None:
    chart = requests.requests(make_life(), "default/web")
    assert chart is not None
    assert _series(chart, "failed so far")[-1] == (29.8, 105)
    assert "105 of them failed (0.1%)" in _subtitle(chart)
    calm = requests.requests(make_life(failures=False), "default/web")
    assert calm is not None
    assert _subtitle(calm).endswith("none failed")


def test_response_times_have_bands_and_single_requests() -> None:
    chart = requests.response_times(make_life(), "default/web")
    assert chart is not None
    marks = [each["mark"]["type"] for each in chart.to_dict()["layer"]]
    assert marks == ["circle", "area", "area", "line"]
    assert max(value for _, value in _series(chart, "p99")) == 1830
    assert min(value for _, value in _series(chart, "p50")) == 220


def test_utilization_has_the_target_of_the_hpa() -> None:
    chart = requests.utilization(make_life(), "default/web")
    assert chart is not None
    assert {value for _, value in _series(chart, "HPA target")} == {0.5}
    assert requests.utilization(make_life(), "default/other") is None


def test_an_hpa_is_marked_where_it_rescaled() -> None:
    chart = autoscalers.metric(make_life(), "default/web", "cpu utilization")
    assert chart is not None
    marks = [row for row in _values(chart) if "way" in row]
    assert [(row["time"], row["replicas"]) for row in marks] == [
        (5.0, "2 to 4"),
        (10.25, "4 to 6"),
        (25.0, "6 to 3"),
    ]
    assert _subtitle(chart) == "Rescaled 3 times: 2 up, 1 down"


def test_the_mark_of_a_rescale_is_at_what_the_hpa_went_by() -> None:
    life = make_life()
    table, [seen, *_] = life.tables["metrics"], life.rows("metrics")
    later = [
        tuple({**seen, "atSeconds": at, "current": current}[name] for name in table.names)
        for at, current in ((0.0, 10.0), (300.0, 20.0), (300.0, 90.0), (303.0, 30.0))
    ]
    changed = {**life.tables, "metrics": msgspec.structs.replace(table, rows=later)}
    chart = autoscalers.metric(
        msgspec.structs.replace(life, tables=changed), "default/web", "cpu utilization"
    )
    assert chart is not None
    mark = next(row for row in _values(chart) if "way" in row)
    assert (mark["time"], mark["value"]) == (5.0, 0.9)


def test_an_upper_bound_far_above_all_else_is_cut_and_that_is_said() -> None:
    life = make_life()
    chart = autoscalers.recommendation(life, "default/web", "web", "cpu")
    assert chart is not None
    line = chart.to_dict()["layer"][1]
    assert line["encoding"]["y"]["scale"]["domain"][1] < 2
    assert _subtitle(chart).endswith("goes beyond the chart")


def test_nodes_are_stacked_with_those_on_their_way_on_top() -> None:
    chart = nodes.nodes(make_life())
    assert chart is not None
    there = [row for row in _values(chart) if row["time"] == 11.0]
    assert [(row["series"], row["low"], row["high"]) for row in there] == [
        ("no group", 0, 2),
        ("small", 2, 3),
        ("on their way", 3, 4),
    ]


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [(60, "seconds"), (299, "seconds"), (300, "minutes"), (18_000, "hours"), (432_000, "days")],
)
def test_time_is_counted_in_a_unit_that_suits_the_run(seconds: int, unit: str) -> None:
    assert times.Times(seconds).unit[0] == unit


def test_a_step_line_keeps_only_the_changes_and_the_end() -> None:
    rows = [{"time": at, "value": at // 4} for at in range(10)]
    assert [row["time"] for row in times.changes(rows, ("value",))] == [0, 4, 8, 9]
