"""With ``--for`` a cluster lives for a while, and what became of it is told."""

from __future__ import annotations

import io
import json
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from rich import console

from kubestage.cli import live_view
from kubestage.results import trace
from kubestage.runs import traffic_rates
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters
from tests.store.samples import widgets_definition

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def _web(**changes: Any) -> dict[str, Any]:
    made = make_deployment("web", replicas=2, cpu="500m")
    made["spec"].update(changes)
    return made


def _cluster(*objects: dict[str, Any]) -> None:
    clusters.write("cluster.json", make_node("a", cpu="2"), make_node("b", cpu="2"), *objects)


def test_what_became_of_it_is_told_in_kubectls_tables(terminal: Terminal) -> None:
    _cluster(_web())
    result = terminal.run("run", "cluster.json", "--for", "10m")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert "deployment.apps/web   2/2     2            2           10m" in lines
    assert lines[-1] == "After 10m0s: 2 pods: 2 Running. Nodes ready: 2 of 2."
    assert sum("Running   0          10m" in line for line in lines) == 2


def test_the_same_seed_is_the_same_life(terminal: Terminal) -> None:
    _cluster(_web())
    arguments = ("run", "cluster.json", "--for", "5m", "--events", "--launch-delay", "exp(20s)")
    first, second = (terminal.run(*arguments, "--seed", "7").out for _ in range(2))
    assert first == second
    assert terminal.run(*arguments, "--seed", "8").out != first


def test_events_are_told_with_the_time_since_the_beginning(terminal: Terminal) -> None:
    _cluster(_web())
    result = terminal.run("run", "cluster.json", "--for", "1m", "--events", "--launch-delay", "30s")
    lines = result.out.splitlines()
    assert lines[0].split() == ["TIME", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    started = [line for line in lines if " Started " in line]
    assert len(started) == 2
    assert started[0].split()[:3] == ["31.001s", "Normal", "Started"]


def test_manifests_can_come_later(terminal: Terminal) -> None:
    _cluster(_web())
    other = _web()
    other["spec"]["template"]["spec"]["containers"][0]["image"] = "web:2"
    clusters.write("v2.json", other)
    result = terminal.run("run", "cluster.json", "--for", "5m", "--at", "2m=v2.json", "--events")
    lines = result.out.splitlines()
    scaled = [line for line in lines if "ScalingReplicaSet" in line]
    assert scaled[0].startswith("1ms ")
    assert scaled[1].startswith("2m0s ")
    assert "deployment.apps/web   2/2     2            2           5m" in lines


def test_the_end_can_be_had_as_data(terminal: Terminal) -> None:
    _cluster(_web())
    result = terminal.run("run", "cluster.json", "--for", "90s", "--events", "-o", "json")
    told = json.loads(result.out)
    assert (told["seed"], told["seconds"]) == (0, 90)
    assert told["now"] == "2026-01-01T00:01:30Z"
    phases = [each["status"]["phase"] for each in told["objects"] if each["kind"] == "Pod"]
    assert phases == ["Running", "Running"]
    assert {"seconds", "type", "reason", "object", "message"} == set(told["events"][0])
    as_yaml = terminal.run("run", "cluster.json", "--for", "90s", "--events", "-o", "yaml")
    assert yaml.safe_load(as_yaml.out) == told


def test_a_long_table_is_cut_unless_all_is_asked_for(terminal: Terminal) -> None:
    _cluster(_web(replicas=30), *(make_node(f"n{number}") for number in range(30)))
    cut = terminal.run("run", "cluster.json", "--for", "1m").out
    assert "pod/web-" not in cut
    lines = cut.splitlines()
    at = lines.index("PODS OF                  PODS   RUNNING   NODES")
    assert lines[at + 1].split() == ["deployment/default/web", "30", "30", "30"]
    assert lines[at + 2] == "30 pods, none of which needs attention: --all lists them"
    assert "32 nodes, none of which needs attention: --all lists them" in lines
    for option in (("-o", "wide"), ("--all",)):
        whole = terminal.run("run", "cluster.json", "--for", "1m", *option).out
        assert whole.count("pod/web-") == 30


def test_pods_that_do_not_run_can_be_a_failure(terminal: Terminal) -> None:
    _cluster(make_pod("huge", cpu="64"))
    result = terminal.run("run", "cluster.json", "--for", "1m", "--require-all")
    assert (result.code, result.err) == (1, "Error: 1 pod not running\n")
    assert terminal.run("run", "cluster.json", "--for", "1m").code == 0


def test_a_placement_in_a_life_can_be_explained(terminal: Terminal) -> None:
    _cluster(make_pod("web", cpu="1"))
    result = terminal.run("run", "cluster.json", "--for", "1m", "--explain", "web")
    assert result.code == 0
    assert "default/web" in result.out
    missing = terminal.run("run", "cluster.json", "--for", "1m", "--explain", "ghost")
    assert (missing.code, missing.out) == (2, "")
    assert '--explain: no attempt was made at a pod "ghost"' in missing.err


def test_the_lives_of_pods_can_be_kept_as_a_trace(terminal: Terminal) -> None:
    _cluster(make_pod("web"))
    terminal.run("run", "cluster.json", "--for", "1m", "--trace-out", "run.sqlite")
    rows = list(trace.read_trace("run.sqlite", entity="default/web"))
    stocks = dict.fromkeys(each.to_stock for each in rows)
    assert list(stocks) == ["PodsWaiting", "PodsStarting", "PodsRunning"]


def test_pods_without_a_node_come_before_all_tables(terminal: Terminal) -> None:
    _cluster(*(make_pod(f"big-{at}", cpu="64") for at in range(4)), make_pod("web"))
    lines = terminal.run("run", "cluster.json", "--for", "1m").out.splitlines()
    assert lines[0] == "4 of 5 pods are pending:"
    assert lines[1] == "  default/big-0, default/big-1, default/big-2 and 1 more"
    assert "Insufficient cpu" in lines[2]
    assert lines[4].startswith("up to 4 pods had no node (at ")
    assert lines[6].startswith("NAME")
    assert lines[-1].startswith("After 1m0s: 5 pods: 4 Pending, 1 Running.")


def test_the_trace_ends_with_the_halt_and_tells_what_was_still_to_come(terminal: Terminal) -> None:
    _cluster(make_pod("web"))
    terminal.run("run", "cluster.json", "--for", "1m", "--trace-out", "run.sqlite")
    *_, last = trace.read_trace("run.sqlite")
    assert (last.kind, last.occurs_at) == ("running_to_halted", 60_000_000_000)
    assert "ring" not in trace.read_names("run.sqlite", "kind")


def test_timers_are_traced_if_that_is_asked_for(terminal: Terminal) -> None:
    _cluster(make_pod("web"))
    options = ("--trace-out", "run.sqlite", "--trace-internal")
    terminal.run("run", "cluster.json", "--for", "1m", *options)
    stocks = [row.from_stock for row in trace.read_trace("run.sqlite", kind="ring")]
    assert "SchedulerTurn" in stocks


def test_movements_are_printed_above_the_tables(terminal: Terminal) -> None:
    _cluster(make_pod("web"))
    plain = terminal.run("run", "cluster.json", "--for", "1m")
    traced = terminal.run("run", "cluster.json", "--for", "1m", "--trace")
    movements, _, rest = traced.out.partition("\n\n")
    assert (traced.code, rest) == (0, plain.out)
    lines = [line.split() for line in movements.splitlines()]
    assert lines[0] == ["TIME", "(S)", "MOVEMENT", "ENTITY", "FROM", "TO", "NOTES"]
    assert lines[1][1] == "start_to_running"
    assert lines[-1] == [
        "60.000000000",
        "running_to_halted",
        "scenario-1",
        "RunningScenario",
        "HaltedScenario",
    ]
    assert "bind" in [line[1] for line in lines]
    with_timers = terminal.run("run", "cluster.json", "--for", "1m", "--trace", "--trace-internal")
    assert " ring " in with_timers.out
    assert " ring " not in traced.out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--trace", "-o", "json"), "--trace: prints a table, which is not json"),
        (("--trace-internal",), "--trace-internal: has an effect only with a trace"),
        (("--log-level", "loud"), 'unknown log level "loud"'),
    ],
)
def test_a_trace_that_cannot_be_shown_is_refused(
    terminal: Terminal, options: tuple[str, ...], problem: str
) -> None:
    _cluster(make_pod("web"))
    result = terminal.run("run", "cluster.json", "--for", "1m", *options)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err


def test_a_quota_binds_from_the_first_pod_on(terminal: Terminal) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"pods": "1"}},
    }
    _cluster(quota, _web())
    result = terminal.run("run", "cluster.json", "--for", "1m", "--events")
    assert "deployment.apps/web   1/2     1            1           60s" in result.out
    assert "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1" in result.out


def test_stages_of_kwok_give_pods_their_lives(terminal: Terminal) -> None:
    stage: dict[str, Any] = {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": "fail-soon"},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
            "selector": {
                "matchExpressions": [
                    {"key": ".status.phase", "operator": "In", "values": ["Pending"]}
                ]
            },
            "delay": {"durationMilliseconds": 5000},
            "next": {"statusTemplate": "phase: Failed\nreason: Evil\n"},
        },
    }
    _cluster(stage, make_pod("web"))
    result = terminal.run("run", "cluster.json", "--for", "1m")
    assert "pod/web   0/1     Evil     0          60s" in result.out
    stage["spec"]["delay"] = {"durationMiliseconds": 5000}
    _cluster(stage)
    result = terminal.run("run", "cluster.json", "--for", "1m")
    assert (result.code, result.out) == (2, "")
    assert "spec.delay" in result.err
    assert "durationMilliseconds" in result.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--for", "soon"], '--for: invalid duration "soon"'),
        (["--for", "0s"], "--for: a run takes some time"),
        (["--for", "1d-5h"], '--for: invalid duration "1d-5h"'),
        (["--for", "99999d"], "--for: is more than a hundred years"),
        (["--events"], "--events: has an effect only with --for"),
        (["--at", "1m=x.json"], "--at: has an effect only with --for"),
        (["--for", "1m", "--at", "30s"], '--at: "30s" is not a time and a file'),
        (["--for", "1m", "--at", "2m=cluster.json"], "--at: 2m0s comes after the end of --for"),
        (["--for", "1m", "--at", "x=cluster.json"], '--at: invalid duration "x"'),
        (["--for", "1m", "--launch-delay", "often"], "--launch-delay: "),
        (["--for", "1m", "--run-duration", "exp(1s"], "--run-duration: "),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: list[str], problem: str, terminal: Terminal
) -> None:
    _cluster()
    result = terminal.run("run", "cluster.json", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: {problem}")
    assert "fix: " in result.err


def test_a_later_manifest_that_is_refused_is_told_at_its_line(terminal: Terminal) -> None:
    _cluster(_web())
    other = _web()
    other["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    other["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    clusters.write("v2.json", other)
    result = terminal.run("run", "cluster.json", "--for", "5m", "--at", "2m=v2.json")
    assert result.code == 2
    assert "v2.json" in result.err
    assert "field is immutable" in result.err


@pytest.mark.parametrize(
    ("text", "shown"),
    [("7d", "7d"), ("1.5d", "1d12h0m0s"), ("1d12h", "1d12h0m0s"), ("36h", "1d12h0m0s")],
)
def test_a_life_can_last_for_days(text: str, shown: str, terminal: Terminal) -> None:
    _cluster()
    result = terminal.run("run", "cluster.json", "--for", text)
    assert f"After {shown}: 0 pods." in result.out


@pytest.mark.parametrize(
    ("key", "value", "problem", "fix"),
    [
        (
            "lunch-delay",
            "5s",
            "unknown annotation kubestage.dev/lunch-delay",
            "did you mean kubestage.dev/launch-delay?",
        ),
        ("launch-delay", "soon", "soon", "normal(5s,1s)"),
        ("exit-code", "999", "'999' is no exit code", "write a number from 0 to 255"),
    ],
)
def test_an_annotation_of_ours_that_means_nothing_is_refused(
    key: str, value: str, problem: str, fix: str, terminal: Terminal
) -> None:
    web = _web()
    web["spec"]["template"]["metadata"]["annotations"] = {f"kubestage.dev/{key}": value}
    _cluster(web)
    result = terminal.run("run", "cluster.json", "--for", "1m")
    assert (result.code, result.out) == (2, "")
    assert f"spec.template.metadata.annotations[kubestage.dev/{key}]" in result.err
    assert problem in result.err
    assert fix in result.err


def test_custom_resources_are_told_too(terminal: Terminal) -> None:
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "g"}}
    _cluster(widgets_definition(), widget)
    assert "widget.example.com/g" in terminal.run("run", "cluster.json", "--for", "1m").out


def test_the_view_shows_pods_by_phase_and_nodes_by_fill() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node("a", cpu="2"), make_pod("web", cpu="1"), make_pod("huge", cpu="64")])
    stage.run("30s")
    screen = console.Console(file=io.StringIO(), width=80)
    screen.print(live_view.picture(stage, 60_000_000_000, traffic_rates.TrafficRates()))
    assert isinstance(screen.file, io.StringIO)
    shown = screen.file.getvalue()
    for text in ("30s of 1m0s", "running", "pending", "1 pods, cpu 50%"):
        assert text in shown


def test_help_tells_how_a_cluster_lives(terminal: Terminal) -> None:
    shown = " ".join(terminal.run("run", "--help").out.split())
    assert textwrap.shorten("A living cluster", 40) in shown
    for option in ("--for", "--at", "--events", "--launch-delay", "--trace-out"):
        assert option in shown
