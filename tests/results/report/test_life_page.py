"""The report of a living run: alone in one file, with what people ask for first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.results import charts
from kubestage.results.life.tables import LifeRows
from kubestage.results.repeat import LifeRepeat
from kubestage.results.report import (
    drawings,
    life_charts,
    life_figures,
    life_health,
    life_page,
)
from tests.results.life.lives import SUMMARY, WEB, make_life
from tests.results.report.test_page import EVIL, Page

if TYPE_CHECKING:
    import pytest

REPEAT = LifeRepeat(
    version="0.1",
    seed=7,
    start="2026-01-01T00:00:00Z",
    tie_break="heap",
    controllers=True,
    detail="summary",
    strategy="",
    duration="30m0s",
    later=[("5m0s", "later-1.yaml")],
)


def _text(page: str) -> str:
    return re.sub(r"\s+", " ", " ".join(Page(page).texts))


def test_the_page_tells_what_people_ask_for_first() -> None:
    told = _text(life_page.render(make_life(), REPEAT, []))
    assert "0.12% of 90,000 requests of default/web failed (105 timeout)" in told
    assert "95% of the other requests took no longer than 1.26s" in told
    lucky = {**SUMMARY, "traffic": [{**each, "failed": 0} for each in SUMMARY["traffic"]]}
    sentence = life_figures.lead(msgspec.structs.replace(make_life(), summary=lucky))
    assert "none failed, and 95% took no longer than 1.26s" in sentence
    for figure in ("Replica-hours 2.25", "Node-hours 1.80", "Cost $0.16", "Rescales 3"):
        assert figure in told
    assert "105 timeout" in told
    assert "later-1.yaml at 5m0s" in told
    assert "cpu resource utilization (percentage of request) above target" in told


def test_the_page_loads_nothing_and_is_well_formed() -> None:
    drawn = drawings.drawn({})
    page = Page(life_page.render(make_life(), REPEAT, drawn))
    assert page.open == []
    sources = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in ("src", "href")
    ]
    assert all(source is not None and source.startswith("#") for source in sources)


def test_a_name_cannot_become_markup() -> None:
    summary: dict[str, Any] = {
        **SUMMARY,
        "traffic": [{**SUMMARY["traffic"][0], "traffic": EVIL}],
        "workloads": [{**SUMMARY["workloads"][0], "workload": EVIL}],
    }
    life = msgspec.structs.replace(make_life(), summary=summary)
    page = Page(life_page.render(life, REPEAT, []))
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert not any(tag == "img" for tag, _ in page.elements)


def test_without_what_draws_the_page_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "NEEDED", ("no_such_library",))
    assert life_page.drawn_charts(make_life()) is None
    assert "pip install 'kubestage[charts]'" in _text(life_page.render(make_life(), REPEAT, None))


def test_of_very_many_decisions_the_first_are_shown() -> None:
    rows = LifeRows()
    for at in range(1234):
        rows.add("decisions", float(at), "rescale", "default/web", WEB, at, at + 1, f"wave {at};")
    told = _text(life_page.render(make_life(rows=rows), None, []))
    assert "wave 999;" in told
    assert "wave 1000;" not in told
    assert "and 239 more, in tables/decisions.csv" in told


def test_parts_of_which_there_is_nothing_to_tell_are_left_out() -> None:
    empty = {
        **SUMMARY,
        **{name: [] for name in ("traffic", "workloads", "autoscalers", "nodeGroups")},
        "cost": None,
    }
    life = msgspec.structs.replace(make_life(), summary=empty, tables={})
    page = Page(life_page.render(life, None, []))
    anchors = [attributes["id"] for tag, attributes in page.elements if tag == "section"]
    assert anchors == ["overview", "charts"]


def test_pods_that_are_pending_come_first_with_their_reasons() -> None:
    reasons = [
        {"reason": f"0/{number} nodes are available", "pods": 2, "named": ["default/a"]}
        for number in range(1, 6)
    ]
    summary = {**SUMMARY, "pending": {"pods": 10, "of": 12, "reasons": reasons}}
    life = msgspec.structs.replace(make_life(), summary=summary)
    assert life_figures.lead(life).startswith("10 of 12 pods are pending at the end. 95%")
    head = str(life_figures.heading(life, None))
    assert '<span class="pill alert">10 pods pending</span>' in head
    assert "<b>2 pods</b>: 0/1 nodes are available" in head
    assert "and 2 more reasons" in head
    assert "0/4 nodes" not in head


def test_of_a_calm_run_the_page_says_that_it_lived() -> None:
    traffic = [{**SUMMARY["traffic"][0], "failed": 0, "failedByReason": {}}]
    calm = msgspec.structs.replace(make_life(), summary={**SUMMARY, "traffic": traffic})
    assert "alert" not in str(life_figures.heading(calm, None))
    assert life_figures.lead(calm).startswith("The cluster lived for 30m0s, and nothing went wrong")
    troubled = make_life()
    head = str(life_figures.heading(troubled, None))
    assert "Lived for</dt>" in head
    assert "The cluster lived" not in head
    assert "<li>0.12% of 90,000 requests of default/web failed (105 timeout)</li>" in head


def test_events_are_folded_by_reason_and_workload_with_warnings_first() -> None:
    rows = LifeRows()
    for at in range(3):
        values = (f"pod/default/web-{at}", f"assigned {at}", 1, float(at), WEB)
        rows.add("events", float(at), "Normal", "Scheduled", *values)
    warned = ("node/a", "is gone", 4, 90.0, "")
    rows.add("events", 50.0, "Warning", "NodeNotReady", *warned)
    for at in range(70):
        rows.add("events", 60.0, "Normal", f"Reason{at}", "node/a", "so", 2, 60.0, "")
    life = make_life(rows=rows)
    summary = {**life.summary, "events": {"events": 147, "warnings": 4, "leftOut": 5}}
    page = str(life_health.events(msgspec.structs.replace(life, summary=summary)))
    assert page.index("NodeNotReady") < page.index("Scheduled")
    assert f"pods of {WEB}" in page
    assert "assigned 0 (the first of 3)" in page
    # 72 rows, of which 60 are shown: the last twelve stand for two Events each.
    assert "and 24 more Events, in tables/events.csv; 5 Events beyond" in page


def test_workloads_that_no_chart_shows_are_named() -> None:
    life = make_life()
    more = [{**SUMMARY["workloads"][0], "workload": f"deployment/default/w{at}"} for at in range(3)]
    summary = {**life.summary, "workloads": [*SUMMARY["workloads"], *more]}
    life = msgspec.structs.replace(life, summary=summary)
    drawn = drawings.drawn({"capacity": charts.of_life(life)["capacity"]})
    page = str(life_charts.section(life, drawn))
    assert "Replicas are drawn of 1 of 4 workloads" in page
    assert "Not drawn: deployment/default/w0, deployment/default/w1, deployment/default/w2." in page
