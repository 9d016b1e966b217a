"""A load that is written as the vision document writes it: its names, in JSON."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

from kubestage.results.load import reading
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

POD = (
    '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "{{.Name}}", "labels": '
    '{"n": "{{ N+i%5 }}"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}'
)
NAMESPACE = '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{{.Name}}"}}'
METHODS = ["PodStartupLatencyValidator", "APICallLatencyValidator", "ResourceGatherer"]


def _object(kind: str, basename: str) -> dict[str, Any]:
    return {
        "ObjectType": {"APIGroup": "", "APIVersion": "v1", "Kind": kind},
        "Basename": basename,
        "ObjectTemplatePath": f"{kind.lower()}.json",
    }


def _phase(replicas: int, made: dict[str, Any], space: dict[str, Any] | None) -> dict[str, Any]:
    return {
        **({} if space is None else {"NamespaceRange": space}),
        "ReplicasPerNamespace": replicas,
        "TuningSet": "Slow",
        "Objects": [made],
    }


def _write() -> str:
    own = {"Min": 0, "Max": 1, "Basename": "mine"}
    pod = _object("Pod", "pod")
    config = {
        "Namespaces": 2,
        "Steps": [
            {"Name": "Own", "Phases": [_phase(2, _object("Namespace", "mine"), None)]},
            {"Name": "Begin", "Measurements": METHODS},
            {"Name": "Pods", "Phases": [_phase(2, pod, {"Min": 1, "Max": 2}), _phase(1, pod, own)]},
            {"Measurements": [{"Method": "Sleep", "Params": {"duration": "20s"}}]},
            {"Name": "End", "Measurements": METHODS},
        ],
        "TuningSets": [{"Name": "Slow", "InitialDelay": "3s", "QpsLoad": {"Qps": 2}}],
    }
    pathlib.Path("load.json").write_text(json.dumps(config))
    pathlib.Path("pod.json").write_text(POD)
    pathlib.Path("namespace.json").write_text(NAMESPACE)
    return "load.json"


def test_a_file_in_the_document_s_words_runs_as_it_is(terminal: Terminal) -> None:
    done = terminal.run("load", _write(), "--nodes", "2", "--report-dir", "out", "--strict")
    assert (done.code, done.err) == (0, ""), done.out
    with reading.open_report("out") as report:
        made = report.rows("SELECT * FROM calls WHERE verb = 'create' AND step IS NOT NULL")
        left = report.rows("SELECT * FROM calls WHERE verb = 'delete' AND step IS NULL")
        began = report.rows("SELECT began_ns FROM steps")
        judged = {each.method for each in report.verdicts() if each.samples}
    places = sorted((each["kind"], each["namespace"], each["name"]) for each in made)
    assert places == [
        ("Namespace", "", "mine-0"),
        ("Namespace", "", "mine-1"),
        ("Pod", "mine-0", "pod-0"),
        ("Pod", "mine-1", "pod-0"),
        *(("Pod", f"namespace-{at}", f"pod-{pod}") for at in (1, 2) for pod in (0, 1)),
    ]
    waited = [made[at]["asked_ns"] - began[step]["began_ns"] for at, step in ((0, 0), (2, 2))]
    assert waited == [3 * SECOND_NS, 3 * SECOND_NS]
    assert judged == {"PodStartupLatencyValidator", "APICallLatencyValidator"}
    gone = {each["name"] for each in left if each["kind"] == "Namespace"}
    assert gone == {"mine-0", "mine-1", "namespace-1", "namespace-2"}
