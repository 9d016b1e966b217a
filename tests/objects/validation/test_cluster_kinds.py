"""Nodes and namespaces: the rules that the recording meets seldom or never."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import namespace, node


def node_problems(**parts: Any) -> list[str]:
    obj = {"metadata": {"name": "n"}, "spec": {}, "status": {}, **parts}
    return [str(error) for error in node.validate_node(obj)]


def node_change(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    meta = {"name": "n", "resourceVersion": "1", "uid": "u"}
    found = node.validate_node_update({"metadata": meta, **new}, {"metadata": meta, **old})
    return [str(error) for error in found]


def test_taints_are_unique_by_key_and_effect() -> None:
    taint = {"key": "a", "effect": "NoSchedule"}
    (text,) = node_problems(spec={"taints": [taint, {**taint, "value": "x"}]})
    assert text.startswith('metadata.taints[1]: Duplicate value: {"Key":"a","Value":"x"')


@pytest.mark.parametrize(
    ("cidrs", "text"),
    [
        (["10.0.0.0/24", "fd00::/64"], None),
        (["10.0.0.0/24", "10.0.1.0/24"], "may specify no more than one CIDR"),
        (["10.0.0.0/24", "x"], "invalid PodCIDRs. failed to check with dual stack"),
    ],
)
def test_pod_cidrs_are_one_of_each_family(cidrs: list[str], text: str | None) -> None:
    found = node_problems(spec={"podCIDRs": cidrs})
    assert (found == []) if text is None else any(text in problem for problem in found)


def test_declared_features_are_sorted_camel_case_names() -> None:
    found = node_problems(status={"declaredFeatures": ["B", "A", "A", "x"]})
    assert [text.split(":")[0] for text in found] == [
        "status.declaredFeatures[1]",
        "status.declaredFeatures[2]",
        "status.declaredFeatures[3]",
    ]


def test_amounts_are_not_negative() -> None:
    assert node_problems(status={"capacity": {"cpu": "-1"}}) == [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0'
    ]


def test_taints_in_the_old_annotation_are_judged_too() -> None:
    annotation = {node.TAINTS_ANNOTATION: '[{"Key": "a"}]'}
    (text,) = node_problems(metadata={"name": "n", "annotations": annotation})
    assert text == (
        "metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect: Required value"
    )
    annotation = {node.TAINTS_ANNOTATION: "{"}
    (text,) = node_problems(metadata={"name": "n", "annotations": annotation})
    assert text.endswith("unexpected end of JSON input")


def test_pods_to_avoid_are_named_by_their_controller() -> None:
    annotation = {node.AVOID_PODS_ANNOTATION: '{"preferAvoidPods": [{}]}'}
    (text,) = node_problems(metadata={"name": "n", "annotations": annotation})
    assert text.endswith("preferAvoidPods[0].PodSignature: Required value")


def test_cidr_and_provider_once_set_stay() -> None:
    old = {"spec": {"podCIDRs": ["10.0.0.0/24"], "providerID": "a"}}
    new = {"spec": {"podCIDRs": ["10.0.1.0/24"], "providerID": "b"}}
    assert [text.split(":")[0] for text in node_change(new, old)] == [
        "spec.podCIDRs",
        "spec.providerID",
    ]


def test_an_address_is_reported_once() -> None:
    address = {"type": "InternalIP", "address": "1.2.3.4"}
    assert node_change({"status": {"addresses": [address, address]}}, {}) == [
        'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"1.2.3.4"}'
    ]


def test_the_configuration_that_is_gone_is_still_judged() -> None:
    source = {"configMap": {"uid": "u", "name": "a", "namespace": "n"}}
    assert node_change({"spec": {"configSource": source}}, {}) == [
        "spec.configSource.configMap.uid: Forbidden: uid must not be set in spec",
        "spec.configSource.configMap.kubeletConfigKey: Required value",
    ]
    (text,) = node_change({"status": {"config": {"active": {}}}}, {})
    assert text.endswith("exactly one reference subfield must be non-nil")


def test_a_namespace_is_active_until_it_is_deleted() -> None:
    meta = {"name": "n", "resourceVersion": "1", "uid": "u"}
    old = {"metadata": meta, "status": {"phase": "Active"}}
    new = {"metadata": meta, "status": {"phase": "Terminating"}}
    (error,) = namespace.validate_namespace_status_update(new, old)
    assert str(error) == (
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
        "`deletionTimestamp` is empty"
    )


def test_finalizers_of_a_namespace_are_known_ones() -> None:
    meta = {"name": "n", "resourceVersion": "1", "uid": "u"}
    old = {"metadata": meta, "spec": {"finalizers": ["kubernetes"]}}
    new = {"metadata": meta, "spec": {"finalizers": ["kubernetes", "mine"]}}
    (error,) = namespace.validate_namespace_finalize_update(new, old)
    assert error.field == "spec.finalizers[1]"
