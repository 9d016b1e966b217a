"""Living runs side by side: the same scales on both sides, and a line for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.results import charts
from kubestage.results.analysis.table import Table
from kubestage.results.life.tables import TABLES
from tests.results.charts.test_lifetimes import life

if TYPE_CHECKING:
    from kubestage.results.life.life import Life

NAMES = ("now", "new")


def drawn(*lives: Life, names: tuple[str, ...] = NAMES) -> dict[str, dict[str, Any]]:
    found = charts.compared_lives(names, lives)
    return {name: chart.to_dict() for name, chart in found.items()}


def with_pods(each: Life, *, waiting: int, evicted: int) -> Life:
    """A run at whose middle so many pods wait, and so many were evicted."""
    samples = [(0.0, 0, 0), (1800.0, waiting, evicted), (3600.0, 0, evicted)]
    rows = [(at, number, 0, 0, 0, 1, 1, 0, 0, gone) for at, number, gone in samples]
    columns = TABLES["cluster"].columns
    return msgspec.structs.replace(each, tables={**each.tables, "cluster": Table(columns, rows)})


def values(spec: dict[str, Any], series: str) -> list[int]:
    sets = spec["datasets"].values() if "datasets" in spec else ()
    inline = [layer["data"].get("values", []) for layer in spec.get("layer", ())]
    rows = [row for found in (*sets, *inline) for row in found]
    return [row["value"] for row in rows if row["series"] == series]


def test_panels_of_nodes_share_colours_and_axes() -> None:
    few = life(("small", 0, None, 0.1))
    many = life(("large", 0, None, 0.4), ("large", 60, None, 0.4), ("large", 60, 120, 0.4))
    spec = drawn(few, many)["lifetimes"]
    one, other = spec["vconcat"]
    assert [each["title"]["text"] for each in (one, other)] == list(NAMES)
    for axis in ("x", "y", "color"):
        assert one["encoding"][axis]["scale"] == other["encoding"][axis]["scale"]
    assert one["encoding"]["color"]["scale"]["domain"] == ["small $0.10", "large $0.40"]
    assert one["encoding"]["y"]["axis"]["values"] == [0, 1, 2, 3]


def test_pods_that_wait_and_evictions_are_a_line_for_each_run() -> None:
    found = drawn(with_pods(life(), waiting=4, evicted=2), with_pods(life(), waiting=1, evicted=0))
    assert sorted(found) == ["evictions", "pending"]
    assert values(found["pending"], "now") == [0, 4, 0]
    assert values(found["pending"], "new") == [0, 1, 0]
    assert values(found["evictions"], "now") == [0, 2, 2]
    assert values(found["evictions"], "new") == [0, 0]


def test_of_many_runs_the_first_are_drawn_and_that_is_said() -> None:
    lives = [with_pods(life(), waiting=at, evicted=0) for at in range(9)]
    found = drawn(*lives, names=tuple(f"run-{at}" for at in range(9)))
    assert found["pending"]["title"]["subtitle"] == "3 more runs not drawn"
    assert values(found["pending"], "run-5") == [0, 5, 0]
    assert values(found["pending"], "run-6") == []


def test_runs_that_an_earlier_version_kept_have_no_evictions() -> None:
    each = with_pods(life(), waiting=1, evicted=0)
    table = each.tables["cluster"]
    older = Table(table.columns[:-1], [row[:-1] for row in table.rows])
    before = msgspec.structs.replace(each, tables={"cluster": older})
    assert sorted(drawn(before, each)) == ["pending"]
