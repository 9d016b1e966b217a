"""Nodes: the rules that the recordings meet seldom or never."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import rules

TYPE = {"apiVersion": "v1", "kind": "Node"}
TAINTS = "scheduler.alpha.kubernetes.io/taints"
AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods"


def node_problems(**parts: Any) -> list[str]:
    obj = {**TYPE, "metadata": {"name": "n"}, "spec": {}, "status": {}, **parts}
    return [str(error) for error in rules.validate_create(obj)]


def node_change(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    meta = {"name": "n", "resourceVersion": "1", "uid": "u"}
    old = {**TYPE, "metadata": meta, **old}
    found = rules.validate_update({**TYPE, "metadata": meta, **new}, old, "status")
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
    annotation = {TAINTS: '[{"Key": "a"}]'}
    (text,) = node_problems(metadata={"name": "n", "annotations": annotation})
    assert text == (
        "metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect: Required value"
    )
    annotation = {TAINTS: "{"}
    (text,) = node_problems(metadata={"name": "n", "annotations": annotation})
    assert text.endswith("unexpected end of JSON input")


def test_pods_to_avoid_are_named_by_their_controller() -> None:
    annotation = {AVOID_PODS: '{"preferAvoidPods": [{}]}'}
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
