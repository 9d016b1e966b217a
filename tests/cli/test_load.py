"""``kubestage load``: verdicts, exit codes, reports, suites; the same seed gives the same bytes."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import yaml

from kubestage.testing import make_node
from tests.cli import loads

if TYPE_CHECKING:
    import pytest

    from tests.cli.terminal import Terminal


def test_a_load_that_passes_is_told_with_its_steps_and_verdicts(terminal: Terminal) -> None:
    result = terminal.run("load", loads.write(), "--nodes", "2")
    assert (result.code, result.err) == (0, "")
    lines = [line.split() for line in result.out.splitlines()]
    assert result.out.startswith("small: passed after ")
    assert ["[step:", "02]", "Create", "400ms", "-"] in lines
    [p99] = [line.split() for line in result.out.splitlines() if "startup: pod_startup p99" in line]
    assert p99[6:] == ["<=", "5s", "4", "pass"]


def test_a_missed_threshold_fails_the_test(terminal: Terminal) -> None:
    pathlib.Path("goal.yaml").write_text("Goal: 10ms\n")
    result = terminal.run("load", loads.write(), "--nodes", "2", "--testoverrides", "goal.yaml")
    assert result.code == 1
    assert "small: FAILED" in result.out
    assert "FAIL" in result.out
    assert "Errors (1):" in result.out
    assert "pod-0" in result.out[result.out.index("Errors") :]


def test_a_verdict_without_samples_is_told_and_fails_if_strict(terminal: Terminal) -> None:
    config = loads.CONFIG.replace("PodStartupLatency", "PodStartupLatencyValidator").replace(
        "labelSelector: group = load, threshold", "labelSelector: group = nobody, threshold"
    )
    name = loads.write(config)
    lenient = terminal.run("load", name, "--nodes", "2")
    assert lenient.code == 0
    assert "no samples" in lenient.out
    assert "passed without a sample" in lenient.out
    assert terminal.run("load", name, "--nodes", "2", "--strict").code == 1


def test_a_load_whose_every_measurement_is_skipped_measures_nothing(terminal: Terminal) -> None:
    mention = "  - {method: DnsLookupLatency, identifier: dns, params: {action: start}}"
    name = loads.write(f"name: idle\nsteps:\n- name: Probe\n  measurements:\n{mention}\n")
    lenient = terminal.run("load", name, "--nodes", "1", "--report-dir", "out")
    assert lenient.code == 0
    assert lenient.out.startswith("idle: NOTHING MEASURED after ")
    assert "1 measurement skipped" in lenient.out.splitlines()[0]
    cases = ET.parse("out/junit.xml").getroot()
    assert [case[0].tag for case in cases] == ["skipped", "skipped"]
    assert "Nothing measured" in pathlib.Path("out/report.html").read_text()
    data = json.loads(terminal.run("load", name, "--nodes", "1", "-o", "json").out)
    assert (data["passed"], data["tests"][0]["outcome"]) == (False, "nothing measured")
    strict = terminal.run("load", name, "--nodes", "1", "--strict")
    assert strict.code == 1
    assert "dns was skipped: needs prober pods" in strict.out


def test_the_flags_of_clusterloader2_are_taken(terminal: Terminal) -> None:
    flags = ["--testconfig", loads.write(), "--provider=kind", "--nodes=2", "--report-dir=out"]
    result = terminal.run("load", *flags, "--k8s-clients-number=1", "--registry-k8s-repo=here")
    assert (result.code, result.err) == (0, "")
    assert json.loads(pathlib.Path("out/cl2-metadata.json").read_text())["profile"] == "kind"


def test_switches_have_values_as_in_go_and_what_is_so_is_accepted(
    terminal: Terminal,
) -> None:
    same = ["--enable-exec-service=false", "--enable-prometheus-server=0"]
    same += ["--delete-automanaged-namespaces=true", "--run-from-cluster=false"]
    name = loads.write()
    planned = terminal.run("load", name, "--nodes=2", "--dry-run=true", *same)
    assert (planned.code, planned.err) == (0, "")
    assert planned.out == terminal.run("load", name, "--nodes=2", "--dry-run").out
    ran = terminal.run("load", name, "--nodes=2", "--dry-run=false", *same)
    assert ran.out.startswith("small: passed after ")
    refused = terminal.run("load", name, "--enable-exec-service=true")
    assert (refused.code, refused.out) == (2, "")
    unread = terminal.run("load", name, "--dry-run=perhaps")
    assert unread.code == 2


def test_the_plan_has_what_will_fail(terminal: Terminal) -> None:
    config = loads.CONFIG.replace("action: gather", "action: collect").replace("max: 1", "max: 2")
    name = loads.write(config, pod=loads.POD.replace("group: load", "group: {{.Group}}"))
    result = terminal.run("load", name, "--nodes", "2", "--dry-run")
    assert result.code == 2
    problems = result.out[result.out.index("Problems:") :]
    assert "steps[1].phases[0].namespaceRange.max: 2: the load has 1 namespace" in problems
    assert "params.action: unknown action 'collect' (use start or gather)" in problems
    assert "pod.yaml: metadata.labels.group: a variable in it has no value" in problems
    assert "Warnings" not in problems


def test_the_plan_has_what_parameters_lack_in_the_spelling_of_the_file(terminal: Terminal) -> None:
    steps = """
name: lacking
Steps:
- Name: Begin
  Measurements:
  - Method: WaitForControlledPodsRunning
    Identifier: wait
    Params: {action: start, apiVersion: apps/v1}
  - Method: TestMetrics
    Identifier: metrics
    Params: {action: start, resourceConstraints: limits.yaml, systemPodMetric: true}
"""
    result = terminal.run("load", loads.write(steps), "--nodes", "2", "--dry-run")
    assert result.code == 2
    problems = result.out[result.out.index("Problems:") :]
    first = "load.yaml: Steps[0].Measurements[0].Params.kind: kind is missing"
    assert first in problems
    second = "load.yaml: Steps[0].Measurements[1].Params.resourceConstraints: 'limits.yaml': file"
    assert second in problems
    assert "Params.systemPodMetric: unknown parameter" in result.out
    ran = terminal.run("load", loads.write(steps), "--nodes", "2")
    assert ran.code == 1
    assert first in ran.out


def test_the_plan_has_the_problems_of_a_measurement_of_ones_own(terminal: Terminal) -> None:
    pathlib.Path("own.py").write_text(
        """
from kubestage.errors import InputError
from kubestage.measure.framework import Measurement, Params


class SizeParams(Params, frozen=True, kw_only=True):
    size: int = 0

    def problems(self):
        if self.size <= 0:
            yield InputError(f"{self.size} is no size", path="params.size", fix="write 1 or more")


class Sized(Measurement[SizeParams]):
    params_type = SizeParams
"""
    )
    config = "steps: [{measurements: [{method: Sized, identifier: x, params: {action: start}}]}]"
    name = loads.write(f"name: own\n{config}\n")
    result = terminal.run("load", name, "--measurement", "own.py:Sized", "--dry-run")
    assert result.code == 2
    expected = "load.yaml: steps[0].measurements[0].params.size: 0 is no size (write 1 or more)"
    assert expected in result.out


def test_a_test_takes_as_long_as_its_clean_up(terminal: Terminal) -> None:
    told = json.loads(terminal.run("load", loads.write(), "--nodes", "2", "-o", "json").out)
    [test] = told["tests"]
    last = test["steps"][-1]
    assert test["seconds"] >= last["beganSeconds"] + last["seconds"] + 5


def test_an_unknown_key_is_a_warning_and_an_error_if_strict(terminal: Terminal) -> None:
    name = loads.write(loads.CONFIG.replace("name: small", "name: small\nstepps: []"))
    lenient = terminal.run("load", name, "--nodes", "2")
    assert lenient.code == 0
    assert "Warnings (1):\n  load.yaml: stepps: unknown key (did you mean 'steps'?)" in lenient.out
    strict = terminal.run("load", name, "--nodes", "2", "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert "load.yaml: stepps: unknown key\n  fix: did you mean 'steps'?" in strict.err


def test_the_result_as_data(terminal: Terminal) -> None:
    result = terminal.run("load", loads.write(), "--nodes", "2", "-o", "json")
    told = json.loads(result.out)
    [test] = told["tests"]
    assert told["passed"] is test["passed"] is True
    assert [step["name"] for step in test["steps"]][1] == "[step: 02] Create"
    assert test["steps"][1]["seconds"] == 0.4
    verdict = test["verdicts"][2]
    assert (verdict["name"], verdict["threshold"], verdict["samples"]) == ("pod_startup p99", 5, 4)
    assert 0.5 < verdict["value"] < 5


def test_the_same_seed_gives_the_same_files_in_every_process(terminal: Terminal) -> None:
    name = loads.write()
    command = [sys.executable, "-c", "from kubestage import cli; cli.main()", "load", name]
    for directory in ("one", "two"):
        words = ["--nodes", "2", "--seed", "7", "--report-dir", directory]
        environment = {**os.environ, "PYTHONHASHSEED": "1" if directory == "one" else "2"}
        subprocess.run([*command, *words], env=environment, check=True, capture_output=True)
    terminal.run("load", name, "--nodes", "2", "--seed", "8", "--report-dir", "three")
    one, two, three = (
        {path.name: path.read_bytes() for path in pathlib.Path(each).iterdir()}
        for each in ("one", "two", "three")
    )
    assert one == two
    assert {"junit.xml", "load.sqlite", "report.html", "generatedConfig_small.yaml"} <= one.keys()
    assert one["load.sqlite"] != three["load.sqlite"]


def test_a_report_says_where_it_is_and_counts_its_tests(terminal: Terminal) -> None:
    result = terminal.run("load", loads.write(), "--nodes", "2", "--report-dir", "out")
    assert result.out.endswith("\nReport: out\n")
    suite = ET.parse("out/junit.xml").getroot()
    assert suite.get("tests") == str(len(suite.findall("testcase"))) == "5"


def test_environment_and_options_are_parameters(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CL2_PODS", "3")
    more = ["--overwrite-test-config", "Name=other", "--skip-steps", "Wait"]
    told = json.loads(terminal.run("load", loads.write(), "--nodes", "2", "-o", "json", *more).out)
    [test] = told["tests"]
    assert test["name"] == "other"
    assert test["verdicts"][0]["samples"] <= 3
    assert [step["name"] for step in test["steps"]][-1] == "[step: 03] Gather"


def test_a_suite_runs_one_test_after_the_other_with_its_overrides(terminal: Terminal) -> None:
    loads.write()
    pathlib.Path("five.yaml").write_text("CL2_PODS: 5\n")
    pathlib.Path("suite.yaml").write_text(
        "# two tests\n- identifier: first\n  configPath: load.yaml\n"
        "- identifier: second\n  configPath: load.yaml\n  overridePaths: [five.yaml]\n"
    )
    for words in (("suite.yaml",), ("--suite", "suite.yaml")):
        told = json.loads(terminal.run("load", *words, "--nodes", "2", "-o", "json").out)
        first, second = told["tests"]
        assert (first["identifier"], second["identifier"]) == ("first", "second")
        assert [each["verdicts"][0]["samples"] for each in (first, second)] == [4, 5]


def test_a_stage_may_be_given_by_manifests(terminal: Terminal) -> None:
    nodes = [make_node(name, cpu="4", pods=9) for name in ("a", "b", "c")]
    pathlib.Path("cluster.yaml").write_text(yaml.safe_dump_all(nodes))
    plan = json.loads(
        terminal.run(
            "load", loads.write(), "--stage", "cluster.yaml", "--dry-run", "-o", "json"
        ).out
    )
    assert plan["plans"][0]["nodes"] == 3
    assert terminal.run("load", "load.yaml", "--stage", "cluster.yaml").code == 0


def test_nodes_have_the_shape_that_is_asked_for(terminal: Terminal) -> None:
    words = ["load", loads.write(), "--nodes", "1", "--profile", "kubemark"]
    assert terminal.run(*words, "--node", "cpu=40m").code == 0
    full = terminal.run(*words, "--node", "cpu=30m")
    assert full.code == 1
    assert "WaitForRunningPods - running" in full.out


def test_all_measurements_are_listed(terminal: Terminal) -> None:
    names = terminal.run("load", "--list-methods").out.split()
    assert {"PodStartupLatency", "Sleep", "ChaosMonkey"} <= set(names)
    assert names == sorted(names)
    assert len(names) > 51


def test_the_plan_needs_no_cluster_and_counts_everything(terminal: Terminal) -> None:
    result = terminal.run("load", loads.write(), "--dry-run", "--kubeconfig", "nowhere")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("small: 4 steps for 100 nodes\n")
    assert "2      Create   4       4      400ms   create 4 Pod pod (Uniform)" in result.out
    assert "Creates 4 Pod in 1 namespace.\nAbout 4 pods at most, 4 API calls.\n" in result.out


def test_a_template_that_cannot_be_filled_is_found_by_the_plan(terminal: Terminal) -> None:
    name = loads.write(pod=loads.POD.replace('DefaultParam .Cpu "10m"', "MultiplyInt .Cpu 2"))
    result = terminal.run("load", name, "--dry-run")
    assert result.code == 2
    assert "Problems:\n  pod-0: pod.yaml" in result.out


def test_the_help_is_that_of_a_command_and_names_the_search(terminal: Terminal) -> None:
    for words in (("load", "--help"), ("load", "-h")):
        told = terminal.run(*words).out
        assert "kubestage load [OPTIONS] [CONFIG...]" in told
        assert "kubestage load find-limit config.yaml" in told
    assert "--vary" in terminal.run("load", "find-limit", "--help").out


def test_what_the_chaos_monkey_did_is_told(terminal: Terminal) -> None:
    failure = "{failureRate: 0.5, interval: 10s, jitterFactor: 1.0, simulatedDowntime: 20s}"
    chaos = f"chaosMonkey: {{nodeFailure: {failure}, excludedNodes: [node-0]}}\n"
    sleep = "- measurements: [{method: Sleep, identifier: s, params: {duration: 1m}}]\n"
    name = loads.write(loads.CONFIG + sleep + chaos)
    told = terminal.run("load", name, "--nodes", "2").out
    assert "UTC 2026 stopService happened for node node-1\n" in told[told.index("Chaos (2):") :]
    assert "UTC 2026 rebootNode happened for node node-1\n" in told
    loads.write(loads.CONFIG + sleep + chaos.replace("node-0", "node-0, node-1"))
    [test] = json.loads(terminal.run("load", name, "--nodes", "2", "-o", "json").out)["tests"]
    assert test["chaos"] == ["no node was made to fail"]


def test_a_fatal_error_ends_the_test_and_the_first_line_says_so(terminal: Terminal) -> None:
    config = loads.CONFIG.replace("timeout: 1m", "timeout: 10s\n      isFatal: true")
    name = loads.write(config.replace("desiredPodCount: ", "desiredPodCount: 1"))
    result = terminal.run("load", name, "--nodes", "2")
    assert result.code == 1
    assert result.out.splitlines()[0].endswith(", ended early by a fatal error")
    assert "Gather" not in result.out


def test_an_unknown_parameter_is_told_once_and_before_anything_runs(terminal: Terminal) -> None:
    name = loads.write(loads.CONFIG.replace("timeout: 1m", "timeout: 1m\n      refresh: 2s"))
    for more in ((), ("--dry-run",)):
        told = terminal.run("load", name, "--nodes", "2", *more)
        assert told.code == 0
        assert told.out.count("unknown parameter") == 1
        assert "load.yaml: steps[2].measurements[0].params.refresh: " in told.out
    assert terminal.run("load", name, "--nodes", "2", "--strict").code == 2
