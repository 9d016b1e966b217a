"""What a server returns that defaults alone do not explain."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.objects import defaulting

GENERATION = "deprecated.daemonset.template.generation"
ROLLBACK = "deprecated.deployment.rollback.to"


def _stored(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return defaulting.stored({"apiVersion": api_version, "kind": kind, **fields})


@pytest.mark.parametrize(
    ("given", "account"),
    [
        ({"serviceAccount": "a"}, "a"),
        ({"serviceAccountName": "b"}, "b"),
        ({"serviceAccount": "a", "serviceAccountName": "b"}, "b"),
    ],
)
def test_both_spellings_of_the_service_account_agree(given: dict[str, str], account: str) -> None:
    spec = _stored("v1", "Pod", spec=given)["spec"]
    assert spec["serviceAccount"] == spec["serviceAccountName"] == account
    job = _stored(
        "batch/v1", "CronJob", spec={"jobTemplate": {"spec": {"template": {"spec": given}}}}
    )
    template = job["spec"]["jobTemplate"]["spec"]["template"]
    assert template["spec"]["serviceAccount"] == account


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"podIP": "10.0.0.1"}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        ({"podIPs": [{"ip": "10.0.0.1"}]}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        (
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}, {"ip": "fd00::2"}]},
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
        ),
        ({}, {}),
    ],
)
def test_the_single_address_wins(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _stored("v1", "Pod", status=given)["status"] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"podCIDR": "10.0.0.0/24"}, {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}),
        ({"podCIDRs": ["10.0.0.0/24"]}, {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}),
        (
            {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.1.0/24"]},
            {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]},
        ),
    ],
)
def test_the_single_block_of_addresses_wins(
    given: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert _stored("v1", "Node", spec=given)["spec"] == expected


def test_a_negative_grace_period_is_one_second_for_pods_only() -> None:
    spec = {"terminationGracePeriodSeconds": -5}
    assert _stored("v1", "Pod", spec=spec)["spec"]["terminationGracePeriodSeconds"] == 1
    template = _stored("v1", "PodTemplate", template={"spec": spec})["template"]
    assert template["spec"]["terminationGracePeriodSeconds"] == -5


def test_annotations_of_old_versions_are_dropped() -> None:
    old = {"pod.beta.kubernetes.io/init-containers": "[]"}
    assert _stored("v1", "Pod", metadata={"annotations": old})["metadata"] == {}
    kept = {"annotations": {**old, "a": "b"}}
    template = _stored("apps/v1", "ReplicaSet", spec={"template": {"metadata": kept}})["spec"]
    assert template["template"]["metadata"] == {"annotations": {"a": "b"}}
    scaler = {"annotations": {"autoscaling.alpha.kubernetes.io/metrics": "[]"}}
    assert _stored("autoscaling/v2", "HorizontalPodAutoscaler", metadata=scaler)["metadata"] == {}


@pytest.mark.parametrize(("given", "kept"), [(None, "0"), ("7", "7"), ("+007", "7")])
def test_daemon_sets_carry_a_template_generation(given: str | None, kept: str) -> None:
    metadata = {} if given is None else {"annotations": {GENERATION: given}}
    stored = _stored("apps/v1", "DaemonSet", metadata=metadata)
    assert stored["metadata"]["annotations"] == {GENERATION: kept}


def test_a_generation_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match='"x" is no whole number'):
        _stored("apps/v1", "DaemonSet", metadata={"annotations": {GENERATION: "x"}})


def test_rollbacks_of_deployments_are_numbers_or_nothing() -> None:
    rollback = _stored("apps/v1", "Deployment", metadata={"annotations": {ROLLBACK: "03"}})
    assert rollback["metadata"]["annotations"] == {ROLLBACK: "3"}
    none = _stored("apps/v1", "Deployment", metadata={"annotations": {ROLLBACK: ""}})
    assert none["metadata"] == {}


@pytest.mark.parametrize(
    ("kind", "field", "zeros"),
    [
        ("Deployment", "strategy", {"maxUnavailable": 0, "maxSurge": 0}),
        ("DaemonSet", "updateStrategy", {"maxUnavailable": 0, "maxSurge": 0}),
        ("StatefulSet", "updateStrategy", {"partition": 0}),
    ],
)
def test_a_rolling_update_that_is_not_in_use_comes_back_with_zeros(
    kind: str, field: str, zeros: dict[str, int]
) -> None:
    strategy = {"type": "OnDelete", "rollingUpdate": {}}
    assert _stored("apps/v1", kind, spec={field: strategy})["spec"][field]["rollingUpdate"] == zeros


def test_claims_of_stateful_sets_say_what_they_are() -> None:
    stored = _stored("apps/v1", "StatefulSet", spec={"volumeClaimTemplates": [{}]})
    claim = stored["spec"]["volumeClaimTemplates"][0]
    assert (claim["apiVersion"], claim["kind"]) == ("v1", "PersistentVolumeClaim")


def test_strings_of_secrets_become_data() -> None:
    secret = _stored("v1", "Secret", data={"a": "YQ==", "b": "YQ=="}, stringData={"b": "é"})
    assert secret["data"] == {"a": "YQ==", "b": "w6k="}
    assert "stringData" not in secret
    assert "data" not in _stored("v1", "Secret")


def test_the_marker_of_old_budgets_is_not_mixed_with_other_rules() -> None:
    marker = {
        "key": "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match",
        "operator": "Exists",
    }
    other = {"key": "a", "operator": "Exists"}

    def selector(*rules: dict[str, str]) -> Any:
        spec = {"selector": {"matchExpressions": list(rules)}}
        return _stored("policy/v1", "PodDisruptionBudget", spec=spec)["spec"]["selector"]

    assert selector(marker) == {"matchExpressions": [marker]}
    assert selector(marker, other) == {"matchExpressions": [other]}


def test_a_conversion_webhook_that_says_nothing_is_dropped() -> None:
    spec = {"conversion": {"strategy": "Webhook", "webhook": {}}}
    crd = _stored("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec)
    assert crd["spec"]["conversion"] == {"strategy": "Webhook"}
