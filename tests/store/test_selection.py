from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.kinds import KindTable
from kubestage.store import field_values, selection

if TYPE_CHECKING:
    from kubestage.store.selection import Selection

KINDS = KindTable()


def select(kind: tuple[str, str], namespace: str | None = None, **selectors: str) -> Selection:
    row = KINDS.get(*kind)
    assert row is not None
    labels, fields = selectors.get("labels", ""), selectors.get("fields", "")
    return selection.parse(row, namespace, labels, fields)


def obj(**parts: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a", "namespace": "ns", "labels": {"x": "1"}}, **parts}


@pytest.mark.parametrize(
    ("kind", "field", "given", "expected"),
    [
        ("Pod", "spec.nodeName", {"spec": {"nodeName": "n1"}}, "n1"),
        ("Pod", "spec.nodeName", {"spec": {}}, ""),
        ("Pod", "spec.nodeName", {}, ""),
        ("Pod", "spec.hostNetwork", {"spec": {}}, "false"),
        ("Pod", "spec.hostNetwork", {"spec": {"hostNetwork": True}}, "true"),
        ("Pod", "status.podIP", {"status": {"podIP": "10.0.0.1"}}, "10.0.0.1"),
        ("Pod", "status.podIP", {"status": {"podIPs": [{"ip": "10.0.0.2"}]}}, "10.0.0.2"),
        ("Pod", "status.podIP", {}, ""),
        ("Node", "spec.unschedulable", {"spec": {}}, "false"),
        ("Node", "spec.unschedulable", {"spec": {"unschedulable": True}}, "true"),
        ("Job", "status.successful", {"status": {"succeeded": 3}}, "3"),
        ("Job", "status.successful", {}, "0"),
        ("ReplicationController", "status.replicas", {"status": {"replicas": 2}}, "2"),
        ("Event", "source", {"source": {"component": "kubelet"}}, "kubelet"),
        ("Event", "source", {"reportingComponent": "sched"}, "sched"),
        ("Event", "reportingComponent", {"source": {"component": "kubelet"}}, ""),
        ("Event", "involvedObject.name", {"involvedObject": {"name": "p"}}, "p"),
    ],
)
def test_the_text_of_a_selectable_field(
    kind: str, field: str, given: dict[str, Any], expected: str
) -> None:
    assert field_values.reader(kind, field)(given) == expected


@pytest.mark.parametrize(
    ("fields", "matches"),
    [
        ("status.phase!=Succeeded,status.phase!=Failed", True),
        ("status.phase=Running,spec.nodeName=n1", True),
        ("status.phase=Running,spec.nodeName=n2", False),
        ("spec.host=n1", True),
    ],
)
def test_field_requirements_must_all_hold(fields: str, matches: bool) -> None:
    pod = obj(spec={"nodeName": "n1"}, status={"phase": "Running"})
    assert select(("v1", "Pod"), fields=fields).matches(pod) is matches


def test_a_namespace_is_part_of_the_selection() -> None:
    assert select(("v1", "ConfigMap"), "ns").matches(obj())
    assert not select(("v1", "ConfigMap"), "other").matches(obj())
    assert select(("v1", "ConfigMap")).selects_all
    assert not select(("v1", "ConfigMap"), "ns").selects_all


def test_a_field_selector_can_name_the_namespace() -> None:
    by_field = select(("v1", "ConfigMap"), fields="metadata.namespace=ns,metadata.name=a")
    assert (by_field.namespace, by_field.name) == ("ns", "a")


def test_kinds_without_namespaces_are_in_all_of_them() -> None:
    assert select(("v1", "Node"), "ns").selects_all
    assert select(("v1", "ConfigMap"), "").selects_all


def test_labels_and_fields_must_both_hold() -> None:
    both = select(("v1", "ConfigMap"), labels="x=1", fields="metadata.name=b")
    assert not both.matches(obj())
    assert select(("v1", "ConfigMap"), labels="x=1", fields="metadata.name=a").matches(obj())
    assert not select(("v1", "ConfigMap"), labels="x=1").matches({"metadata": {"name": "a"}})


@pytest.mark.parametrize(
    ("selectors", "identity", "depends"),
    [
        ({}, "", False),
        ({"fields": "metadata.name=a,metadata.namespace!=b"},
         "metadata.name=a,metadata.namespace!=b", False),
        ({"fields": "metadata.name=a,spec.nodeName=n"}, "metadata.name=a", True),
        ({"labels": "x=1"}, "", True),
    ],
)  # fmt: skip
def test_what_depends_on_the_version_of_an_object(
    selectors: dict[str, str], identity: str, depends: bool
) -> None:
    selected = select(("v1", "Pod"), **selectors)
    assert str(selected.identity) == identity
    assert selected.depends_on_version is depends
