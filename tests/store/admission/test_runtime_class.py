from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden
from tests.store.samples import make_store, pod_with

if TYPE_CHECKING:
    from kubestage.store.store import Store


def runtime_class(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": name},
        "handler": name,
        **fields,
    }


@pytest.fixture
def store() -> Store:
    made = make_store()
    made.create(
        runtime_class(
            "kata",
            overhead={"podFixed": {"cpu": "250m", "memory": "120Mi"}},
            scheduling={
                "nodeSelector": {"runtime": "kata"},
                "tolerations": [{"key": "kata", "operator": "Exists"}],
            },
        )
    )
    made.create(runtime_class("plain"))
    return made


def test_a_class_brings_its_overhead_and_its_nodes(store: Store) -> None:
    own = [{"key": "kata", "operator": "Equal", "value": "x"}, {"key": "b", "operator": "Exists"}]
    given = pod_with("a", runtimeClassName="kata", nodeSelector={"disk": "ssd"}, tolerations=own)
    spec = store.create(given)["spec"]
    assert spec["overhead"] == {"cpu": "250m", "memory": "120Mi"}
    assert spec["nodeSelector"] == {"disk": "ssd", "runtime": "kata"}
    # The class tolerates all that the pod's own toleration of the key does.
    assert [each["key"] for each in spec["tolerations"]] == [
        "b",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "kata",
    ]


def test_the_right_overhead_may_be_said(store: Store) -> None:
    given = pod_with("a", runtimeClassName="kata", overhead={"cpu": "0.25", "memory": "120Mi"})
    assert store.create(given)["spec"]["overhead"]["cpu"] == "250m"


def test_a_class_may_change_nothing(store: Store) -> None:
    spec = store.create(pod_with("a", runtimeClassName="plain"))["spec"]
    assert not {"overhead", "nodeSelector"} & set(spec)


def test_a_changed_class_counts_for_the_next_pod(store: Store) -> None:
    store.create(pod_with("a", runtimeClassName="plain"))
    patch = {"overhead": {"podFixed": {"cpu": "1"}}}
    store.patch(("node.k8s.io/v1", "RuntimeClass"), "plain", patch)
    assert store.create(pod_with("b", runtimeClassName="plain"))["spec"]["overhead"] == {"cpu": "1"}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"runtimeClassName": "gone"}, 'pod rejected: RuntimeClass "gone" not found'),
        (
            {"runtimeClassName": "kata", "overhead": {"cpu": "1"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            {"runtimeClassName": "kata", "nodeSelector": {"runtime": "runc"}},
            (
                "conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; "
                "pod.spec.nodeSelector[runtime] = runc"
            ),
        ),
    ],
)
def test_a_pod_cannot_contradict_its_class(store: Store, spec: dict[str, Any], why: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        store.create(pod_with("a", **spec))
    assert refusal.value.message == f'pods "a" is forbidden: {why}'
