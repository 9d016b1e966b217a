"""What clients rely on in objects: names, versions, deletion, pods, nodes, Events, namespaces."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_node
from tests.server import calling

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.calling import Answer


MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
SPEC = {"containers": [{"name": "c", "image": "busybox"}]}
BINDING = {"metadata": {"name": "p"}, "target": {"name": "n"}}
ALPHABET = set("bcdfghjklmnpqrstvwxz2456789")


class Session:
    """One server, and requests to it."""

    def __init__(self) -> None:
        self.app = calling.application()

    def __call__(self, method: str, path: str, body: Any = None, **query: Any) -> Answer:
        headers = {}
        if method == "PATCH":
            headers = {"content-type": "application/merge-patch+json"}
        return asyncio.run(calling.call(self.app, method, path, body, headers, **query))

    def pod(self, name: str = "p", **spec: Any) -> Json:
        body = {"metadata": {"name": name}, "spec": {**SPEC, **spec}}
        answer = self("POST", PODS, body)
        assert answer.status == 201, answer.json
        made: Json = answer.json
        return made

    def bound(self, **spec: Any) -> Json:
        self("POST", NODES, make_node("n"))
        made = self.pod(**spec)
        assert self("POST", f"{PODS}/p/binding", BINDING).status == 201
        return made


def test_made_up_names_have_no_vowels() -> None:
    ask = Session()
    body = {"metadata": {"generateName": "m-"}}
    found = {ask("POST", MAPS, body).json["metadata"]["name"] for _ in range(30)}
    assert len(found) == 30
    for name in found:
        assert name.startswith("m-")
        assert len(name) == 7
        assert set(name[2:]) <= ALPHABET


def test_writes_know_the_version_they_mean() -> None:
    ask = Session()
    made = ask("POST", MAPS, {"metadata": {"name": "m"}}).json
    version = made["metadata"]["resourceVersion"]
    early = {"metadata": {"name": "new", "resourceVersion": version}}
    assert ask("POST", MAPS, early).status == 400
    same = ask("PUT", f"{MAPS}/m", made).json
    assert same["metadata"]["resourceVersion"] == version
    changed = ask("PATCH", f"{MAPS}/m", {"data": {"a": "b"}}).json
    assert int(changed["metadata"]["resourceVersion"]) > int(version)
    stale = ask("PUT", f"{MAPS}/m", {**made, "data": {"c": "d"}})
    assert (stale.status, stale.json["reason"]) == (409, "Conflict")
    stale = ask("PATCH", f"{MAPS}/m", {"metadata": {"resourceVersion": version}, "data": {}})
    assert stale.status == 409
    other = {"metadata": {"name": "m", "uid": "00000000-0000-4000-8000-000000000000"}}
    assert ask("PUT", f"{MAPS}/m", other).status == 409


@pytest.mark.parametrize(("kind", "grows"), [("nodes", False), ("pods", True)])
def test_generations_count_changes_of_the_spec_of_some_kinds(kind: str, grows: bool) -> None:
    ask = Session()
    path = NODES if kind == "nodes" else PODS
    made = ask("POST", NODES, make_node("p")).json if kind == "nodes" else ask.pod()
    assert made["metadata"].get("generation") == (1 if grows else None)
    change = {"unschedulable": True} if kind == "nodes" else {"activeDeadlineSeconds": 5}
    changed = ask("PATCH", f"{path}/p", {"spec": change}).json
    assert changed["metadata"].get("generation") == (2 if grows else None)


def test_a_pod_with_a_node_is_deleted_gracefully_and_one_without_at_once() -> None:
    ask = Session()
    ask.bound()
    leaving = ask("DELETE", f"{PODS}/p", gracePeriodSeconds=7).json["metadata"]
    assert leaving["deletionGracePeriodSeconds"] == 7
    assert ask("GET", f"{PODS}/p").status == 200
    ask.pod("free")
    gone = ask("DELETE", f"{PODS}/free").json
    assert (gone["kind"], gone["metadata"]["deletionGracePeriodSeconds"]) == ("Pod", 0)
    assert ask("GET", f"{PODS}/free").status == 404


def test_deletions_may_be_tried_guarded_and_held_up() -> None:
    ask = Session()
    ask("POST", MAPS, {"metadata": {"name": "m", "finalizers": ["example.com/hold"]}})
    dry = ask("DELETE", f"{MAPS}/m", {"kind": "DeleteOptions", "dryRun": ["All"]})
    assert dry.status == 200
    assert "deletionTimestamp" not in ask("GET", f"{MAPS}/m").json["metadata"]
    other = {"preconditions": {"uid": "00000000-0000-4000-8000-000000000000"}}
    assert ask("DELETE", f"{MAPS}/m", other).status == 409
    assert "deletionTimestamp" in ask("DELETE", f"{MAPS}/m").json["metadata"]
    ask("PATCH", f"{MAPS}/m", {"metadata": {"finalizers": None}})
    assert ask("GET", f"{MAPS}/m").status == 404
    ask("POST", MAPS, {"metadata": {"name": "n"}})
    answer = ask("DELETE", f"{MAPS}/n").json
    assert (answer["kind"], answer["status"]) == ("Status", "Success")


def test_labels_named_by_keys_are_merged_into_selectors_when_a_pod_is_made() -> None:
    ask = Session()
    selector = {"matchLabels": {"app": "web"}}
    spread = {
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": selector, "matchLabelKeys": ["hash"],
    }  # fmt: skip
    apart = {
        "topologyKey": "zone", "labelSelector": selector,
        "matchLabelKeys": ["hash"], "mismatchLabelKeys": ["tenant"],
    }  # fmt: skip
    rules = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    labels = {"app": "web", "hash": "1", "tenant": "a"}
    spec = {**SPEC, "affinity": rules, "topologySpreadConstraints": [spread]}
    made = ask("POST", PODS, {"metadata": {"name": "p", "labels": labels}, "spec": spec}).json
    merged = {"key": "hash", "operator": "In", "values": ["1"]}
    (constraint,) = made["spec"]["topologySpreadConstraints"]
    assert constraint["labelSelector"]["matchExpressions"] == [merged]
    (term,) = made["spec"]["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    other = {"key": "tenant", "operator": "NotIn", "values": ["a"]}
    assert term["labelSelector"]["matchExpressions"] == [merged, other]


def test_a_pod_is_completed_as_the_real_server_does() -> None:
    made = Session().pod()
    spec = made["spec"]
    assert {name: spec[name] for name in (
        "restartPolicy", "terminationGracePeriodSeconds", "dnsPolicy", "schedulerName",
        "securityContext", "enableServiceLinks", "serviceAccountName", "priority",
        "preemptionPolicy",
    )} == {
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
        "securityContext": {}, "enableServiceLinks": True, "serviceAccountName": "default",
        "priority": 0, "preemptionPolicy": "PreemptLowerPriority",
    }  # fmt: skip
    assert {each["key"] for each in spec["tolerations"]} == {
        "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
    }  # fmt: skip
    assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert spec["containers"][0]["imagePullPolicy"] == "Always"


def test_a_priority_class_that_is_not_there_is_forbidden() -> None:
    ask = Session()
    body = {"metadata": {"name": "p"}, "spec": {**SPEC, "priorityClassName": "none"}}
    assert ask("POST", PODS, body).status == 403
    made = ask.pod("critical", priorityClassName="system-node-critical")
    assert made["spec"]["priority"] == 2_000_001_000


def test_of_a_pod_only_little_can_be_changed() -> None:
    ask = Session()
    made = ask.pod()
    toleration = {"key": "a", "operator": "Exists", "effect": "NoSchedule"}
    more = {"tolerations": [*made["spec"]["tolerations"], toleration]}
    assert ask("PATCH", f"{PODS}/p", {"spec": more}).status == 200
    refused = ask("PATCH", f"{PODS}/p", {"spec": {"restartPolicy": "Never"}})
    assert (refused.status, refused.json["reason"]) == (422, "Invalid")


def test_a_node_has_no_taint_that_nobody_takes_away() -> None:
    ask = Session()
    node = {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4", "pods": "110"}}}
    made = ask("POST", NODES, node).json
    assert "taints" not in made["spec"]
    assert made["status"]["allocatable"] == {"cpu": "4", "pods": "110"}


def test_events_of_both_groups_are_the_same_ones() -> None:
    ask = Session()
    event = {
        "metadata": {"name": "e"}, "type": "Warning", "reason": "FailedScheduling",
        "action": "Scheduling", "eventTime": "2026-01-01T00:00:00.000001Z", "note": "no room",
        "regarding": {"kind": "Pod", "namespace": "default", "name": "p", "uid": "u"},
        "reportingController": "default-scheduler", "reportingInstance": "s-1",
    }  # fmt: skip
    newer = "/apis/events.k8s.io/v1/namespaces/default/events"
    made = ask("POST", newer, event).json
    assert made["apiVersion"] == "events.k8s.io/v1"
    older = ask("GET", "/api/v1/namespaces/default/events/e").json
    assert (older["apiVersion"], older["message"]) == ("v1", "no room")
    assert older["involvedObject"]["uid"] == "u"
    assert older["reportingComponent"] == "default-scheduler"
    assert older["metadata"]["uid"] == made["metadata"]["uid"]
    query = "involvedObject.kind=Pod,involvedObject.name=p,type=Warning"
    found = ask("GET", "/api/v1/events", fieldSelector=query).json["items"]
    assert [each["metadata"]["name"] for each in found] == ["e"]
    older = {
        "metadata": {"name": "o"}, "message": "m", "count": 3, "type": "Normal", "reason": "R",
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z",
        "source": {"component": "kubelet"},
    }  # fmt: skip
    assert ask("POST", "/api/v1/namespaces/default/events", older).status == 201
    shown = ask("GET", f"{newer}/o").json
    assert (shown["note"], shown["deprecatedCount"]) == ("m", 3)
    assert shown["deprecatedSource"] == {"component": "kubelet"}


def test_namespaces_are_there_or_on_their_way_out() -> None:
    ask = Session()
    names = {each["metadata"]["name"] for each in ask("GET", "/api/v1/namespaces").json["items"]}
    assert names == {"default", "kube-system", "kube-public", "kube-node-lease"}
    refused = ask("DELETE", "/api/v1/namespaces/default")
    assert (refused.status, refused.json["reason"]) == (403, "Forbidden")
    body = {"metadata": {"name": "m"}}
    assert ask("POST", "/api/v1/namespaces/none/configmaps", body).status == 404
    made = ask("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}}).json
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "n"}
    assert made["spec"] == {"finalizers": ["kubernetes"]}
    held = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
    assert ask("POST", "/api/v1/namespaces/n/configmaps", held).status == 201
    leaving = ask("DELETE", "/api/v1/namespaces/n").json
    assert leaving["status"]["phase"] == "Terminating"
    late = ask("POST", "/api/v1/namespaces/n/configmaps", body)
    assert late.status == 403
    (cause,) = late.json["details"]["causes"]
    assert cause["reason"] == "NamespaceTerminating"


def test_a_budget_answers_too_many_requests() -> None:
    ask = Session()
    labels = {"app": "web"}
    ask("POST", NODES, make_node("n"))
    ask("POST", PODS, {"metadata": {"name": "p", "labels": labels}, "spec": SPEC})
    ask("POST", f"{PODS}/p/binding", BINDING)
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    ask("PATCH", f"{PODS}/p/status", {"status": ready})
    budget = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1,
                                                  "selector": {"matchLabels": labels}}}  # fmt: skip
    ask("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget)
    refused = ask("POST", f"{PODS}/p/eviction", {"metadata": {"name": "p"}})
    assert (refused.status, refused.json["reason"]) == (429, "TooManyRequests")
    (cause,) = refused.json["details"]["causes"]
    assert cause["reason"] == "DisruptionBudget"


def test_a_binding_may_name_its_pod_itself() -> None:
    ask = Session()
    ask("POST", NODES, make_node("n"))
    ask.pod()
    body = {"metadata": {"name": "p", "annotations": {"a": "b"}}, "target": {"name": "n"}}
    answer = ask("POST", "/api/v1/namespaces/default/bindings", body)
    assert (answer.status, answer.json["kind"]) == (201, "Status")
    bound = ask("GET", f"{PODS}/p").json
    assert bound["spec"]["nodeName"] == "n"
    assert bound["metadata"]["annotations"] == {"a": "b"}
