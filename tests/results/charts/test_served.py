"""The charts of a served cluster: each is drawn as in a notebook, and an empty one says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import msgspec
import pytest
from altair.utils import schemapi

from kubestage.results.charts import served, specification, style
from kubestage.results.charts.load import verdicts
from kubestage.results.life import served_life
from kubestage.results.load.reading import VerdictRow
from tests.results.life.lives import make_life

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life


def full_life() -> Life:
    life = make_life()
    health: Json = {"workloads": [], "nodesNotReady": []}
    usage = [(15.0 * at, 1 + at % 5) for at in range(100)]
    summary = {**life.summary, "health": life.summary.get("health") or health}
    return served_life.with_usage(msgspec.structs.replace(life, summary=summary), usage)


def resolved(spec: Json) -> Any:
    """A specification with its data in their places, whatever their names are."""
    datasets = spec.get("datasets", {})

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(each) for each in value]
        if not isinstance(value, dict):
            return value
        named = value.get("data")
        found = {key: walk(each) for key, each in value.items() if key != "datasets"}
        if isinstance(named, dict) and named.get("name") in datasets:
            found["data"] = datasets[named["name"]]
        return found

    return walk(spec)


def test_every_chart_is_the_definition_that_a_notebook_draws() -> None:
    life = full_life()
    found = [each for each in served.of_life(life) if not each.is_empty]
    assert len(found) >= 10
    for entry in found:
        spec = served.specification(entry, life)
        chart = entry.draw()
        assert spec is not None
        assert chart is not None
        mine = {key: value for key, value in resolved(spec).items() if key != "usermeta"}
        theirs = resolved(specification.of(chart))
        theirs.pop("usermeta", None)
        assert mine == theirs, entry.name


@pytest.mark.parametrize("name", ["pods", "responses-default-web", "decisions"])
def test_a_chart_is_as_the_schema_of_vega_lite_says(name: str) -> None:
    entry = served.find(served.of_life(full_life()), name)
    assert entry is not None
    with style.rows_apart():
        chart = entry.draw()
        assert chart is not None
        assert chart.to_dict(validate=True)


def test_names_are_unique_and_groups_known() -> None:
    found = served.of_life(full_life())
    assert len({each.name for each in found}) == len(found)
    assert {each.group for each in found} <= set(served.GROUPS)


def test_a_chart_knows_where_its_time_begins() -> None:
    life = full_life()
    entry = served.find(served.of_life(life), "capacity")
    assert entry is not None
    spec = served.specification(entry, life)
    assert spec is not None
    assert spec["usermeta"]["kubestage"] == {
        "name": "capacity",
        "group": "Capacity",
        "start": life.start,
        "seconds": life.seconds,
        "unitSeconds": 60.0,
    }


def test_parts_of_charts_are_checked_but_in_such_a_block() -> None:
    wrong: Any = "large"
    with specification.unchecked():
        alt.Title("a", fontSize=wrong)
    with pytest.raises(schemapi.SchemaValidationError):
        alt.Title("a", fontSize=wrong)


def test_what_pods_use_is_beside_what_they_request() -> None:
    entry = served.find(served.of_life(full_life()), "capacity")
    assert entry is not None
    spec = specification.drawn(entry.draw)
    assert spec is not None
    names = {row.get("series") for rows in spec["datasets"].values() for row in rows}
    assert {"offered", "requested", "used"} <= names


def test_an_empty_chart_says_what_it_needs() -> None:
    life = full_life()
    empty = msgspec.structs.replace(life, tables={})
    whys = {each.name: each.why for each in served.of_life(empty)}
    assert "create a Traffic" in whys["response-times"]
    assert "HorizontalPodAutoscaler" in whys["hpa"]
    assert "--prices" in whys["cost"]
    assert "create a Deployment" in whys["replicas"]
    assert "--timings" in served.of_timings(None).why
    assert all(whys.values())


def test_decisions_have_their_reasons() -> None:
    entry = served.find(served.of_life(full_life()), "decisions")
    assert entry is not None
    spec = specification.drawn(entry.draw)
    assert spec is not None
    rows = [row for each in spec["datasets"].values() for row in each]
    first = next(row for row in rows if row["change"] == "2 to 4")
    assert first["reason"] == "cpu resource utilization (percentage of request) above target"
    assert first["by"] == "HPA default/web"
    assert first["way"] == "more"


@pytest.mark.parametrize("name", ["a\x00b", "</script>"])
def test_control_characters_do_not_reach_the_page(name: str) -> None:
    life = full_life()
    table = life.tables["decisions"]
    rows = [(*row[:6], name) for row in table.rows]
    tables = {**life.tables, "decisions": msgspec.structs.replace(table, rows=rows)}
    entry = served.find(served.of_life(msgspec.structs.replace(life, tables=tables)), "decisions")
    assert entry is not None
    spec = specification.drawn(entry.draw)
    assert "\x00" not in str(spec)


def verdict(name: str, value: float, threshold: float, *, passed: bool) -> VerdictRow:
    return VerdictRow(1, "PodStartup", "pods", name, value, threshold, "s", 30, passed, True, False)


def test_verdicts_are_shares_of_their_thresholds() -> None:
    rows = [verdict("p50", 1.0, 5.0, passed=True), verdict("p99", 6.0, 5.0, passed=False)]
    chart = verdicts.verdicts(rows)
    assert chart is not None
    spec = specification.of(chart)
    bars = [row for each in spec["datasets"].values() for row in each if "verdict" in row]
    assert [(row["verdict"], row["share"]) for row in bars] == [("missed", 1.2), ("met", 0.2)]
    assert verdicts.verdicts([]) is None
