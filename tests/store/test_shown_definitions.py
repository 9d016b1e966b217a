"""Definitions of our own kinds, beside those that somebody has created."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import AlreadyExists, Forbidden
from kubestage.objects import made_definitions, own_definitions
from kubestage.objects.custom import rows
from kubestage.objects.kinds import BUILT_IN
from kubestage.scenario import wiping
from kubestage.server import snapshots
from kubestage.stage import Stage
from kubestage.store import policies
from kubestage.store.definitions import DEFINITION
from tests.objects.kinds.karpenter_samples import node_pool

if TYPE_CHECKING:
    from kubestage.aliases import Json

SCENARIOS = "scenarios.simulation.kube-scheduler-simulator.x-k8s.io"
OURS = [
    "ec2nodeclasses.karpenter.k8s.aws",
    "nodeclaims.karpenter.sh",
    "nodegroups.kubestage.dev",
    "nodeoverlays.karpenter.sh",
    "nodepools.karpenter.sh",
    "pricecatalogs.kubestage.dev",
    SCENARIOS,
    "stagenodeclasses.kubestage.dev",
    "stages.kwok.x-k8s.io",
    "traffics.kubestage.dev",
    "verticalpodautoscalercheckpoints.autoscaling.k8s.io",
    "verticalpodautoscalers.autoscaling.k8s.io",
]


def widgets(group: str = "example.com", kind: str = "Widget") -> Json:
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
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


def shown() -> Stage:
    stage = Stage()
    stage.store.show_definitions()
    return stage


def _names(items: list[Json]) -> list[str]:
    return [each["metadata"]["name"] for each in items]


def test_every_kind_that_behaves_like_a_custom_resource_has_a_definition() -> None:
    custom = [row.resource for row in BUILT_IN if policies.is_custom(row)]
    assert sorted(custom) == OURS
    assert sorted(each["metadata"]["name"] for each in made_definitions.all_of_ours()) == OURS


def test_they_are_listed_got_and_established() -> None:
    stage = shown()
    assert _names(stage.store.list(DEFINITION).items) == OURS
    for name in OURS:
        found = stage.store.get(DEFINITION, name)
        spec, status = found["spec"], found["status"]
        assert rows.is_established(found)
        assert rows.condition(found, "NamesAccepted")["status"] == "True"
        assert status["acceptedNames"]["kind"] == spec["names"]["kind"]
        assert status["storedVersions"] == [spec["versions"][0]["name"]]
        assert name == f"{spec['names']['plural']}.{spec['group']}"


@pytest.mark.parametrize("name", OURS)
def test_another_cluster_would_accept_them(name: str) -> None:
    """What is shown is a whole definition, with a schema and columns."""
    found = shown().store.get(DEFINITION, name)
    (version,) = found["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    parts = {"spec", "status"} if "status" in (version.get("subresources") or {}) else {"spec"}
    assert parts <= schema["properties"].keys()
    assert version["additionalPrinterColumns"]
    fresh = Stage()
    metadata = {key: found["metadata"][key] for key in ("name", "annotations")
                if key in found["metadata"]}  # fmt: skip
    fresh.store.create({**found, "metadata": metadata, "status": {}})
    assert rows.is_established(fresh.store.get(DEFINITION, name))


def test_the_schema_of_a_kind_of_another_project_comes_from_the_type_table() -> None:
    found = shown().store.get(DEFINITION, "verticalpodautoscalers.autoscaling.k8s.io")
    (version,) = found["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert spec["updatePolicy"]["properties"]["minReplicas"] == {
        "type": "integer", "format": "int32",
    }  # fmt: skip
    assert found["spec"]["names"]["shortNames"] == ["vpa"]


def test_nobody_changes_or_deletes_them() -> None:
    store = shown().store
    found = store.get(DEFINITION, SCENARIOS)
    patch = {"metadata": {"labels": {"a": "b"}}}
    with pytest.raises(Forbidden, match="its definition cannot be changed"):
        store.patch(DEFINITION, SCENARIOS, patch)
    with pytest.raises(Forbidden, match="its definition cannot be changed"):
        store.update(found)
    with pytest.raises(Forbidden, match="its definition cannot be changed"):
        store.apply(DEFINITION, SCENARIOS, found, manager="me")
    with pytest.raises(Forbidden, match="its definition cannot be deleted"):
        store.delete(DEFINITION, SCENARIOS)
    with pytest.raises(AlreadyExists):
        store.create(found)
    store.delete_collection(DEFINITION)
    assert _names(store.list(DEFINITION).items) == OURS


def test_those_of_others_stand_beside_them_and_go() -> None:
    store = shown().store
    store.create(widgets())
    assert _names(store.list(DEFINITION).items) == sorted([*OURS, "widgets.example.com"])
    first = store.list(DEFINITION, limit=4)
    rest = store.list(DEFINITION, limit=10, continue_token=first.continue_token)
    assert _names(first.items) + _names(rest.items) == sorted([*OURS, "widgets.example.com"])
    named = store.list(DEFINITION, field_selector=f"metadata.name={SCENARIOS}")
    assert _names(named.items) == [SCENARIOS]
    store.delete(DEFINITION, "widgets.example.com")
    assert _names(store.list(DEFINITION).items) == OURS


def test_a_watch_begins_with_them_and_hears_of_others() -> None:
    store = shown().store
    before = store.resource_version
    whole = store.watch(DEFINITION)
    later = store.watch(DEFINITION, resource_version=before)
    assert [each.object["metadata"]["name"] for each in whole.poll()] == OURS
    assert later.poll() == []
    store.create(widgets())
    for watch in (whole, later):
        told = watch.poll()
        assert {each.object["metadata"]["name"] for each in told} == {"widgets.example.com"}
        assert told[0].type == "ADDED"


def test_they_are_no_objects_of_the_store() -> None:
    plain, stage = Stage(), shown()
    assert stage.store.resource_version == plain.store.resource_version
    assert snapshots.objects(stage.store) == snapshots.objects(plain.store)
    assert not stage.store.read(DEFINITION)
    for _ in wiping.wipe(stage.store):
        pass
    assert _names(stage.store.list(DEFINITION).items) == OURS
    assert _names(stage.fork().store.list(DEFINITION).items) == OURS
    assert plain.store.list(DEFINITION).items == []


def test_one_that_was_created_before_is_shown_in_place_of_ours() -> None:
    stage = Stage()
    found = shown().store.get(DEFINITION, SCENARIOS)
    mine = {**found, "metadata": {"name": SCENARIOS, "labels": {"mine": "yes"}}, "status": {}}
    stage.store.create(mine)
    stage.store.show_definitions()
    assert _names(stage.store.list(DEFINITION).items) == OURS
    assert stage.store.get(DEFINITION, SCENARIOS)["metadata"]["labels"] == {"mine": "yes"}
    stage.store.patch(DEFINITION, SCENARIOS, {"metadata": {"labels": {"mine": "no"}}})


POOLS = "nodepools.karpenter.sh"


def test_those_of_other_projects_can_be_installed_and_removed_again() -> None:
    store = shown().store
    theirs = own_definitions.definition("nodepools")
    store.create(theirs)
    assert POOLS in store.read(DEFINITION)
    assert _names(store.list(DEFINITION).items) == OURS
    with pytest.raises(AlreadyExists):
        store.create(theirs)
    store.create(node_pool())
    store.delete(DEFINITION, POOLS)
    assert store.list(("karpenter.sh/v1", "NodePool")).items == []
    assert _names(store.list(DEFINITION).items) == OURS
    assert store.create(node_pool())["spec"]["disruption"]["consolidateAfter"] == "0s"


def test_those_of_other_projects_can_be_changed_which_installs_them() -> None:
    store = shown().store
    labels = {"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}}
    changed = store.patch(DEFINITION, POOLS, labels)
    assert rows.is_established(changed)
    assert changed["metadata"]["labels"] == labels["metadata"]["labels"]
    applied = store.apply(
        DEFINITION,
        "nodeclaims.karpenter.sh",
        own_definitions.definition("nodeclaims"),
        manager="me",
    )
    assert rows.is_established(store.get(DEFINITION, "nodeclaims.karpenter.sh"))
    owners = {each["manager"] for each in applied.object["metadata"]["managedFields"]}
    assert owners <= {"me", "kube-apiserver"}
    assert sorted(store.read(DEFINITION)) == ["nodeclaims.karpenter.sh", POOLS]
    with pytest.raises(Forbidden, match="its definition cannot be deleted"):
        store.delete(DEFINITION, "verticalpodautoscalers.autoscaling.k8s.io")
