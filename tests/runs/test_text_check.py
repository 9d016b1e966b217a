"""Problems of manifests as a cluster finds them, at their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import Stage
from kubestage.runs import text_check
from kubestage.server import slices
from kubestage.testing import make_node

if TYPE_CHECKING:
    from kubestage.runs.text_check import TextCheck, Verb

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colours\n"
POD = """apiVersion: v1
kind: Pod
metadata: {name: web, namespace: %s}
spec:
  containers:
  - name: web
    image: nginx
"""


@pytest.fixture
def stage() -> Stage:
    stage = Stage(seed=1, implicit_namespaces=False)
    stage.add_scheduler()
    stage.store.create(make_node("n1"))
    stage.apply(MAP + "data: {sky: blue}\n")
    return stage


def check(stage: Stage, text: str, existing: Verb = "apply") -> TextCheck:
    read = text_check.read(text.encode())
    before = stage.store.revision
    found = slices.at_once(text_check.pieces(read, stage.store, existing))
    assert stage.store.revision == before, "a check changes nothing"
    return found


def places(found: TextCheck) -> list[tuple[str, int, str]]:
    return [(each.level, each.line, each.path) for each in found.problems]


def test_each_field_is_found_at_its_line(stage: Stage) -> None:
    pod = POD.replace("web, namespace: %s", "a_b") + "    imagePullPolice: Never\n"
    text = pod + "---\n" + MAP + "x: 1\n"
    found = check(stage, text)
    assert places(found) == [
        ("error", 8, "spec.containers[0].imagePullPolice"),
        ("error", 14, "x"),
    ]
    assert found.problems[0].fix == "did you mean imagePullPolicy?"
    assert [each.object for each in found.problems] == [0, 1]


def test_a_rule_of_the_api_is_found_at_its_line(stage: Stage) -> None:
    found = check(stage, POD.replace("image: nginx", 'image: ""') % "default")
    assert places(found) == [("error", 7, "spec.containers[0].image")]


def test_what_is_no_yaml_is_found_at_its_line(stage: Stage) -> None:
    found = check(stage, MAP + "data:\n  a: b: c\n---\n" + MAP.replace("colours", "b"))
    assert [each[1] for each in places(found)] == [6]
    assert [each.name for each in found.objects] == ["b"]


def test_a_version_that_is_old_is_a_conflict(stage: Stage) -> None:
    text = MAP + '  resourceVersion: "1"\ndata: {sky: grey}\n'
    (problem,) = check(stage, text, "replace").problems
    assert (problem.line, problem.reason) == (5, "Conflict")


def test_objects_are_listed_with_how_they_are_sent(stage: Stage) -> None:
    text = MAP + "---\n" + POD % "default" + "---\n" + MAP.replace("ConfigMap", "Namespace")
    rows = [(each.verb, each.line, each.path) for each in check(stage, text).objects]
    assert rows == [
        ("apply", 1, "/api/v1/namespaces/default/configmaps/colours"),
        ("create", 6, "/api/v1/namespaces/default/pods"),
        ("create", 14, "/api/v1/namespaces"),
    ]
    assert check(stage, MAP, "replace").objects[0].verb == "replace"


def test_a_namespace_must_be_there_or_come_before(stage: Stage) -> None:
    (problem,) = check(stage, POD % "shop").problems
    assert "shop" in problem.message
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n"
    assert check(stage, namespace + POD % "shop").problems == []


def test_items_of_a_list_have_their_lines(stage: Stage) -> None:
    items = "".join(f"- {each}" for each in ["kind: Pood\n  apiVersion: v1\n", "kind: Pod\n"])
    found = check(stage, f"apiVersion: v1\nkind: List\nitems:\n{items}")
    assert places(found) == [("error", 4, "items[0].kind"), ("error", 6, "items[1].apiVersion")]


def test_a_scenario_is_checked_with_its_events(stage: Stage) -> None:
    text = """apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1
kind: Scenario
metadata: {name: first}
spec:
  events:
  - step: 0
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Node
        metadata: {name: n2}
        spec: {podCIDRR: x}
"""
    found = check(stage, text)
    assert [(each.level, each.line) for each in found.problems][:1] == [("error", 13)]


def test_a_kind_that_the_text_defines_is_left_for_later(stage: Stage) -> None:
    definition = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
"""
    assert check(stage, definition).problems == []
