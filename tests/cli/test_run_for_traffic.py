"""With traffic and autoscalers among the manifests, a living run ends with a summary."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import pytest
from rich import console

from kubestage.cli import live_view
from kubestage.runs import traffic_rates
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.backtesting.manifests import make_hpa
from tests.cli import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Result, Terminal


TRAFFIC: Json = {
    "apiVersion": "kubestage.dev/v1alpha1",
    "kind": "Traffic",
    "metadata": {"name": "shoppers"},
    "spec": {
        "target": {"kind": "Deployment", "name": "web"},
        "pattern": {"constant": {"rps": 20}},
        "request": {"cpu": "50ms", "io": "0s", "timeout": "5s"},
    },
}


def _objects() -> list[Json]:
    web = make_deployment("web", replicas=2, cpu="500m")
    return [make_node("a", cpu="8"), web, TRAFFIC, make_hpa()]


def _run(terminal: Terminal, *options: str) -> Result:
    clusters.write("cluster.json", *_objects())
    return terminal.run("run", "cluster.json", "--for", "5m", *options)


def test_the_end_is_told_with_requests_replicas_and_rescales(terminal: Terminal) -> None:
    result = _run(terminal)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    head = next(line for line in lines if line.startswith("TRAFFIC"))
    columns = ["TRAFFIC", "REQUESTS", "FAILED", "P50", "P95", "P99", "MAX", "WHY", "FAILED"]
    assert head.split() == columns
    assert any(line.startswith("default/shoppers") and "no replica" in line for line in lines)
    assert any(line.startswith("deployment/default/web") for line in lines)
    assert any(line.startswith("horizontalpodautoscaler/default/web") for line in lines)
    assert lines[-1].startswith("After 5m0s: ")


def test_every_movement_of_an_autoscaler_run_is_printed(terminal: Terminal) -> None:
    traced = _run(terminal, "--trace")
    movements, _, rest = traced.out.partition("\n\n")
    assert rest == _run(terminal).out
    kinds = {line.split()[1] for line in movements.splitlines()[1:]}
    assert kinds >= {
        *("start_to_running", "running_to_halted"),
        *("hpa_tick", "metrics_tick", "send_metrics_to_sink", "traffic_tick"),
        *("begin_launch", "finish_launching", "register", "create", "bind"),
        *("arrive_at_routing", "send_to_replica", "complete_request", "request_failed"),
    }
    assert "ring" not in kinds


def test_what_autoscalers_say_is_logged_with_virtual_time(terminal: Terminal) -> None:
    result = _run(terminal, "--log-level", "info")
    rescales = [line for line in result.err.splitlines() if "SuccessfulRescale" in line]
    assert rescales
    form = r"\d+\.\d{9} INFO HPA default/web: SuccessfulRescale: New size: \d+; reason: .+"
    assert all(re.fullmatch(form, line) for line in rescales)
    assert _run(terminal).err == ""


@pytest.mark.parametrize("later", [(), ("--at", "4m=late.json")])
def test_traffic_that_would_begin_after_the_end_is_refused(
    later: tuple[str, ...], terminal: Terminal
) -> None:
    late = {**TRAFFIC, "spec": {**TRAFFIC["spec"], "startAfter": "1m" if later else "5m"}}
    clusters.write("late.json", late)
    clusters.write("cluster.json", *_objects()[:2], *(() if later else (late,)))
    result = terminal.run("run", "cluster.json", "--for", "5m", *later)
    assert (result.code, result.out) == (2, "")
    assert "spec.startAfter: requests would begin after the end of the run, at 5m0s" in result.err


def test_without_time_it_is_said_that_nothing_comes_of_traffic(terminal: Terminal) -> None:
    clusters.write("cluster.json", *_objects())
    result = terminal.run("run", "cluster.json")
    assert result.code == 0
    assert "HorizontalPodAutoscaler, Traffic has no effect while no time" in result.err


def test_a_difference_between_shares_is_in_points(terminal: Terminal) -> None:
    _run(terminal, "--out", "first")
    slow = {**TRAFFIC, "spec": {**TRAFFIC["spec"], "pattern": {"constant": {"rps": 60}}}}
    clusters.write("cluster.json", *_objects()[:2], slow)
    terminal.run("run", "cluster.json", "--for", "5m", "--out", "second")
    lines = terminal.run("compare", "first", "second").out.splitlines()
    [failed] = [line for line in lines if line.startswith("failed ")]
    assert re.search(r"\d% +\S*\d\.\d\d% \([+-]\d+\.\d\d\)", failed)


def test_the_same_summary_is_in_the_data(terminal: Terminal) -> None:
    summary = json.loads(_run(terminal, "-o", "json").out)["summary"]
    [traffic] = summary["traffic"]
    assert traffic["requests"] == traffic["completed"] + traffic["failed"] + traffic["inFlight"]
    [hpa] = summary["autoscalers"]
    assert hpa["rescales"] == hpa["rescalesUp"] + hpa["rescalesDown"] > 0
    assert summary["replicaHours"] > 0


def test_the_same_seed_is_the_same_record(terminal: Terminal) -> None:
    first, again = (_run(terminal, "-o", "json").out for _ in range(2))
    assert first == again


def test_the_view_shows_requests_replicas_and_p95() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply(_objects())
    load = traffic_rates.TrafficRates()
    stage.run("30s")
    load.observe(stage)
    stage.run("30s")
    screen = console.Console(file=io.StringIO(), width=100)
    screen.print(live_view.picture(stage, 120_000_000_000, load))
    assert isinstance(screen.file, io.StringIO)
    shown = screen.file.getvalue()
    for text in ("traffic", "rps", "p95", "default/shoppers", "20.0", "4 of 4"):
        assert text in shown


def test_what_is_seen_is_what_happened_since_the_last_look() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply(_objects())
    load = traffic_rates.TrafficRates()
    stage.run("1m")
    [first] = load.observe(stage)
    stage.store.delete(("kubestage.dev/v1alpha1", "Traffic"), "shoppers")
    assert load.observe(stage) == []
    assert first.rps > 19
    assert first.p95_ms is not None
