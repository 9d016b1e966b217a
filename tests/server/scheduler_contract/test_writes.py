"""What kube-scheduler writes about pods, in protobuf and strategic merge patches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_pod
from tests.server.scheduler_contract import scheduler_calls as calls
from tests.server.scheduler_contract.go_client import Refused

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.scheduler_contract.go_client import GoClient


def create(client: GoClient, namespace: str, name: str, **spec: Any) -> Json:
    pod = make_pod(name, cpu="100m")
    pod["metadata"] = {"name": name}
    pod["spec"] |= spec
    return client.post(f"/api/v1/namespaces/{namespace}/pods", pod)


def conditions(pod: Json) -> dict[str, Json]:
    return {each["type"]: each for each in pod["status"].get("conditions", [])}


def test_a_binding_is_answered_with_a_status(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p")
    answer = client.post(f"{calls.path_of(pod)}/binding", calls.binding(pod, "node-1"))
    assert (answer["kind"], answer["status"], answer["code"]) == ("Status", "Success", 201)
    bound = client.get(calls.path_of(pod))
    assert bound["spec"]["nodeName"] == "node-1"
    assert conditions(bound)["PodScheduled"]["status"] == "True"


def test_a_second_binding_is_a_conflict(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p")
    calls.bind(client, pod, "node-1")
    with pytest.raises(Refused) as refused:
        client.post(f"{calls.path_of(pod)}/binding", calls.binding(pod, "node-2"))
    assert (refused.value.code, refused.value.reason) == (409, "Conflict")


def test_a_binding_of_an_earlier_pod_of_that_name_is_a_conflict(
    client: GoClient, namespace: str
) -> None:
    before = create(client, namespace, "p")
    client.delete(calls.path_of(before), gracePeriodSeconds=0)
    after = create(client, namespace, "p")
    with pytest.raises(Refused) as refused:
        client.post(f"{calls.path_of(before)}/binding", calls.binding(before, "node-1"))
    assert refused.value.code == 409
    assert after["metadata"]["uid"] in refused.value.status["message"]


def test_a_pod_that_is_gone_cannot_be_bound(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p")
    client.delete(calls.path_of(pod), preconditions={"uid": pod["metadata"]["uid"]})
    with pytest.raises(Refused) as refused:
        client.post(f"{calls.path_of(pod)}/binding", calls.binding(pod, "node-1"))
    assert (refused.value.code, refused.value.reason) == (404, "NotFound")


def test_a_gated_pod_cannot_be_bound(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p", schedulingGates=[{"name": "example.com/wait"}])
    assert conditions(pod)["PodScheduled"]["reason"] == "SchedulingGated"
    with pytest.raises(Refused) as refused:
        client.post(f"{calls.path_of(pod)}/binding", calls.binding(pod, "node-1"))
    assert refused.value.code == 409


def test_a_failed_try_is_a_condition_and_an_event(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p")
    message = "0/3 nodes are available: 3 Insufficient cpu."
    failed = calls.fail(client, pod, message, nominated="node-2")
    condition = conditions(failed)["PodScheduled"]
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
    assert condition["message"] == message
    assert condition["observedGeneration"] == 1
    assert failed["status"]["nominatedNodeName"] == "node-2"
    assert failed["status"]["phase"] == "Pending"
    (event,) = client.get(
        f"/api/v1/namespaces/{namespace}/events",
        fieldSelector=f"involvedObject.uid={pod['metadata']['uid']},reason=FailedScheduling",
    )["items"]
    assert event["message"] == message
    assert event["reportingComponent"] == calls.CONTROLLER
    calls.bind(client, failed, "node-1")
    bound = client.get(calls.path_of(pod))
    assert "nominatedNodeName" not in bound["status"]
    assert conditions(bound)["PodScheduled"]["status"] == "True"


def test_a_nomination_is_taken_back(client: GoClient, namespace: str) -> None:
    pod = calls.fail(client, create(client, namespace, "p"), "no", nominated="node-2")
    patched = client.patch(f"{calls.path_of(pod)}/status", {"status": {"nominatedNodeName": None}})
    assert "nominatedNodeName" not in patched["status"]
    assert conditions(patched)["PodScheduled"]["reason"] == "Unschedulable"


def test_a_patch_that_changes_nothing_keeps_the_version(client: GoClient, namespace: str) -> None:
    pod = calls.fail(client, create(client, namespace, "p"), "no")
    condition = conditions(pod)["PodScheduled"]
    change = calls.status_patch(pod, {"lastProbeTime": None, **condition})
    again = client.patch(f"{calls.path_of(pod)}/status", change)
    assert again["metadata"]["resourceVersion"] == pod["metadata"]["resourceVersion"]


def test_a_series_of_events_is_patched(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p")
    made = calls.event(pod, "Warning", "FailedScheduling", "Scheduling", "no")
    created = calls.tell(client, made)
    assert created["regarding"]["uid"] == pod["metadata"]["uid"]
    path = f"{calls.events_path(namespace)}/{created['metadata']['name']}"
    for count in (2, 3):
        series = {"series": {"count": count, "lastObservedTime": calls.now()}}
        patched = client.patch(path, series)
        assert patched["series"]["count"] == count
    core = f"/api/v1/namespaces/{namespace}/events/{created['metadata']['name']}"
    assert client.get(core)["series"]["count"] == 3


def test_a_series_whose_event_has_expired_is_told_anew(client: GoClient, namespace: str) -> None:
    pod = create(client, namespace, "p")
    made = calls.event(pod, "Warning", "FailedScheduling", "Scheduling", "no")
    series = {"count": 2, "lastObservedTime": calls.now()}
    path = calls.events_path(namespace)
    with pytest.raises(Refused) as refused:
        client.patch(f"{path}/{made['metadata']['name']}", {"series": series})
    assert (refused.value.code, refused.value.reason) == (404, "NotFound")
    created = calls.tell(client, {**made, "series": series})
    assert created["series"]["count"] == 2
    with pytest.raises(Refused) as refused:
        calls.tell(client, made)
    assert refused.value.reason == "AlreadyExists"


def test_a_deletion_of_another_pod_of_that_name_is_a_conflict(
    client: GoClient, namespace: str
) -> None:
    pod = create(client, namespace, "p")
    other = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(Refused) as refused:
        client.delete(calls.path_of(pod), preconditions={"uid": other})
    assert (refused.value.code, refused.value.reason) == (409, "Conflict")


def test_managers_are_named_after_the_client(client: GoClient, namespace: str) -> None:
    pod = calls.fail(client, create(client, namespace, "p"), "no")
    managed = {each.get("subresource", ""): each for each in pod["metadata"]["managedFields"]}
    assert managed["status"]["manager"] == "kube-scheduler"
    assert managed["status"]["operation"] == "Update"
