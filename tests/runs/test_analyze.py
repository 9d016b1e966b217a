"""The tables of a run are had by a function, with results for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import InputError, analyze
from kubestage.results.life import life as lives
from kubestage.runs.analyze import AnalyzeOptions
from tests.results.analysis.stories import rivalry
from tests.results.life.lives import make_life

if TYPE_CHECKING:
    import pathlib


def test_a_scenario_gives_its_tables() -> None:
    found = analyze(rivalry().scenario("rivalry"), "preemptions")
    assert found.headline() == "Preemptions"
    assert len(found.table().rows) == 1
    assert "<td>" in found._repr_html_()
    assert found.chart().to_dict()["title"]["text"] == "Pods that had to go for others"


def test_a_table_is_of_one_step_or_counted_by_other_keys() -> None:
    scenario = rivalry().scenario("rivalry")
    nodes = analyze(scenario, "nodes", AnalyzeOptions(step=2))
    assert set(nodes.table().column("step")) == {2}
    counted = analyze(scenario, "attempts", AnalyzeOptions(by="pod, result"))
    assert counted.table().names[:2] == ("pod", "result")
    with pytest.raises(InputError, match="only attempts can be counted"):
        analyze(scenario, "nodes", AnalyzeOptions(by="pod"))


def test_a_table_without_a_chart_says_so() -> None:
    with pytest.raises(InputError, match='there is no chart of the table "steps"'):
        analyze(rivalry().scenario("rivalry"), "steps").chart()


def test_a_living_run_gives_its_tables_and_charts(tmp_path: pathlib.Path) -> None:
    (tmp_path / "life.json").write_bytes(lives.encode(make_life()))
    summary = analyze(tmp_path)
    assert "replicaHours" in summary.table().column("measure")
    replicas = analyze(tmp_path, "replicas")
    assert replicas.headline() == "Replicas"
    assert replicas.chart().to_dict()
    with pytest.raises(InputError, match='there is no chart of the table "summary"'):
        summary.chart()
    with pytest.raises(InputError, match="is for Scenarios, which have steps"):
        analyze(tmp_path, "replicas", AnalyzeOptions(step=1))
