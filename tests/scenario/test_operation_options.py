"""Options of operations are those of the API: grace periods, policies, preconditions, dry runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_deployment, make_node, make_pod, owner_reference
from tests.scenario import building
from tests.scenario.building import POD, create, delete, patch

if TYPE_CHECKING:
    from kubestage.aliases import Json

CONFIG_MAP = ("v1", "ConfigMap")
LABEL = {"metadata": {"labels": {"x": "2"}}}


def _config_map(name: str = "c", **data: str) -> Json:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


@pytest.mark.parametrize("policy", ["Background", "Orphan"])
def test_delete_options_say_what_becomes_of_dependents(policy: str) -> None:
    stage = building.run(
        create(make_node("n1")),
        create(make_deployment("web")),
        delete(building.DEPLOYMENT, "web", 1, deleteOptions={"propagationPolicy": policy}),
        alive=True,
    )
    assert building.phase(stage) == "Paused"
    assert len(stage.store.list(POD).items) == (1 if policy == "Orphan" else 0)


def test_delete_options_say_how_long_a_pod_may_take() -> None:
    """A grace period of zero: the pod is gone before anything else happens."""
    pod = make_pod("p", annotations={"kubestage.dev/terminate-delay": "20s"})
    events = [create(make_node("n1")), create(pod)]
    begun = building.run(*events, alive=True).clock.now_ns
    slow = building.run(*events, delete(POD, "p", 1), alive=True)
    assert slow.clock.now_ns - begun >= 20_000_000_000
    at_once = {"deleteOptions": {"gracePeriodSeconds": 0}}
    fast = building.run(*events, delete(POD, "p", 1, **at_once), alive=True)
    assert fast.clock.now_ns - begun < 5_000_000_000
    assert not fast.store.list(POD).items
    assert not slow.store.list(POD).items


def test_preconditions_of_a_deletion_are_kept() -> None:
    wrong: Json = {"deleteOptions": {"preconditions": {"uid": "another"}}}
    stage = building.run(create(make_pod("p")), delete(POD, "p", **wrong))
    assert building.phase(stage) == "Failed"
    assert "the UID in the precondition" in building.message(stage)


def test_a_dry_run_changes_nothing() -> None:
    """Options are those of the API, and it knows dry runs."""
    dry: Any = {"dryRun": ["All"]}
    stage = building.run(
        create(make_node("n1")),
        create(make_pod("p", labels={"x": "1"})),
        create(_config_map(), createOptions=dry),
        patch(POD, "p", LABEL, patchOptions=dry),
        delete(POD, "p", deleteOptions=dry),
    )
    assert building.phase(stage) == "Paused"
    assert stage.store.get(POD, "p")["metadata"]["labels"] == {"x": "1"}
    assert not stage.store.read(CONFIG_MAP)


def test_a_pod_that_was_deleted_in_a_dry_run_is_told_of_when_it_is_gone() -> None:
    """The deletion that the timeline tells was none."""
    owner = _config_map("owner")
    owner["metadata"]["uid"] = "o-1"
    pod = make_pod("p")
    pod["metadata"]["ownerReferences"] = [{**owner_reference(owner), "controller": False}]
    stage = building.run(
        create(owner, asRecorded=True),
        create(pod),
        delete(POD, "p", 1, deleteOptions={"dryRun": ["All"]}),
        delete(CONFIG_MAP, "owner", 2),
        alive=True,
    )
    assert not stage.store.list(POD).items
    told = [(step, what) for step, what, name in building.summary(stage) if name == "p"]
    assert told == [
        (0, "Create"),
        (0, "PodUnscheduled"),
        (1, "Delete"),
        (1, "PodUnscheduled"),
        (2, "Delete"),
    ]


def _managers(obj: Json) -> list[tuple[str, str]]:
    return [(each["manager"], each["operation"]) for each in obj["metadata"]["managedFields"]]


def test_the_field_manager_of_the_options_owns_the_fields() -> None:
    """createOptions and patchOptions are the API's, fieldManager included."""
    stage = building.run(
        create(_config_map(a="1"), createOptions={"fieldManager": "maker"}),
        patch(CONFIG_MAP, "c", {"data": {"b": "2"}}, patchOptions={"fieldManager": "fixer"}),
    )
    assert building.phase(stage) == "Paused", building.message(stage)
    stored = stage.store.get(CONFIG_MAP, "c")
    assert sorted(_managers(stored)) == [("fixer", "Update"), ("maker", "Update")]
    (told,) = (each for each in building.happenings(stage) if each["operation"] == "Patch")
    assert _managers(told["patch"]["result"]) == _managers(stored)


def test_nobody_owns_fields_where_no_manager_is_named() -> None:
    stage = building.run(create(_config_map(a="1")))
    assert "managedFields" not in stage.store.get(CONFIG_MAP, "c")["metadata"]


def _applied(value: str, step: int = 0, **options: Any) -> Json:
    configuration = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": value}}
    return patch(CONFIG_MAP, "c", configuration, step, patchType="apply", patchOptions=options)


def test_a_configuration_is_applied_on_the_server_s_side() -> None:
    """A conflict fails the Scenario unless it is forced, as with kubectl apply --server-side."""
    first = _applied("1", fieldManager="one")
    stage = building.run(first, _applied("2", 1, fieldManager="two"))
    assert building.phase(stage) == "Failed"
    assert 'conflict with "one"' in building.message(stage)
    stage = building.run(first, _applied("2", 1, fieldManager="two", force=True))
    assert building.phase(stage) == "Paused"
    stored = stage.store.get(CONFIG_MAP, "c")
    assert stored["data"] == {"a": "2"}
    assert _managers(stored) == [("two", "Apply")]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (_applied("1"), "fieldManager: Required value: is required for apply patch"),
        (
            patch(POD, "p", LABEL, patchOptions={"force": True}),
            "force: Forbidden: may not be specified for non-apply patch",
        ),
        (
            create(_config_map(), createOptions={"fieldValidation": "Perhaps"}),
            'fieldValidation: Unsupported value: "Perhaps"',
        ),
        (create(_config_map(), createOptions={"dryRun": ["Some"]}), "dryRun: Unsupported value"),
        (
            create(_config_map(), createOptions={"fieldManager": "m" * 129}),
            "fieldManager: Too long",
        ),
    ],
)
def test_options_that_are_wrong_fail_in_the_api_s_words(event: Json, words: str) -> None:
    stage = building.run(create(make_pod("p")), {**event, "step": 1})
    assert building.phase(stage) == "Failed"
    assert words in building.message(stage)


def test_strict_field_validation_refuses_what_a_kind_does_not_have() -> None:
    strict = {"fieldValidation": "Strict"}
    misspelt = patch(POD, "p", {"spec": {"nodeSelektor": {}}}, 1, patchOptions=strict)
    stage = building.run(create(make_pod("p")), misspelt)
    assert building.phase(stage) == "Failed"
    assert 'unknown field "spec.nodeSelektor"' in building.message(stage)
    stage = building.run(create({**_config_map(), "dataa": {}}, createOptions=strict))
    assert building.phase(stage) == "Failed"
    assert 'unknown field "dataa"' in building.message(stage)
