"""``kubestage backtest``: decisions, figures side by side, pictures, refusals at their lines."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest
import yaml

from kubestage.testing import make_deployment
from tests.backtesting.manifests import make_hpa, make_vpa

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Result, Terminal


CSV = "time,total\n0,1\n60,4\n300,4\n"


def _write(**objects: Json) -> None:
    for name, obj in objects.items():
        pathlib.Path(f"{name}.yaml").write_text(yaml.safe_dump(obj, sort_keys=False))


def _run(terminal: Terminal, *arguments: str, csv: str = CSV) -> Result:
    pathlib.Path("cpu.csv").write_text(csv)
    _write(
        hpa=make_hpa(),
        hasty={**make_hpa(30), "metadata": {"name": "hasty"}},
        vpa=make_vpa(),
        web=make_deployment("web", replicas=2, cpu="1"),
    )
    return terminal.run("backtest", "cpu.csv", *arguments)


def test_the_decisions_are_told_with_their_metric_and_reason(terminal: Terminal) -> None:
    result = _run(terminal, "hpa.yaml", "web.yaml")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "horizontalpodautoscaler/web"
    assert lines[1].split() == ["TIME", "METRIC", "REPLICAS", "REASON"]
    assert lines[2] == (
        "1m0s    cpu utilization 200%/50%   2 -> 4     "
        "cpu resource utilization (percentage of request) above target"
    )
    assert "rescales            2" in lines


def test_several_manifests_stand_side_by_side(terminal: Terminal) -> None:
    result = _run(terminal, "hpa.yaml", "hasty.yaml", "web.yaml")
    lines = result.out.splitlines()
    figures = lines[next(at for at, line in enumerate(lines) if line.startswith("MEASURE")) :]
    assert figures[0].split() == ["MEASURE", "web", "hasty"]
    rows = {line.rsplit(maxsplit=2)[0].strip(): line.split()[-2:] for line in figures}
    assert rows["rescales"] == ["2", "3"]
    assert rows["most replicas"] == ["8", "14"]


def test_same_names_are_told_apart_by_their_files(terminal: Terminal) -> None:
    _write(other=make_hpa(80))
    result = _run(terminal, "hpa.yaml", "other.yaml", "web.yaml")
    assert "horizontalpodautoscaler/hpa" in result.out
    assert "horizontalpodautoscaler/other" in result.out


def test_requests_and_replicas_can_be_said_instead(terminal: Terminal) -> None:
    with_workload = _run(terminal, "hpa.yaml", "web.yaml").out
    said = _run(terminal, "hpa.yaml", "--request", "cpu=1", "--replicas", "2").out
    assert said == with_workload


def test_data_has_every_look(terminal: Terminal) -> None:
    told = json.loads(_run(terminal, "hpa.yaml", "web.yaml", "-o", "json").out)
    [found] = told["backtests"]
    assert (found["name"], found["kind"]) == ("web", "HorizontalPodAutoscaler")
    assert [each["after"] for each in found["decisions"]] == [4, 8]
    assert len(found["looks"]) == 20
    as_yaml = _run(terminal, "hpa.yaml", "web.yaml", "-o", "yaml")
    assert yaml.safe_load(as_yaml.out) == told


def test_a_vpa_is_told_by_its_requests(terminal: Terminal) -> None:
    csv = "time,total\n" + "".join(f"{minute * 60},6\n" for minute in range(61))
    result = _run(terminal, "vpa.yaml", "web.yaml", csv=csv)
    assert result.code == 0
    assert "cpu of app   1 -> 3481m" in result.out
    assert "core-hours requested, a pod" in result.out


def test_the_csv_may_come_from_stdin(terminal: Terminal) -> None:
    expected = _run(terminal, "hpa.yaml", "web.yaml").out
    got = terminal.run("backtest", "-", "hpa.yaml", "web.yaml", stdin=CSV.encode())
    assert got.out == expected


def test_flags_of_the_autoscaler_can_be_set(terminal: Terminal) -> None:
    told = _run(terminal, "hpa.yaml", "web.yaml", "--setting", "hpa.sync-period=60s").out
    assert "cpu utilization 100%/50%" in told
    assert "2m0s" in told
    wrong = _run(terminal, "hpa.yaml", "web.yaml", "--setting", "hpa.sync-perod=60s")
    assert wrong.code == 2
    assert "did you mean hpa.sync-period?" in wrong.err


@pytest.mark.parametrize("name", ["chart.png", "chart.html", "chart.svg"])
def test_a_chart_is_drawn(name: str, terminal: Terminal) -> None:
    result = _run(terminal, "hpa.yaml", "hasty.yaml", "vpa.yaml", "web.yaml", "--chart", name)
    assert (result.code, result.err) == (0, f"Drew {name}\n")
    assert pathlib.Path(name).stat().st_size > 10_000


REFUSED: dict[str, tuple[list[str], str, str]] = {
    "other kind": (
        ["web.yaml"],
        CSV,
        "there is no autoscaler among the manifests",
    ),
    "bad csv": (["hpa.yaml", "web.yaml"], "time,total\n5,1\n0,1\n", "cpu.csv:3: goes back in time"),
    "negative": (["hpa.yaml", "web.yaml"], "time,total\n5,-1\n", 'cpu.csv:2: "-1" is below zero'),
    "no requests": (
        ["hpa.yaml"],
        CSV,
        "hpa.yaml:18: spec.metrics[0].resource.target.averageUtilization: utilization is a share",
    ),
    "other metric": (
        ["hpa.yaml", "web.yaml"],
        "time,memory\n0,1\n60,1\n",
        "hpa.yaml:14: spec.metrics[0].resource: nothing was measured of cpu",
    ),
    "request twice": (
        ["hpa.yaml", "web.yaml", "--request", "cpu=1"],
        CSV,
        "--request: is stated by the workload itself",
    ),
    "bad request": (["hpa.yaml", "--request", "cpu"], CSV, '--request: "cpu" is no request'),
    "bad amount": (["hpa.yaml", "--request", "cpu=-1"], CSV, '--request: "cpu=-1" is no request'),
    "bad startup": (
        ["hpa.yaml", "web.yaml", "--startup", "soon"],
        CSV,
        "--startup: ",
    ),
    "named twice": (
        ["hpa.yaml", "web.yaml", "--metric", "cpu"],
        "time,cpu\n0,1\n60,1\n",
        "--metric: the CSV names its metrics itself",
    ),
    "one moment": (["hpa.yaml", "web.yaml"], "time,total\n0,1\n", "cpu.csv: has a single moment"),
    "no directory": (
        ["hpa.yaml", "web.yaml", "--chart", "nowhere/x.png"],
        CSV,
        "nowhere/x.png: --chart: no such directory",
    ),
    "bad chart": (
        ["hpa.yaml", "web.yaml", "--chart", "x.pdf"],
        CSV,
        "x.pdf: --chart: charts are not written as this",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_told_with_its_place_and_a_fix(name: str, terminal: Terminal) -> None:
    arguments, csv, problem = REFUSED[name]
    result = _run(terminal, *arguments, csv=csv)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: {problem}")
    assert "fix: " in result.err


def test_a_manifest_of_another_kind_is_refused_at_its_line(terminal: Terminal) -> None:
    _write(node={"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
    result = _run(terminal, "hpa.yaml", "node.yaml")
    assert result.code == 2
    assert result.err.startswith("Error: node.yaml:2: kind: a Node cannot be backtested")


def test_a_workload_that_nobody_scales_is_refused_at_its_line(terminal: Terminal) -> None:
    _write(other=make_deployment("other", replicas=2, cpu="1"))
    result = _run(terminal, "hpa.yaml", "web.yaml", "other.yaml")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("Error: other.yaml:2: kind: no autoscaler scales it")
    assert "deployment/web" in result.err


@pytest.mark.parametrize(
    ("metrics", "problem"),
    [("hpa.yaml", "is a manifest, and no CSV"), ("somewhere", "is a directory")],
)
def test_what_is_no_csv_is_told_before_anything_is_read(
    metrics: str, problem: str, terminal: Terminal
) -> None:
    _write(hpa=make_hpa(), web=make_deployment("web", replicas=2, cpu="1"))
    pathlib.Path("somewhere").mkdir()
    result = terminal.run("backtest", metrics, "hpa.yaml", "web.yaml")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: {metrics}: {problem}")


def test_two_metrics_and_a_total_need_to_be_told_which_is_meant(terminal: Terminal) -> None:
    metrics = [
        {"type": "Resource", "resource": {"name": name, "target": goal}}
        for name, goal in (
            ("cpu", {"type": "AverageValue", "averageValue": "500m"}),
            ("memory", {"type": "AverageValue", "averageValue": "1Gi"}),
        )
    ]
    _write(both=make_hpa(metrics=metrics))
    result = _run(terminal, "both.yaml", "web.yaml")
    assert result.err.startswith("Error: cpu.csv:1: autoscalers go by cpu, memory")
    columns = _run(terminal, "both.yaml", "web.yaml", csv="time,cpu,memory\n0,1,1Gi\n60,4,9Gi\n")
    assert (columns.code, columns.err) == (0, "")
    assert "memory per pod" in columns.out


def test_a_request_of_another_spelling_is_answered_with_the_likely_one(terminal: Terminal) -> None:
    result = _run(terminal, "hpa.yaml", "--request", "cpu=500millicores")
    assert result.code == 2
    assert result.err.endswith("  fix: did you mean --request cpu=500m?\n")
