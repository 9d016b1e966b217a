"""Every chart of a report is a valid one, and the page has them."""

from __future__ import annotations

import pytest

from kubestage.results.charts import specification
from kubestage.sweep.report import page
from kubestage.sweep.report.charts import drawing
from kubestage.sweep.report.options import ReportOptions
from kubestage.sweep.report.sweep_report import SweepReport, report
from tests.sweep import tables
from tests.sweep.report import demo


@pytest.fixture(scope="module")
def found() -> SweepReport:
    return report(demo.sweep(), ReportOptions(fail_if="cost>56"))


def test_there_is_a_chart_for_each_question(found: SweepReport) -> None:
    drawn = drawing.of_report(found)
    assert [name for name in drawn if "cost" in name] == [
        "intervals-cost",
        "effect-cost-nodes",
        "effect-cost-hpa-web-spec-target",
        "effect-cost-config",
        "heat-cost",
    ]
    assert "front" in drawn
    for chart in drawn.values():
        assert chart.to_dict(validate=True)


def test_intervals_are_coloured_by_verdict(found: SweepReport) -> None:
    spec = specification.of(drawing.of_measure(found, "cost")["intervals-cost"])
    values = [row for rows in spec["datasets"].values() for row in rows if "verdict" in row]
    assert len(values) == 18
    first, second = values[:2]
    assert (first["verdict"], second["verdict"]) == ("reference", "worse")
    assert second["low"] < second["mean"] < second["high"]


def test_a_numeric_axis_is_a_line_and_words_are_dots(found: SweepReport) -> None:
    drawn = drawing.of_measure(found, "cost")
    marks = {
        name: [layer["mark"]["type"] for layer in specification.of(chart)["layer"]]
        for name, chart in drawn.items()
    }
    assert marks["effect-cost-nodes"] == ["area", "line", "point"]
    assert marks["effect-cost-config"] == ["rule", "point"]
    assert marks["heat-cost"] == ["rect", "text"]


def test_the_front_of_three_measures_has_no_line() -> None:
    options = ReportOptions(front=("cost", "wait", "allocation.cpu"))
    spec = specification.of(drawing.of_front(report(demo.sweep(), options))["front"])
    assert "line" not in [layer["mark"]["type"] for layer in spec["layer"]]


def test_one_setting_has_no_chart() -> None:
    alone = report(tables.table({}, range(3), lambda _, seed: {"cost": seed}))
    assert drawing.of_report(alone) == {}


def test_the_page_has_everything_and_no_markup_of_others(found: SweepReport) -> None:
    text = page.render(found, "Nodes & targets")
    assert "<h1>Nodes &amp; targets</h1>" in text
    assert "cost&gt;56 holds in 1 setting" in text
    assert "2 runs failed" in text
    assert '<section id="cost">' in text
    assert '<section id="front">' in text
    assert text.count('<figure class="chart') == 16
    assert "<b>no space</b>" not in text
    assert "&lt;b&gt;no space&lt;/b&gt;" in text


def test_a_page_without_the_libraries_says_how_to_get_charts(
    found: SweepReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("not_a_library",))
    assert "pip install" in page.render(found)
