"""Backtests side by side: a line for each, the load behind them, each metric by its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.backtesting import hpa, vpa
from kubestage.results.charts import backtest
from tests.backtesting.manifests import make_hpa, make_vpa, totals, unknown_workload

if TYPE_CHECKING:
    from kubestage.aliases import Json

ROWS = [(minute * 60.0, 1.0 + 3.0 * (minute > 5)) for minute in range(16)]


def _drawn() -> Json:
    series = totals(*ROWS)
    outcomes = [
        hpa.run("one", make_hpa(), series, unknown_workload()),
        hpa.run("two", make_hpa(80), series, unknown_workload()),
        vpa.run("tall", make_vpa(), series, unknown_workload()),
    ]
    drawn: Json = backtest.side_by_side(msgspec.to_builtins(outcomes)).to_dict()
    return drawn


def _values(spec: Json, part: Json) -> list[Json]:
    layers = part["layer"]
    return [
        row
        for layer in layers
        for row in spec["datasets"].get(layer["data"].get("name"), layer["data"].get("values", []))
    ]


def test_every_autoscaler_has_its_part() -> None:
    titles = [part["title"]["text"] for part in _drawn()["vconcat"]]
    assert titles[:3] == ["Replicas", "one: cpu utilization", "two: cpu utilization"]
    assert titles[3].startswith("tall: cpu of app")


def test_replicas_of_all_stand_before_the_load() -> None:
    spec = _drawn()
    rows = _values(spec, spec["vconcat"][0])
    most = {
        name: max(row["value"] for row in rows if row["series"] == name)
        for name in ("one", "two", "load")
    }
    assert most == {"one": 8, "two": 5, "load": 4}


def test_the_title_counts_what_was_decided() -> None:
    assert _drawn()["title"]["subtitle"].startswith("one, two, tall: ")
