"""Nodes as slices of time: lanes without overlaps, colours by type and price."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from kubestage.results import charts
from kubestage.results.charts.life import drawing, lifetimes
from kubestage.results.life.life import Life
from kubestage.results.life.tables import LifeRows
from tests.results.life.lives import SUMMARY

if TYPE_CHECKING:
    import pathlib

SECONDS = 3600.0


def life(*nodes: tuple[str, float, float | None, float]) -> Life:
    rows = LifeRows()
    for at, (kind, begin, end, price) in enumerate(nodes):
        rows.add(
            "lifetimes", f"n{at}", "pool", kind, "spot", "a", price, begin, end, "for 1 pod", "",
            begin, end, None,
        )  # fmt: skip
    return Life("0.1", 0, "2026-01-01T00:00:00Z", SECONDS, 1.0, SUMMARY, rows.tables())


def test_a_run_without_news_of_nodes_has_no_such_chart() -> None:
    assert lifetimes.lifetimes(life()) is None


def test_it_is_among_the_charts_of_a_run(tmp_path: pathlib.Path) -> None:
    drawn = drawing.of_life(life(("small", 0, 60, 0.1), ("large", 30, None, 0.4)))
    assert "lifetimes" in drawn
    charts.save(drawn["lifetimes"], tmp_path / "lifetimes.svg")
    text = (tmp_path / "lifetimes.svg").read_text()
    assert "small $0.10" in text
    assert "2 nodes, 2 at a time at most; 1 removed, after 1m0s in the median" in text


def test_the_cheapest_kind_is_first_in_the_legend() -> None:
    chart = lifetimes.lifetimes(life(("b", 0, 60, 0.4), ("a", 0, 60, 0.5), ("c", 0, 60, 0.1)))
    assert chart is not None
    scale = chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["c $0.10", "b $0.40", "a $0.50"]


def test_of_many_kinds_the_colour_is_the_price() -> None:
    chart = lifetimes.lifetimes(life(*((f"t{at}", 0.0, 60.0, at / 10) for at in range(12))))
    assert chart is not None
    assert chart.to_dict()["layer"][0]["encoding"]["color"]["field"] == "price"


def test_a_node_that_stays_reaches_the_end() -> None:
    chart = lifetimes.lifetimes(life(("small", 60, None, 0.1)))
    assert chart is not None
    (rows,) = chart.to_dict()["datasets"].values()
    (row,) = rows
    assert (row["time"], row["end"]) == (1.0, 60.0)


times = st.tuples(st.integers(0, 3000), st.integers(1, 600))


@given(st.lists(times, min_size=1, max_size=30))
def test_slices_of_one_lane_never_overlap_and_no_lane_is_wasted(
    found: list[tuple[int, int]],
) -> None:
    spans = sorted((float(begin), float(begin + length)) for begin, length in found)
    lanes: dict[int, list[tuple[float, float]]] = {}
    for span, lane in zip(spans, lifetimes.lanes(spans), strict=True):
        lanes.setdefault(lane, []).append(span)
    for each in lanes.values():
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(each))
    busiest = max(sum(begin <= at < end for begin, end in spans) for at, _ in spans)
    assert sorted(lanes) == list(range(busiest))
