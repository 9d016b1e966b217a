"""Charts of a living run mark the moments at which something happened, and show outages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.charts.life import drawing, markers, nodes, outages
from kubestage.results.life.tables import LifeRows
from tests.results.charts.test_life_charts import NAMES, _subtitle, _values
from tests.results.life.lives import WEB, make_life

if TYPE_CHECKING:
    from kubestage.results.life.life import Life


def _troubled() -> Life:
    """A life with two nodes that failed, and marks of many sorts."""
    rows = LifeRows()
    rows.add("marks", 100.0, "failure", "node/a", "NotReady")
    rows.add("marks", 101.0, "failure", "node/b", "NotReady")
    rows.add("marks", 200.0, "rollout", WEB, "rollout of its pod template")
    rows.add("marks", 300.0, "rollout", "deployment/default/other", "rollout of its pod template")
    for at in range(400, 1800, 10):
        rows.add("marks", float(at), "rescale", WEB, "from 2 to 3 replicas")
    life = make_life(rows=rows)
    workload = {"everReady": True, "lostSeconds": 30.0}
    health = {
        "workloads": [
            {**workload, "workload": WEB, "windows": [[100.0, 130.0]]},
            {**workload, "workload": "deployment/default/calm", "windows": [], "lostSeconds": 0.0},
        ],
        "nodesNotReady": [{"node": "a", "seconds": 900.0, "windows": [[100.0, 1000.0]]}],
    }
    return msgspec.structs.replace(life, summary={**life.summary, "health": health})


def test_every_chart_marks_the_same_moments() -> None:
    drawn = drawing.of_life(_troubled())
    assert list(drawn) == ["outages", *NAMES]
    for name, chart in drawn.items():
        rows = [row for row in _values(chart) if "mark" in row]
        assert (rows[0]["mark"], rows[0]["atSeconds"]) == ("failure", 100.0), name
        assert rows[0]["text"] == "node/a: NotReady; node/b: NotReady"
        others = [row for row in rows if "other" in row["text"]]
        assert bool(others) == (not name.startswith("replicas")), name


def test_the_most_severe_marks_are_drawn() -> None:
    shown = markers.drawn_marks(_troubled())
    assert len(shown) == markers.MOST
    assert [row["mark"] for row in shown[:4]] == ["failure", "rollout", "rollout", "rescale"]


def test_outages_have_a_bar_for_each_window_and_say_who_has_none() -> None:
    chart = outages.outages(_troubled())
    assert chart is not None
    bars = [row for row in _values(chart) if "end" in row]
    assert {(row["subject"], row["series"]) for row in bars} == {
        ("node/a", "NotReady"),
        (WEB, "below desired"),
    }
    assert _subtitle(chart) == (
        "1 of 2 workloads below desired at some time; the other had all replicas, once started"
    )
    assert outages.outages(make_life()) is None


def test_nodes_that_are_not_ready_are_an_area_of_their_own() -> None:
    rows = LifeRows()
    for at in range(0, 101, 10):
        rows.add("nodes", float(at), "", 2 if 30 <= at < 60 else 3, 0, 3)
        rows.add("cluster", float(at), 0, 0, 0, 0, 3, 3, 0, 9000)
    life = msgspec.structs.replace(make_life(), tables=rows.tables(), seconds=100)
    chart = nodes.nodes(life)
    assert chart is not None
    failed = [row["value"] for row in _values(chart) if row["series"] == "NotReady"]
    assert failed == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0]


def test_many_nodes_that_fail_together_have_one_bar() -> None:
    life = _troubled()
    failed = [
        {"node": f"n{each}", "seconds": 900.0, "windows": [[100.0, 1000.0]]} for each in range(9)
    ]
    health = {**life.summary["health"], "nodesNotReady": failed}
    summary = {**life.summary, "health": health}
    chart = outages.outages(msgspec.structs.replace(life, summary=summary))
    assert chart is not None
    assert "node/n0 and 8 more" in {row["subject"] for row in _values(chart) if "end" in row}
