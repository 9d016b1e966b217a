"""Files are recognised by what they say or hold, and each is for some command."""

from __future__ import annotations

import gzip
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.runs.inputs import file_kinds
from kubestage.runs.inputs.file_kinds import FileKind

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"
LOAD = "name: x\nnamespace: {number: {{.Nodes}}}\nsteps:\n- name: a\n"
SUITE = "- identifier: a\n  configPath: load.yaml\n"
PLANE = "extends: gce-100\nscheduler: {attempt: 5ms}\n"
KUBECONFIG = "apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: []\n"
SCENARIO = (
    "apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1\nkind: Scenario\n"
    "metadata: {name: s}\nspec: {events: []}\n"
)
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.yaml", SCHEDULER, FileKind.SCHEDULER),
        ("a.yaml", f"# mine\n---\n{SCHEDULER}profiles: [\n", FileKind.SCHEDULER),
        ("a.json", '{"kind": "KubeSchedulerConfiguration"}', FileKind.SCHEDULER),
        ("a.yaml", LOAD, FileKind.LOAD),
        ("a.yaml", f"{{{{$n := 3}}}}\n{LOAD}", FileKind.LOAD),
        ("a.yaml", "namespaces: 3\nsteps: []\n", FileKind.LOAD),
        ("a.yaml", "steps:\n- name: a\n", FileKind.MODULE),
        ("a.yaml", SUITE, FileKind.SUITE),
        ("a.yaml", "CL2_QPS: 5\nCL2_NODES: 3\n", FileKind.OVERRIDES),
        ("a.yaml", PLANE, FileKind.CONTROL_PLANE),
        ("a.json", '{"extends": "kind", "etcd": {}}', FileKind.CONTROL_PLANE),
        ("a.csv", "time,rps\n0,5\n", FileKind.TRACE),
        ("a.csv", "arrival\n0.5\n", FileKind.TRACE),
        ("a.csv", "time,pod,cpu\n0,a,1\n", FileKind.USAGE),
        ("a.yaml", "pods: []\nnodes: []\n", FileKind.EXPORT),
        ("a.json", '{"time":"2026-01-01T00:00:00Z","event":"ADDED"}', FileKind.RECORDING),
        ("config", KUBECONFIG, FileKind.KUBECONFIG),
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n", FileKind.CHART),
        ("kustomization.yaml", "resources: [a.yaml]\n", FileKind.KUSTOMIZATION),
        ("run.json", '{"version": "1", "seed": 0, "tieBreak": "heap"}', FileKind.RUN),
        ("a.yaml", SCENARIO, FileKind.SCENARIO),
        ("a.yaml", POD, FileKind.MANIFESTS),
        ("a.yaml", f'{POD}spec: {{nodeName: "{{{{x}}}}"}}\n', FileKind.MANIFESTS),
        ("a.yaml", f"{POD}spec: {{nodeName: {{{{.X}}}}}}\n", FileKind.TEMPLATE),
        ("a.yaml", "hello: world\n", FileKind.UNKNOWN),
        ("a.yaml", "", FileKind.UNKNOWN),
    ],
)
def test_a_file_is_known_by_what_is_in_it(name: str, text: str, kind: FileKind) -> None:
    assert file_kinds.recognise(name, text.encode()) is kind
    assert file_kinds.recognise(name, b"\xef\xbb\xbf" + text.encode()) is kind


def test_a_compressed_file_is_a_trace() -> None:
    assert file_kinds.recognise("a.csv.gz", gzip.compress(b"arrival\n1\n")) is FileKind.TRACE


def test_no_bytes_break_it() -> None:
    for data in (b"\xff\xfe\x00", b"{" * 100_000, b"\x00", b"kind: \xff\n"):
        file_kinds.recognise("a.yaml", data)


def write(**texts: str) -> None:
    for name, text in texts.items():
        path = pathlib.Path(f"{name}.yaml")
        path.write_text(text)


@pytest.fixture(autouse=True)
def _files(terminal: Terminal) -> None:
    del terminal
    write(
        scheduler=SCHEDULER, load=LOAD, suite=SUITE, plane=PLANE, kubeconfig=KUBECONFIG,
        scenario=SCENARIO, pod=POD, overrides="CL2_QPS: 5\n", export="pods: []\nnodes: []\n",
    )  # fmt: skip
    pathlib.Path("chart/templates").mkdir(parents=True)
    pathlib.Path("chart/Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    pathlib.Path("chart/values.yaml").write_text("a: 1\n")
    pathlib.Path("chart/templates/pod.yaml").write_text(f'{POD}spec: {{{{ include "x" . }}}}\n')
    pathlib.Path("trace.csv").write_text("time,rps\n0,5\n")
    pathlib.Path("usage.csv").write_text("time,total\n0,5\n")


WRONG: dict[tuple[str, ...], str] = {
    ("run", "load.yaml"): "kubestage load load.yaml",
    ("run", "suite.yaml"): "kubestage load suite.yaml",
    ("run", "overrides.yaml"): "--testoverrides overrides.yaml",
    ("run", "plane.yaml"): "--profile plane.yaml",
    ("run", "scheduler.yaml"): "--config scheduler.yaml",
    ("run", "kubeconfig.yaml"): "--kubeconfig kubeconfig.yaml",
    ("run", "chart"): "helm template chart",
    ("run", "chart/values.yaml"): "helm template chart",
    ("run", "chart/templates/pod.yaml"): "helm template chart",
    ("run", "trace.csv"): "spec.pattern.trace.file",
    ("run", "usage.csv"): "kubestage backtest usage.csv",
    ("serve", "load.yaml", "--in-memory"): "kubestage load load.yaml",
    ("get", "pods", "-f", "load.yaml"): "kubestage load load.yaml",
    ("get", "pods", "-f", "export.yaml"): "kubestage run export.yaml",
    ("load", "scenario.yaml"): "kubestage run scenario.yaml",
    ("load", "pod.yaml"): "kubestage run pod.yaml",
    ("load", "scheduler.yaml"): "--config scheduler.yaml",
    ("load", "kubeconfig.yaml"): "--kubeconfig kubeconfig.yaml",
    ("load", "load.yaml", "--profile", "scheduler.yaml"): "--config scheduler.yaml",
    ("run", "pod.yaml", "--config", "load.yaml"): "kubestage load load.yaml",
    ("run", "pod.yaml", "--config", "scenario.yaml"): "kubestage run scenario.yaml",
    ("config", "view", "--config", "plane.yaml"): "--profile plane.yaml",
    ("analyze", "load.yaml"): "kubestage load load.yaml",
    ("explain", "scheduler.yaml", "web"): "--config scheduler.yaml",
    ("compare", "load.yaml", "load.yaml"): "kubestage load load.yaml",
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_a_file_for_another_command_is_told_with_that_command(
    arguments: tuple[str, ...], terminal: Terminal
) -> None:
    result = terminal.run(*arguments)
    assert (result.code, result.out) == (2, "")
    problem, _, fix = result.err.partition("\n")
    assert WRONG[arguments] in fix
    assert any(each in problem for each in (" is ", "is not"))
