from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden
from kubestage.store import admission
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, pod, pod_with

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.store import Store

PRIORITY_CLASS = ("scheduling.k8s.io/v1", "PriorityClass")


def priority_class(name: str, value: int, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": PRIORITY_CLASS[0],
        "kind": PRIORITY_CLASS[1],
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


@pytest.fixture
def store() -> Store:
    made = make_store()
    made.create(priority_class("high", 1000, preemptionPolicy="Never"))
    return made


def test_a_pod_without_a_class_has_no_priority(store: Store) -> None:
    spec = store.create(pod("a"))["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (0, "PreemptLowerPriority")
    assert "priorityClassName" not in spec


def test_a_class_gives_its_priority(store: Store) -> None:
    spec = store.create(pod_with("a", priorityClassName="high"))["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (1000, "Never")


@pytest.mark.parametrize(
    ("name", "value"),
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)],
)
def test_system_classes_are_there(store: Store, name: str, value: int) -> None:
    assert store.create(pod_with("a", priorityClassName=name))["spec"]["priority"] == value


def test_the_default_class_is_for_all_others(store: Store) -> None:
    store.create(priority_class("usual", 77, globalDefault=True))
    spec = store.create(pod("a"))["spec"]
    assert (spec["priority"], spec["priorityClassName"]) == (77, "usual")


def test_there_is_one_default_class(store: Store) -> None:
    store.create(priority_class("usual", 77, globalDefault=True))
    store.patch(PRIORITY_CLASS, "usual", {"description": "still the only one"})
    with pytest.raises(Forbidden) as refusal:
        store.create(priority_class("other", 78, globalDefault=True))
    assert refusal.value.message == (
        'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already '
        "marked as default. Only one default can exist"
    )


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "nope"}, "no PriorityClass with name nope was found"),
        (
            {"priorityClassName": "high", "priority": 5},
            (
                "the integer value of priority (5) must not be provided in pod spec; priority "
                "admission controller computed 1000 from the given PriorityClass name"
            ),
        ),
        (
            {"priorityClassName": "high", "preemptionPolicy": "PreemptLowerPriority"},
            (
                "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided "
                "in pod spec; priority admission controller computed Never from the given "
                "PriorityClass name"
            ),
        ),
    ],
)
def test_a_priority_is_not_for_the_pod_to_say(store: Store, spec: dict[str, Any], why: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        store.create(pod_with("a", **spec))
    assert refusal.value.message == f'pods "a" is forbidden: {why}'


def test_the_right_priority_may_be_said(store: Store) -> None:
    given = pod_with("a", priorityClassName="high", priority=1000)
    assert store.create(given)["spec"]["priority"] == 1000


def test_a_repeated_manifest_changes_nothing() -> None:
    steps = (admission.priority.admit, admission.default_tolerations.admit)
    store = make_store(admission=steps)
    created = store.create(pod("a"))
    assert store.update(pod("a")) is created


def test_pods_stay_a_while_on_a_lost_node(store: Store) -> None:
    tolerations = store.create(pod("a"))["spec"]["tolerations"]
    assert {each["key"] for each in tolerations} == {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    }
    assert {(each["effect"], each["tolerationSeconds"]) for each in tolerations} == {
        ("NoExecute", 300)
    }


@pytest.mark.parametrize(
    ("own", "added"),
    [
        ({"operator": "Exists"}, 0),
        ({"key": "node.kubernetes.io/not-ready", "operator": "Exists"}, 1),
        ({"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}, 2),
        ({"key": "x", "operator": "Exists"}, 2),
    ],
)
def test_tolerations_of_ones_own_are_respected(
    store: Store, own: dict[str, Any], added: int
) -> None:
    tolerations = store.create(pod_with("a", tolerations=[own]))["spec"]["tolerations"]
    assert tolerations[0] == own
    assert len(tolerations) == 1 + added


def test_pods_run_as_the_default_account(store: Store) -> None:
    spec = store.create(pod("a"))["spec"]
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("default", "default")
    own = store.create(pod_with("b", serviceAccountName="robot"))["spec"]
    assert own["serviceAccountName"] == "robot"


def test_mirror_pods_have_no_account(store: Store) -> None:
    mirror = pod_with("a", nodeName="n1")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    assert "serviceAccountName" not in store.create(mirror)["spec"]


def test_without_admission_pods_are_stored_as_they_are() -> None:
    spec = make_store(admission=()).create(pod("a"))["spec"]
    assert not {"priority", "preemptionPolicy", "tolerations", "serviceAccountName"} & set(spec)


def test_a_step_of_ones_own_sees_every_write() -> None:
    seen: list[tuple[str, bool]] = []

    def watchful(
        _core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
    ) -> dict[str, Any]:
        seen.append((kind.kind, old is None))
        if kind.kind == "ConfigMap":
            return {**obj, "data": {**obj.get("data", {}), "stamped": "yes"}}
        return obj

    store = make_store(admission=(watchful,), seeded=False, implicit_namespaces=True)
    assert store.create(config_map("a"))["data"]["stamped"] == "yes"
    store.patch(CONFIG_MAP, "a", {"data": {"b": "2"}})
    store.create(pod("p"))
    store.create(pod("q"))
    store.patch(POD, "p", {"status": {"phase": "Running"}}, subresource="status")
    assert seen == [
        ("Namespace", True),
        ("ConfigMap", True),
        ("ConfigMap", False),
        ("Pod", True),
        ("Pod", True),
    ]
