"""Measures of a run: in its record, its tables, its comparison and its figures."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import InputError, compare, run
from kubestage.results import analysis, run_record
from kubestage.results.life import comparison as life_comparison
from kubestage.runs import CompareOptions, LivingResult, ManifestsResult, RunOptions
from kubestage.runs.analyze import analyze
from kubestage.runs.load import running
from kubestage.runs.load.options import LoadOptions
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters, loads, scenarios

if TYPE_CHECKING:
    from kubestage.aliases import Json

OWN = """
from kubestage.scheduler.framework import measure

@measure("emptyNodes", at="step", better="less")
def empty(moment):
    return int((moment.columns.pod_count == 0).sum())

@measure("fullest", unit="share")
def fullest(moment):
    columns = moment.columns
    return (columns.requested_of("cpu") / columns.allocatable_of("cpu")).max()

def wrong(moment):
    return [][1]
"""
BOTH = ("own.py:empty", "own.py:fullest")


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))
    monkeypatch.chdir(tmp_path)
    pathlib.Path("own.py").write_text(OWN)
    nodes = [make_node("a", cpu="2"), make_node("b", cpu="4")]
    clusters.write("all.json", *nodes, make_pod("x", cpu="1"), make_pod("y", cpu="9"))


def _run(**options: Any) -> ManifestsResult:
    found = run("all.json", RunOptions(measures=BOTH, **options))
    assert isinstance(found, ManifestsResult)
    return found


def _measures(scenario: Json) -> dict[str, Json]:
    result = scenario["status"]["scenarioResult"]
    return {each["name"]: each for each in result["measures"]}


def test_values_are_in_the_result_with_their_steps_and_attempts() -> None:
    found = _measures(_run().scenario)
    assert found["emptyNodes"] == {
        "name": "emptyNodes", "at": "step", "better": "less", "unit": None,
        "steps": [0, 1], "attempts": [0, 0], "values": [2, 1],
    }  # fmt: skip
    fullest = found["fullest"]
    assert fullest["attempts"] == list(range(1, len(fullest["values"]) + 1))
    # The pod of 9 CPUs fits nowhere: it changes nothing.
    assert set(fullest["values"]) == {0.25}


def test_a_run_without_measures_says_nothing_of_them() -> None:
    plain = run("all.json")
    assert isinstance(plain, ManifestsResult)
    assert "measures" not in plain.scenario["status"]["scenarioResult"]
    assert analysis.table(plain.scenario, "measures").rows == []
    assert "measures" not in json.loads(analysis.summary_json(plain.scenario))


def test_the_record_has_every_value_and_is_the_same_every_time() -> None:
    for name in ("one", "two"):
        _run(out=name)
    for file in ("record.sqlite", "scenario.json", "run.json", "report.html"):
        one, two = (pathlib.Path(name, file).read_bytes() for name in ("one", "two"))
        assert one == two, file
    with run_record.open("one/record.sqlite") as record:
        rows = list(record.measures("emptyNodes"))
        assert [(row.step, row.attempt, row.value) for row in rows] == [(0, 0, 2), (1, 0, 1)]
        assert type(rows[0].value) is int
        assert len(list(record.measures())) == 2 + len(list(record.decisions()))
    repeat = json.loads(pathlib.Path("one/run.json").read_text())
    assert [each["reference"] for each in repeat["measures"]] == list(BOTH)


def test_a_record_of_a_run_without_measures_has_no_table_of_them() -> None:
    run("all.json", RunOptions(out="plain"))
    with run_record.open("plain/record.sqlite") as record:
        assert list(record.measures()) == []
    assert b"CREATE TABLE measures" not in pathlib.Path("plain/record.sqlite").read_bytes()
    assert "measures" not in json.loads(pathlib.Path("plain/run.json").read_text())


def test_tables_have_the_values_and_what_they_come_to() -> None:
    _run(out="kept")
    rows = analyze("kept", "measures").data.rows
    assert rows[:2] == [("emptyNodes", 0, None, 2, None), ("emptyNodes", 1, None, 1, None)]
    assert all(row[:2] == ("fullest", 1) and row[4] == "share" for row in rows[2:])
    figures = {row[0]: row[2] for row in analyze("kept", "summary").data.rows if row[1] is None}
    assert [figures[f"emptyNodes{part}"] for part in ("", ".mean", ".max")] == [1, 1.5, 2]
    assert figures["fullest"] == 0.25


def test_steps_have_their_own_values_and_an_earlier_step_has_no_later_ones() -> None:
    nodes = [make_node("a", cpu="2"), make_node("b", cpu="4")]
    story = scenarios.scenario(nodes, [make_pod("x", cpu="1")], [make_pod("y", cpu="1")])
    pathlib.Path("story.json").write_text(json.dumps(story))
    ran = run("story.json", RunOptions(measures=BOTH, out="kept"))
    [scenario] = ran.scenarios  # type: ignore[attr-defined]
    found = _measures(scenario)["emptyNodes"]
    assert (found["steps"], found["values"]) == ([0, 1, 2, 3], [2, 1, 1, 1])
    assert _measures(scenario)["fullest"]["steps"] == [1, 2]
    earlier = analysis.digest(analysis.until(scenario, 1))
    assert [each.values for each in earlier.measures] == [[2, 1], [0.25]]


def test_a_comparison_of_configurations_has_them() -> None:
    pathlib.Path("packed.yaml").write_text(PACKED)
    options = CompareOptions(configs=("default", "packed.yaml"), measures=BOTH)
    compared = compare(["all.json"], options)
    rows = {row["measure"]: row for row in compared.table().records() if row["run"] == "packed"}
    assert {"emptyNodes", "emptyNodes.mean", "emptyNodes.max", "fullest"} <= rows.keys()
    assert rows["fullest"]["delta"] == 0.25
    with pytest.raises(InputError, match="has no effect on runs that are over"):
        compare(["one", "two"], CompareOptions(measures=BOTH))


def test_an_error_in_a_measure_is_reported_at_its_line() -> None:
    with pytest.raises(InputError) as refused:
        run("all.json", RunOptions(measures=("own.py:wrong",)))
    assert (refused.value.file, refused.value.line) == ("own.py", 14)
    assert refused.value.problem == "IndexError: list index out of range"


def test_a_living_run_has_them_over_time() -> None:
    clusters.write(
        "life.json", make_node("a", cpu="2"), make_deployment("web", replicas=3, cpu="500m")
    )
    lived = run("life.json", RunOptions(run_for="2m", measures=BOTH, out="kept"))
    assert isinstance(lived, LivingResult)
    assert lived.record is not None
    rows = [row for row in lived.record.rows("measures") if row["measure"] == "fullest"]
    assert [row["value"] for row in rows] == [0.25, 0.5, 0.75]
    assert [row["attempt"] for row in rows] == [1, 2, 3]
    sampled = [row for row in lived.record.rows("measures") if row["measure"] == "emptyNodes"]
    assert len(sampled) == len(lived.record.rows("cluster"))
    assert sampled[-1]["value"] == 0
    known = life_comparison.measures([lived.record.summary])
    assert {each.key: each.values for each in known}["fullest.mean"] == (0.5,)
    assert analyze("kept", "measures").data.rows


def test_a_load_has_them_with_its_measurements() -> None:
    options = LoadOptions(nodes=1, measures=BOTH)
    results = running.load(loads.write(), options)
    [test] = results.as_data()["tests"]
    assert test["measures"]["fullest"]["unit"] == "share"
    assert test["measures"]["fullest"]["max"] > 0
    [result] = results.results
    series = {each.metric: each for _, each in result.series()}
    assert len(series["emptyNodes"].values) == len(result.steps)
    results.save("out")
    [summary] = pathlib.Path("out").glob("Measures_*.json")
    names = [item["labels"]["Measure"] for item in json.loads(summary.read_text())["dataItems"]]
    assert names == ["emptyNodes", "fullest"]


def test_a_real_cluster_has_no_measures() -> None:
    with pytest.raises(InputError, match="measures are of a stage's scheduler"):
        running.load(loads.write(), LoadOptions(kubeconfig="x", measures=BOTH))


PACKED = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins:
    score:
      enabled: [{name: NodeResourcesFit, weight: 100}]
      disabled: [{name: NodeResourcesBalancedAllocation}]
"""
