"""Each command: its words, what it refuses, and its measures."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep import sweep
from kubestage.sweep.commands import command
from kubestage.sweep.commands.loading import LoadCommand
from kubestage.sweep.commands.running import RunCommand

if TYPE_CHECKING:
    from kubestage.sweep.rows import Scalar, Table

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def _example(name: str, *files: str) -> list[str]:
    return [str(EXAMPLES / name / each) for each in files]


@pytest.mark.parametrize(
    "words",
    [
        ["run", "a", "b", "--for", "30m", "--at", "1m=x", "--at", "2m=y", "--no-controllers"],
        ["run", "-", "--nodes", "5", "--as-written"],
        ["rehearse", "drain", "n1", "-f", "c", "--parallel", "3", "--rolling"],
        ["rehearse", "grow", "web=2x", "-f", "c", "--template", "x", "--template", "y"],
        ["backtest", "a.csv", "hpa.yaml", "--setting", "hpa.tolerance=0.2"],
        ["load", "c.yaml", "--qps", "5.5", "--strict"],
        ["replay", "a", "b", "--from", "2026-03-01T08:05:00Z", "--without", "n1", "--seed", "3"],
    ],
)
def test_words_are_read_and_written_again(words: list[str]) -> None:
    found = command.read(words)
    assert command.read(found.words()) == found


def test_flags_are_those_of_the_command() -> None:
    found = command.read(["run", "--for=30m", "x", "--plugin", "a:B", "--plugin=c:D"])
    assert isinstance(found, RunCommand)
    assert found.files == ("x",)
    assert found.options.run_for == "30m"
    assert found.options.plugins == ("a:B", "c:D")


@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        ([], "no command is named", "run, load"),
        (["rum", "x"], "cannot be swept", "did you mean run"),
        (["run"], "nothing to run", None),
        (["run", "x", "--lanch-delay", "3s"], "no such option", "--launch-delay"),
        (["run", "x", "--nodes", "many"], "does not fit", "whole number"),
        (["run", "x", "--nodes"], "needs a value", None),
        (["run", "x", "--as-written=yes"], "takes no value", None),
        (["run", "x", "--out", "y"], "about a single run", "--out"),
        (["run", "x", "--timings"], "about a single run", None),
        (["run", "x", "--tie-break", "hepa"], "unknown tie break", "did you mean heap"),
        (["rehearse", "drian", "x"], "no rehearsal", "did you mean drain"),
        (["rehearse", "drain", "x", "--fail-if", "a<1"], "about a single run", None),
        (["rehearse", "all", "x"], "takes no words", None),
        (["load", "a", "b"], "one configuration", None),
        (["load", "a", "--kubeconfig", "k"], "not on a real cluster", None),
        (["backtest", "a.csv"], "needs metrics and manifests", None),
    ],
)
def test_bad_words_are_refused(words: list[str], problem: str, fix: str | None) -> None:
    with pytest.raises(InputError, match=problem) as raised:
        command.read(words)
    assert fix is None or fix in (raised.value.fix or "")


def test_only_parameters_of_templates_are_taken_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CL2_PODS", "7")
    monkeypatch.setenv("OTHER", "x")
    found = command.read(["load", "c.yaml"])
    assert isinstance(found, LoadCommand)
    assert dict(found.options.environment) == {"CL2_PODS": "7"}


def _column(table: Table, measure: str) -> list[float | None]:
    assert not table.errors, table.errors[0].error
    return [row.measures[measure] for row in table.rows]


def test_a_living_run() -> None:
    words = ["run", *_example("19-hpa-step-load", ""), "--for", "6m"]
    table = sweep(words, {"hpa/web:spec.maxReplicas": [2, 6]}, jobs=1)
    few, many = _column(table, "failedPercent")
    assert few is not None
    assert many is not None
    assert few > many
    assert _column(table, "evictionsRefused") == [0, 0]
    assert table.measures["responseP95"].unit == "ms"
    assert table.measures["replicaHours"].better == "less"


def test_an_import_of_another_simulator() -> None:
    words = ["run", *_example("16-kss-import", "export.yml")]
    table = sweep(words, {"pod/*:spec.containers[0].resources.requests.cpu": "1,8"}, jobs=1)
    assert _column(table, "pending") == [0, 3]


def test_options_that_change_the_cluster() -> None:
    words = ["run", *_example("07-preemption", "cluster.yaml")]
    table = sweep(words, {"reschedule": ["all", "pending"]}, jobs=1)
    # Attempts are made only at pods that are taken off their nodes.
    assert _column(table, "attempts") == [5, None]


def test_a_load_with_numbers_and_parameters() -> None:
    words = [
        "load",
        *_example("26-find-limit", "load.yaml"),
        "--nodes",
        "4",
        "--profile",
        "default",
    ]
    axes: dict[str, str | list[Scalar]] = {
        "tuningSets.Uniform.qps": "20,60",
        "params.CL2_PODS": [30, 60],
    }
    table = sweep(words, axes, jobs=1)
    assert _column(table, "passed") == [1, 1, 1, 1]
    calls = _column(table, "calls")
    assert calls[0] == calls[2]
    assert calls[1] == calls[3]
    assert calls[1] != calls[0]
    slow, fast = (_column(table, "seconds")[at] for at in (1, 3))
    assert slow is not None
    assert fast is not None
    assert slow > fast
    p99 = table.measures["PodStartupLatency.pod_startup_p99"]
    assert (p99.better, p99.unit) == ("less", "s")


@pytest.mark.parametrize(
    ("path", "problem", "fix"),
    [
        ("tuningSets.Unifrom.qps", "there is no Unifrom", "did you mean Uniform"),
        ("params.CL2_PODZ", "no template mentions it", "did you mean CL2_PODS"),
        ("tuningSets.Uniform.name", "no number", None),
    ],
)
def test_bad_numbers_of_a_load_are_refused(path: str, problem: str, fix: str | None) -> None:
    words = ["load", *_example("26-find-limit", "load.yaml"), "--nodes", "4"]
    with pytest.raises(InputError, match=problem) as raised:
        sweep(words, {path: [20]}, jobs=1)
    assert fix is None or fix in (raised.value.fix or "")


def test_a_rehearsal_with_options_and_objects() -> None:
    nodes, shop = _example("35-rehearse", "nodes.yaml", "shop.yaml")
    words = ["rehearse", "outage", "zone/b", "-f", nodes, "-f", shop]
    table = sweep(words, {"for": ["5m"], "deploy/web:spec.replicas": "3,9"}, jobs=1)
    assert _column(table, "seconds") == [300, 300]
    assert _column(table, "web.missing") == [1, 3]
    assert table.measures["web.ready"].better == "more"
    assert table.measures["recovery"].unit == "s"


def test_all_rehearsals_at_once() -> None:
    nodes, shop = _example("35-rehearse", "nodes.yaml", "shop.yaml")
    table = sweep(["rehearse", "all", "-f", nodes, "-f", shop, "--drains", "1"], jobs=1)
    assert _column(table, "findings")[0]


def test_a_rehearsal_on_a_run_that_was_kept(tmp_path: pathlib.Path) -> None:
    from kubestage import run
    from kubestage.runs import RunOptions

    nodes, shop = _example("35-rehearse", "nodes.yaml", "shop.yaml")
    run([nodes, shop], RunOptions(run_for="5m", out=str(tmp_path / "run")))
    words = ["rehearse", "outage", "zone/b", "-f", str(tmp_path / "run")]
    table = sweep(words, {"for": "5m,10m"}, jobs=2)
    assert _column(table, "seconds") == [300, 600]


def test_a_backtest_with_settings_and_objects() -> None:
    files = _example("23-backtest", "cpu.csv", "nervous.yaml", "deployment.yaml")
    table = sweep(
        ["backtest", *files],
        {"setting.hpa.tolerance": "0.05,0.3", "hpa/*:spec.maxReplicas": "10,20"},
        jobs=1,
    )
    rescales = _column(table, "rescales")
    assert rescales[0] is not None
    assert rescales[2] is not None
    assert rescales[0] > rescales[2]
    assert _column(table, "replicasHighest")[0] == 10
    assert table.measures["secondsAboveTarget"].unit == "s"
