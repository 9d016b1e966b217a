"""``kubestage validate`` reads a Scenario to the bottom of the objects that it creates."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

HEAD = """\
apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1
kind: Scenario
metadata:
  name: it
spec:
"""
BAD = f"""{HEAD}\
  events:
  - id: nodes
    step: 1
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Noed
        metadata: {{name: n1}}
  - id: pods
    stpe: 1
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Pod
        metadata: {{name: p1}}
        spec:
          containers:
          - name: main
            image: nginx
            ports:
            - containerPort: "80"
  - id: pods
    step: 2
    operation: Patch
    patchOperation:
      typeMeta: {{apiVersion: apps/v1, kind: Deployment}}
      objectMeta: {{name: web}}
      patch: |
        spec: {{replica: 3}}
  - step: 2
    operation: Done
    deleteOperation:
      typeMeta: {{apiVersion: v1, kind: Node}}
      objectMeta: {{name: n1}}
"""
REPORT = """\
it.yaml:13: spec.events[0].createOperation.object.kind: unknown kind "Noed" in "v1"
  fix: did you mean Node?
it.yaml:16: spec.events[1].stpe: unknown field "stpe"
  fix: did you mean step?
it.yaml:28: spec.events[1].createOperation.object.spec.containers[0].ports[0].containerPort: \
expected a whole number, got a string
  fix: remove the quotes: 80
it.yaml:29: spec.events[2].id: id "pods" is that of spec.events[1] too
  fix: give each event an id of its own, or none
it.yaml:35: spec.events[2].patchOperation.patch: spec.replica: unknown field "replica"
  fix: did you mean replicas?
it.yaml:38: spec.events[3].operation: operation is Done, but deleteOperation is given
  fix: write operation: Delete
warning: it.yaml:34: spec.events[2].patchOperation.objectMeta.name: Deployment "web" was not \
created by an event before
  fix: check name and step
warning: it.yaml:41: spec.events[3].deleteOperation.objectMeta.name: Node "n1" was not created by \
an event before
  fix: check name and step

1 object in 1 file: 0 valid, 1 invalid
"""
WIDGETS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
"""


def test_every_error_of_a_scenario_and_of_its_objects_is_reported(terminal: Terminal) -> None:
    pathlib.Path("it.yaml").write_text(BAD)
    result = terminal.run("validate", "it.yaml")
    assert result.out == REPORT
    assert (result.code, result.err) == (2, "")


def test_a_scenario_that_is_only_doubtful_is_valid(terminal: Terminal) -> None:
    pathlib.Path("it.yaml").write_text(f"{HEAD}  operations: []\n")
    result = terminal.run("validate", "it.yaml")
    assert result.code == 0
    assert result.out == (
        "warning: it.yaml:5: spec: there are no events: it will be Paused at once\n"
        "  fix: write spec.events, or add some while it is paused\n\n"
        "1 object in 1 file: 1 valid, 0 invalid\n"
    )


def test_machines_get_problems_and_warnings_apart(terminal: Terminal) -> None:
    pathlib.Path("it.yaml").write_text(BAD)
    report = json.loads(terminal.run("validate", "it.yaml", "-o", "json").out)
    assert (len(report["problems"]), len(report["warnings"])) == (6, 2)
    assert report["warnings"][1] == {
        "file": "it.yaml",
        "line": 41,
        "path": "spec.events[3].deleteOperation.objectMeta.name",
        "problem": 'Node "n1" was not created by an event before',
        "fix": "check name and step",
    }


def test_kinds_that_other_files_define_may_be_created(terminal: Terminal) -> None:
    pathlib.Path("widgets.yaml").write_text(WIDGETS)
    pathlib.Path("it.yaml").write_text(
        f"{HEAD}  events:\n  - operation: Create\n    createOperation:\n      object:\n"
        "        {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}\n"
    )
    assert terminal.run("validate", "it.yaml").code == 2
    assert terminal.run("validate", "it.yaml", "widgets.yaml").code == 0


def test_a_kind_that_is_no_text_ends_in_words(terminal: Terminal) -> None:
    pathlib.Path("it.yaml").write_text("apiVersion: v1\nkind: [Pod]\n")
    result = terminal.run("validate", "it.yaml")
    assert (result.code, result.err) == (2, "")
    assert result.out.startswith("it.yaml:2: kind is missing\n")
