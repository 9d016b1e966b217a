"""``kubestage validate`` of files that are no manifests, each with the code of its command."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

LOAD = """\
{{$qps := DefaultParam .CL2_QPS 5}}
name: x
namespace: {number: 1}
tuningSets:
- name: Uniform
  qpsLoad: {qps: {{$qps}}}
steps:
- name: create
  phases:
  - tuningSet: Uniform
    replicasPerNamespace: 1
    objectBundle:
    - basename: pod
      objectTemplatePath: pod.yaml
"""
# The load gives it its name, so as a manifest it would be invalid.
POD = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c, image: i}]}\n"
EXPORT = "pods: []\nnodes:\n- metadata: {name: n1}\n"
SOUND = {
    "scheduler.yaml": (
        "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"
    ),
    "plane.yaml": "extends: kind\nscheduler: {attempt: 5ms}\n",
    "overrides.yaml": "CL2_QPS: 7\n",
    "suite.yaml": "- identifier: a\n  configPath: load.yaml\n  overridePaths: [overrides.yaml]\n",
    "module.yaml": "steps:\n- name: {{.name}}\n",
    "trace.csv": "time,rps\n0,5\n60,7\n",
    "usage.csv": "time,total\n0,5\n15,6\n",
    "load.yaml": LOAD,
    "pod.yaml": POD,
    "export.yaml": EXPORT,
}


def write(texts: dict[str, str]) -> None:
    for name, text in texts.items():
        pathlib.Path(name).write_text(text)


def test_files_of_every_kind_are_valid_together(terminal: Terminal) -> None:
    write(SOUND)
    result = terminal.run("validate", ".", "trace.csv", "usage.csv")
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("10 objects in 10 files: 10 valid, 0 invalid\n")


BROKEN: dict[str, tuple[str, str, str]] = {
    "an unknown field of a configuration": (
        "scheduler.yaml",
        "profiles:\n- schedulerName: a\n  plugin: {}\n",
        'scheduler.yaml:5: profiles[0].plugin: unknown field (profile "a")',
    ),
    "an unknown plugin": (
        "scheduler.yaml",
        "profiles:\n- schedulerName: a\n  plugins:\n    score: {enabled: [{name: Zzz}]}\n",
        (
            "scheduler.yaml:6: initializing profiles: creating profile for scheduler name a: "
            'ScorePlugin "Zzz" does not exist'
        ),
    ),
    "an unknown key of a control plane": (
        "plane.yaml",
        "extends: kind\nscheduler:\n  attemt: 5ms\n",
        "plane.yaml:3: scheduler.attemt: unknown key",
    ),
    "a bad row of a trace": ("trace.csv", "time,rps\n0,5\nx,7\n", "trace.csv:3: 'x' is no time"),
    "a bad cell of usage": ("usage.csv", "time,total\n0,lots\n", "usage.csv:2: "),
    "a tuning set that there is not": (
        "load.yaml",
        LOAD.replace("tuningSet: Uniform", "tuningSet: Unifrom"),
        "load.yaml:10: steps[0].phases[0].tuningSet: 'Unifrom': tuning set referenced has not",
    ),
    "a template that there is not": (
        "load.yaml",
        LOAD.replace("pod.yaml", "none.yaml"),
        "load.yaml:14: steps[0].phases[0].objectBundle[0].objectTemplatePath: 'none.yaml': ",
    ),
    "a template that cannot be filled": (
        "load.yaml",
        LOAD.replace("DefaultParam", "DefautParam"),
        "load.yaml: parsing error: ",
    ),
    "a broken module": (
        "module.yaml",
        "steps:\n- name: {{.name\n",
        "module.yaml: parsing error: ",
    ),
    "broken overrides": ("overrides.yaml", "CL2_QPS: [\n", "overrides.yaml:2: not valid YAML: "),
    "a bad identifier in a suite": (
        "suite.yaml",
        "- identifier: a_b\n  configPath: load.yaml\n",
        "suite.yaml:1: [0].identifier: scenario identifiers cannot contain underscores",
    ),
    "a broken export": ("export.yaml", "pods: {}\nnodes: []\n", "export.yaml"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_is_told_with_file_line_and_path(what: str, terminal: Terminal) -> None:
    name, text, told = BROKEN[what]
    write({"pod.yaml": POD, "load.yaml": LOAD})
    if name == "scheduler.yaml":
        clusters.write_config(text)
    else:
        write({name: text})
    result = terminal.run("validate", name)
    assert (result.code, result.err) == (2, "")
    assert result.out.startswith(told)


def test_all_errors_of_a_configuration_are_told_with_their_profiles(terminal: Terminal) -> None:
    clusters.write_config(
        """\
        parallelism: -1
        profiles:
        - schedulerName: a
          percentageOfNodesToScore: 200
        - schedulerName: b
        - schedulerName: a
        """
    )
    result = terminal.run("validate", "scheduler.yaml", "-o", "json")
    assert result.code == 2
    told = [
        (each["line"], each["path"], each["problem"]) for each in json.loads(result.out)["problems"]
    ]
    assert told == [
        (3, "parallelism", "Invalid value: -1: should be an integer value greater than zero"),
        (
            6,
            "profiles[0].percentageOfNodesToScore",
            'Invalid value: 200: not in valid range [0-100] (profile "a")',
        ),
        (
            8,
            "profiles[2].schedulerName",
            'Duplicate value: {} (profile "a", first at line 5)',
        ),
    ]


def test_errors_of_all_files_are_told_at_once(terminal: Terminal) -> None:
    clusters.write_config("parallelism: -1\n")
    write({"plane.yaml": "extends: kidn\n", "deployment.yaml": "apiVersion: v1\nkind: Pdo\n"})
    result = terminal.run("validate", ".")
    assert result.code == 2
    assert "plane.yaml:1: extends: " in result.out
    assert "scheduler.yaml:3: parallelism" in result.out
    assert 'unknown kind "Pdo"' in result.out
    assert result.out.endswith("3 objects in 3 files: 0 valid, 3 invalid\n")


def test_a_plugin_of_ones_own_is_known_if_it_is_named(terminal: Terminal) -> None:
    clusters.write_plugin(
        """\
        class Mine:
            name = "Mine"
            def __init__(self, args, handle): ...
            def score_node(self, state, pod, node): return 1
        """
    )
    clusters.write_config(clusters.enabling("Mine"))
    assert terminal.run("validate", "scheduler.yaml").code == 2
    assert terminal.run("validate", "scheduler.yaml", "--plugin", "mine.py:Mine").code == 0


def test_a_configuration_among_objects_of_one_file_is_checked(terminal: Terminal) -> None:
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    write(
        {
            "all.yaml": f"{POD}  \n---\n{head}parallelism: -1\n".replace(
                "spec", "metadata: {name: p}\nspec"
            )
        }
    )
    result = terminal.run("validate", "all.yaml")
    assert result.code == 2
    assert "all.yaml:9: parallelism: Invalid value: -1" in result.out


STAGE = """\
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: s}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  next: {statusTemplate: '{{ .x | nofunction }}'}
"""
TRAFFIC = """\
apiVersion: kubestage.dev/v1alpha1
kind: Traffic
metadata: {name: t}
spec:
  target: {kind: Deployment, name: web}
  pattern: {constnat: {rps: 5}}
"""
NODE_GROUP = """\
apiVersion: kubestage.dev/v1alpha1
kind: NodeGroup
metadata: {name: g}
spec: {templte: {}}
"""
ANNOTATED = """\
apiVersion: v1
kind: Pod
metadata:
  name: p
  annotations:
    kubestage.dev/launch-delay: soon
spec: {containers: [{name: c, image: i}]}
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (STAGE, "m.yaml:6: spec.next.statusTemplate: "),
        (TRAFFIC, "m.yaml:6: spec.pattern.constnat: "),
        (NODE_GROUP, "m.yaml:4: spec.templ"),
        (ANNOTATED, "m.yaml:6: metadata.annotations[kubestage.dev/launch-delay]: "),
    ],
)
def test_our_own_kinds_are_checked_as_they_are_run(
    text: str, told: str, terminal: Terminal
) -> None:
    write({"m.yaml": text})
    result = terminal.run("validate", "m.yaml")
    assert result.code == 2
    assert told in result.out
    assert terminal.run("run", "m.yaml").code == 2


def test_a_chart_is_one_problem(terminal: Terminal) -> None:
    pathlib.Path("chart/templates").mkdir(parents=True)
    write(
        {
            "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
            "chart/values.yaml": "a: 1\n",
            "chart/templates/a.yaml": 'apiVersion: v1\nkind: Pod\nx: {{ include "a" . }}\n',
        }
    )
    result = terminal.run("validate", "chart")
    assert result.code == 2
    assert result.out.count("helm template chart") == 1
