"""Every problem of a Scenario is found before it runs, with the path that leads to it."""

from __future__ import annotations

import contextlib
import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import Invalid
from kubestage.objects import kinds
from kubestage.scenario import resource
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario.building import DEPLOYMENT, NODE, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json

WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}
WIDGET = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}


def _told(made: Json, table: kinds.KindTable | None = None) -> dict[str, str]:
    found = resource.problems(made, table)
    told = {problem.path or "": problem.problem for problem in found}
    assert len(told) == len(found), "each place once"
    return told


def test_a_sound_scenario_has_no_problems_and_stays_as_it_is() -> None:
    made = scenario(
        create(make_node("n", cpu="4"), 1),
        create(make_pod("p"), 1),
        patch(NODE, "n", {"spec": {"unschedulable": True}}, 2, patchType="merge"),
        delete(NODE, "n", 3, deleteOptions={"propagationPolicy": "Foreground"}),
        done(4),
        step_duration="10s",
    )
    before = copy.deepcopy(made)
    assert resource.problems(made) == []
    assert made == before


def test_problems_of_the_scenario_and_of_its_objects_are_told_together() -> None:
    pod = make_pod("p")
    pod["spec"]["containers"][0]["imagee"] = "nginx"
    told = _told(
        scenario(
            {**create(pod, 1), "stpe": 3},
            {**done(2), "step": "2"},
            {**done(2), "id": "x", "operation": "Finish"},
        )
    )
    assert told == {
        "spec.events[0].stpe": 'unknown field "stpe"',
        "spec.events[0].createOperation.object.spec.containers[0].imagee": 'unknown field "imagee"',
        "spec.events[1].step": "expected a whole number, got a string",
        "spec.events[2].operation": "operation is Finish, but doneOperation is given",
    }


def test_rules_of_the_definition_and_of_names_are_told_in_the_words_of_the_api() -> None:
    wrong = delete(NODE, "n", deleteOptions={"propagationPolicy": "Soon"})
    del wrong["deleteOperation"]["typeMeta"]
    told = _told(scenario(wrong, name="It"))
    assert told.pop("metadata.name").startswith('Invalid value: "It": a lowercase RFC 1123')
    assert told == {
        "spec.events[0].deleteOperation.typeMeta": "Required value",
        "spec.events[0].deleteOperation.deleteOptions.propagationPolicy": (
            'Unsupported value: "Soon": supported values: "Orphan", "Background", "Foreground"'
        ),
    }


def test_rules_of_kinds_are_applied_to_objects() -> None:
    pod = make_pod("p")
    pod["spec"]["restartPolicy"] = "Sometimes"
    (path,) = _told(scenario(create(pod)))
    assert path == "spec.events[0].createOperation.object.spec.restartPolicy"


@pytest.mark.parametrize(
    ("obj", "path", "problem"),
    [
        ({"apiVersion": "v1", "kind": "Podd"}, "kind", 'unknown kind "Podd" in "v1"'),
        ({"kind": "Pod"}, "apiVersion", "apiVersion is missing"),
        ({}, "apiVersion", "apiVersion is missing"),
        (WIDGET, "kind", 'unknown kind "Widget" in "example.com/v1"'),
    ],
)
def test_an_object_of_no_known_kind_is_told(obj: Json, path: str, problem: str) -> None:
    event = {**done(), "operation": "Create", "createOperation": {"object": obj}}
    del event["doneOperation"]
    assert _told(scenario(event)) == {f"spec.events[0].createOperation.object.{path}": problem}


def test_kinds_may_be_defined_by_the_scenario_or_known_to_the_cluster() -> None:
    assert resource.problems(scenario(create(WIDGETS), create(WIDGET, 1))) == []
    table = kinds.KindTable()
    table.register(WIDGETS)
    assert resource.problems(scenario(create(WIDGET)), table) == []


def test_what_a_scenario_defines_is_not_known_afterwards() -> None:
    table = kinds.KindTable()
    resource.problems(scenario(create(WIDGETS)), table)
    assert table.get("example.com/v1", "Widget") is None


def test_the_same_mistake_in_many_pods_is_told_of_each() -> None:
    wrong, right = make_pod("a"), make_pod("a")
    wrong["spec"]["restartPolicy"] = "Sometimes"

    def named(pod: Json, name: str) -> Json:
        return create({**pod, "metadata": {**pod["metadata"], "name": name}})

    made = scenario(
        named(right, "a"), named(wrong, "b"), named(right, "Bad_Name"), named(wrong, "c")
    )
    assert [path.partition(".createOperation.object.")[::2] for path in _told(made)] == [
        ("spec.events[1]", "spec.restartPolicy"),
        ("spec.events[2]", "metadata.name"),
        ("spec.events[3]", "spec.restartPolicy"),
    ]


@pytest.mark.parametrize(
    ("change", "more", "path", "problem"),
    [
        ("{", {}, "patch", "the patch is neither JSON nor YAML: "),
        ("3", {}, "patch", "the patch is neither an object nor a list"),
        ("", {}, "patch", "the patch is empty"),
        ({"spec": {"replica": 3}}, {}, "patch", 'spec.replica: unknown field "replica"'),
        ({"spec": {"replicas": "3"}}, {}, "patch", "spec.replicas: expected a whole number"),
        ({}, {"patchType": "json"}, "patchType", 'a patch of type "json" is a list of operations'),
        ([], {"patchType": "merge"}, "patchType", 'a patch of type "merge" is an object'),
        ({}, {"patchType": "put"}, "patchType", 'Unsupported value: "put": supported values'),
        ({}, {"patch": {"spec": 1}}, "patch", "expected a string, got an object"),
        ({}, {"objectMeta": {}}, "objectMeta.name", "is missing"),
        ({}, {"typeMeta": {"kind": "Pod"}}, "typeMeta.apiVersion", "apiVersion is missing"),
    ],
)
def test_a_patch_that_cannot_work_is_told(change: Any, more: Json, path: str, problem: str) -> None:
    made = scenario(patch(DEPLOYMENT, "web", change, **more))
    ((at, told),) = _told(made).items()
    assert at == f"spec.events[0].patchOperation.{path}"
    assert told.startswith(problem)


def test_directives_of_a_patch_are_no_unknown_fields() -> None:
    change = {"spec": {"template": {"spec": {"$retainKeys": ["containers"], "containers": []}}}}
    assert resource.problems(scenario(patch(DEPLOYMENT, "web", change))) == []


def test_the_target_of_a_deletion_must_be_one() -> None:
    event = delete(("v1", "Noed"), "")
    assert _told(scenario(event)) == {
        "spec.events[0].deleteOperation.typeMeta.kind": 'unknown kind "Noed" in "v1"',
        "spec.events[0].deleteOperation.objectMeta.name": "is missing",
    }


def test_fields_of_the_newest_draft_come_with_advice() -> None:
    made = scenario(done())
    made["spec"]["controllers"] = {"simulationControllers": ["x"]}
    (problem,) = resource.problems(made)
    assert problem.path == "spec.controllers"
    assert problem.fix is not None
    assert problem.fix.startswith("leave it out")


def test_a_patch_that_is_no_text_and_a_duration_without_unit_have_their_own_cures() -> None:
    made = scenario(patch(DEPLOYMENT, "web", {}, patch={"spec": {}}))
    made["spec"]["stepDuration"] = 10
    fixes = {problem.path: problem.fix for problem in resource.problems(made)}
    assert fixes == {
        "spec.stepDuration": "durations look like 10s or 1m30s",
        "spec.events[0].patchOperation.patch": "write the patch as text: put | after patch:",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
PLACES = (
    ("metadata",), ("metadata", "name"), ("spec",), ("spec", "events"), ("spec", "operations"),
    ("spec", "stepDuration"), ("spec", "events", 0), ("spec", "events", 0, "id"),
    ("spec", "events", 0, "step"), ("spec", "events", 0, "operation"),
    ("spec", "events", 0, "createOperation"), ("spec", "events", 0, "createOperation", "object"),
    ("spec", "events", 0, "createOperation", "object", "metadata"),
    ("spec", "events", 0, "createOperation", "object", "spec"),
    ("spec", "events", 1, "patchOperation", "patch"),
    ("spec", "events", 1, "patchOperation", "patchType"),
    ("spec", "events", 1, "patchOperation", "typeMeta"),
    ("spec", "events", 1, "patchOperation", "typeMeta", "kind"),
    ("spec", "events", 1, "patchOperation", "objectMeta"),
    ("spec", "events", 2, "deleteOperation", "objectMeta", "name"),
    ("spec", "events", 3, "doneOperation"),
)  # fmt: skip


def _put(at: Any, place: tuple[Any, ...], value: Any) -> None:
    """Write a value to a place, if that is still there."""
    first, *rest = place
    if not isinstance(at, list if isinstance(first, int) else dict):
        return
    if not rest:
        at[first] = value
    elif isinstance(first, int) or first in at:
        _put(at[first], tuple(rest), value)


@given(st.lists(st.tuples(st.sampled_from(PLACES), JSON), max_size=3))
def test_whatever_stands_where_it_should_not_ends_in_words(changes: list[Any]) -> None:
    made = scenario(
        create(make_deployment("web")), patch(DEPLOYMENT, "web", {}), delete(NODE, "n"), done()
    )
    # The deepest first: what is replaced then has no parts any more.
    for place, value in sorted(changes, key=lambda change: -len(change[0])):
        _put(made, place, value)
    found = resource.problems(made)
    resource.probable_mistakes(made)
    resource.normalized(made)
    if not any((problem.path or "").startswith("metadata") for problem in found):
        with contextlib.suppress(Invalid):
            Store(Clock(), Streams(1)).create(made)
    try:
        resource.read(made)
    except resource.InvalidEvent:
        assert found
