"""No line is drawn across a time of which nothing is known: it ends, and begins anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.results import charts
from kubestage.results.charts import backtest
from kubestage.results.charts.life import autoscalers, lines, replicas, requests, times
from tests.results.analysis.stories import Story
from tests.results.life.lives import WEB, make_life

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life


FROM, TO = 600, 900


def _without(table: str, is_gap: Callable[[Json], bool] | None = None) -> Life:
    """The run, with no rows in a table from 10 to 15 minutes."""
    life = make_life()
    found = life.tables[table]
    gone = is_gap or (lambda row: FROM <= row["atSeconds"] < TO)
    rows = [tuple(row[name] for name in found.names) for row in found.records() if not gone(row)]
    tables = {**life.tables, table: msgspec.structs.replace(found, rows=rows)}
    return msgspec.structs.replace(life, tables=tables)


def _with_nothing_in(table: str, field: str) -> Life:
    """The run, with rows that do not say what a field was from 10 to 15 minutes."""
    life = make_life()
    found = life.tables[table]
    rows = [
        tuple(
            None if name == field and FROM <= row["atSeconds"] < TO else row[name]
            for name in found.names
        )
        for row in found.records()
    ]
    tables = {**life.tables, table: msgspec.structs.replace(found, rows=rows)}
    return msgspec.structs.replace(life, tables=tables)


def _values(chart: Any) -> list[Json]:
    spec = chart.to_dict()
    layers = [spec, *spec["layer"]]
    layers += [deeper for each in spec["layer"] for deeper in each.get("layer", ())]
    found = [each["data"]["values"] for each in layers if "values" in each.get("data", {})]
    return [row for values in (*found, *spec.get("datasets", {}).values()) for row in values]


def _breaks(chart: Any, series: str) -> list[float]:
    """The minutes at which a line ends that goes on later."""
    rows = [row for row in _values(chart) if row.get("series") == series]
    return [row["time"] for row in rows if row["value"] is None]


def _points(chart: Any, series: str) -> list[float]:
    rows = [row for row in _values(chart) if row.get("series") == series]
    return [row["time"] for row in rows if row["value"] is not None]


def test_no_line_of_a_whole_run_is_broken() -> None:
    for chart in charts.of_life(make_life()).values():
        values = [row for row in _values(chart) if "series" in row]
        assert all(row["value"] is not None for row in values)


def test_cpu_ends_where_no_replica_is_active() -> None:
    chart = requests.utilization(_without("utilization"), "default/web")
    (at,) = _breaks(chart, "CPU used")
    assert 9.5 <= at <= 10
    assert not [time for time in _points(chart, "CPU used") if 10 <= time < 15]


def test_response_times_end_where_nothing_was_completed() -> None:
    chart = requests.response_times(_without("percentiles"), "default/web")
    for percentile in ("p50", "p95", "p99"):
        assert _breaks(chart, percentile) == [10.0]
    bands = [row for row in _values(chart) if "p50" in row]
    assert [row["time"] for row in bands if row["p50"] is None and row["p95"] is None] == [10.0]


def test_the_rate_of_requests_ends_where_there_is_no_traffic() -> None:
    life = _without("requests")
    (at,) = _breaks(requests.requests(life, "default/web"), requests.RPS)
    assert 9.5 <= at <= 10
    assert _breaks(replicas.replicas(life, WEB), requests.RPS) == [at]


def test_a_metric_that_is_not_known_ends_its_line_and_held_until_then() -> None:
    for life in (_with_nothing_in("metrics", "current"), _without("metrics")):
        chart = autoscalers.metric(life, "default/web", "cpu utilization")
        assert _breaks(chart, "measured") == [10.0]
        assert [time for time in _points(chart, "measured") if 10 <= time <= 15] == [10.0, 15.0]


def test_a_target_that_is_not_there_ends_its_line() -> None:
    assert _breaks(requests.utilization(_without("metrics"), "default/web"), "HPA target") == [10.0]


def test_replicas_end_where_the_workload_is_not_there() -> None:
    chart = replicas.replicas(_without("replicas"), WEB)
    for series in ("desired", "launching", "active"):
        assert _breaks(chart, series) == [10.0]


def test_recommendations_and_their_shade_end_where_there_is_none() -> None:
    chart = autoscalers.recommendation(_without("recommendations"), "default/web", "web", "cpu")
    assert _breaks(chart, "target") == [10.0]
    assert _breaks(chart, "request") == [10.0]
    shade = [row for row in _values(chart) if "lower" in row]
    assert [row["time"] for row in shade if row["lower"] is None and row["upper"] is None] == [10.0]


def test_a_backtest_has_gaps_where_nothing_was_measured() -> None:
    looks = [
        {
            "seconds": at * 60.0,
            "desired": 2,
            "load": None if 3 <= at < 6 else 1.0,
            "metrics": []
            if 3 <= at < 6
            else [{"metric": "cpu", "unit": "%", "current": 50.0, "target": 60.0}],
        }
        for at in range(10)
    ]
    outcome = {
        "kind": "HorizontalPodAutoscaler",
        "name": "web",
        "decisions": [],
        "looks": looks,
    }
    spec = backtest.side_by_side([outcome]).to_dict()
    rows = [row for values in spec["datasets"].values() for row in values if "series" in row]
    assert {row["series"] for row in rows if row["value"] is None} == {"load", "measured", "target"}
    assert {row["time"] for row in rows if row["value"] is None} == {3.0}


def test_shares_over_steps_have_gaps_where_there_are_no_nodes() -> None:
    story = Story().step(1).node("only", cpu="4").step(2).delete("Node", "only")
    story.step(3).node("again", cpu="4")
    for name in ("allocation", "balance"):
        spec = charts.all(story.status())[name].to_dict()
        rows = [row for values in spec["datasets"].values() for row in values]
        field = "rate" if name == "allocation" else "mean"
        unknown = {row["step"] for row in rows if row[field] is None and row["resource"] == "cpu"}
        assert unknown == {2}


def test_a_value_between_two_gaps_is_a_point() -> None:
    rows = [{"time": at, "value": at if at == 2 else None} for at in range(5)]
    told = lines.melted(rows, {"value": "lonely"})
    assert [row["value"] for row in told] == [2, None]
    mark = lines.drawn(told, times.Times(5.0), lines.value_axis("", 1), {"lonely": "red"}).to_dict()
    assert mark["mark"]["strokeCap"] == "round"
