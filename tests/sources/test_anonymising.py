"""Anonymised imports: nothing of the original is left, and schedulers decide the same."""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kubestage.objects import gvk
from kubestage.runs import importing
from kubestage.runs.import_options import ImportOptions
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions
from kubestage.sources import reading
from kubestage.sources.anonymising import anonymiser
from tests.sources import samples

WORDS = ("amber", "birch", "cedar", "amber-birch", "dogwood")
ZONES = ("eu-1a", "eu-1b", "us-2")


@st.composite
def nodes(draw: st.DrawFn) -> list[Any]:
    made = []
    for name in draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5, unique=True)):
        node = samples.node(f"host-{name}.corp", **{
            "topology.kubernetes.io/zone": draw(st.sampled_from(ZONES)),
            "corp.example/team": draw(st.sampled_from(WORDS)),
            "corp.example/rank": str(draw(st.integers(1, 5))),
        })  # fmt: skip
        node["metadata"]["uid"] = f"uid-{name}"
        node["status"]["images"] = [
            {"names": [f"registry.corp/{draw(st.sampled_from(WORDS))}:1"], "sizeBytes": 10**9}
        ]
        if draw(st.booleans()):
            node["spec"] = {"taints": [{"key": "corp.example/only", "value": "cedar",
                                        "effect": "NoSchedule"}]}  # fmt: skip
        made.append(node)
    return made


@st.composite
def pods(draw: st.DrawFn) -> list[Any]:
    made = []
    for number in range(draw(st.integers(2, 7))):
        app = draw(st.sampled_from(WORDS))
        pod = samples.pod(f"{app}-{number}", on="", namespace=draw(st.sampled_from(WORDS)))
        pod["metadata"] |= {"labels": {"app": app}, "uid": f"pod-{number}"}
        cpu = draw(st.sampled_from(("500m", "1", "2")))
        pod["spec"] = spec = {"containers": [{
            "name": app, "image": f"registry.corp/{app}:1", "command": ["run", app],
            "env": [{"name": "PASSWORD", "value": "topsecret"}],
            "resources": {"requests": {"cpu": cpu}},
        }]}  # fmt: skip
        selector = {"matchLabels": {"app": draw(st.sampled_from(WORDS))}}
        for rule in draw(st.sets(st.sampled_from(sorted(_RULES)), max_size=3)):
            _merge(spec, _RULES[rule](selector, draw(st.sampled_from(WORDS))))
        made.append(pod)
    return made


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _required(expression: Any) -> Any:
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


_RULES: dict[str, Any] = {
    "team": lambda _, word: {"nodeSelector": {"corp.example/team": word}},
    "rank": lambda _, __: _required(
        {"key": "corp.example/rank", "operator": "Gt", "values": ["2"]}
    ),
    "zone": lambda _, __: _required(
        {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["us-2"]}
    ),
    "tolerate": lambda _, __: {
        "tolerations": [{"key": "corp.example/only", "operator": "Equal", "value": "cedar"}]
    },
    "spread": lambda selector, _: {"topologySpreadConstraints": [{
        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector,
    }]},
    "apart": lambda selector, _: {"affinity": {"podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}]}}},
    "together": lambda selector, word: {"affinity": {"podAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 50, "podAffinityTerm": {
            "topologyKey": "topology.kubernetes.io/zone", "labelSelector": selector,
            "namespaces": [word]}}]}}},
}  # fmt: skip


def _by_creation(folder: pathlib.Path, tie_break: str) -> list[tuple[str, int | None]]:
    """The node of each pod by its time of creation, which stays."""
    result = run(str(folder), RunOptions(tie_break=tie_break))  # type: ignore[arg-type]
    store = result.stage.store
    names = sorted(store.read(gvk.NODE))
    return sorted(
        (pod["metadata"]["creationTimestamp"],
         names.index(pod["spec"]["nodeName"]) if "nodeName" in pod["spec"] else -1)
        for pod in store.read(gvk.POD).values()
    )  # fmt: skip


@settings(
    max_examples=15,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@given(nodes(), pods(), st.sampled_from(["first", "heap"]))
def test_placements_are_the_same(hosts: list[Any], waiting: list[Any], tie_break: str) -> None:
    for number, pod in enumerate(waiting):
        pod["metadata"]["creationTimestamp"] = f"2026-03-01T09:00:{number:02}Z"
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        items = [*hosts, *waiting]
        (root / "dump.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        )
        for name, hidden in (("plain", False), ("hidden", True)):
            options = ImportOptions(anonymise=hidden, key="k" if hidden else None)
            importing.import_cluster([str(root / "dump.json")], str(root / name), options)
        plain = _by_creation(root / "plain", tie_break)
        assert plain == _by_creation(root / "hidden", tie_break)
        text = "".join(each.read_text() for each in (root / "hidden").rglob("*.yaml"))
    assert not re.search(r"corp|amber|birch|cedar|dogwood|topsecret|eu-1|PASSWORD", text)


def _hidden(*objects: Any, key: bytes = b"key") -> list[Any]:
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "dump.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        return anonymiser.anonymise(reading.read([str(file)]), key).objects


def _set() -> list[Any]:
    labels = {"app": "db"}
    made: Any = {
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "shop", "uid": "u1"},
        "spec": {
            "replicas": 1, "serviceName": "db", "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "containers": [{"name": "db", "image": "postgres"}]}},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "gold",
                "resources": {"requests": {"storage": "1Gi"}}}}],
        },
        "status": {"currentRevision": "db-77", "updateRevision": "db-77"},
    }  # fmt: skip
    revision: Any = {
        "apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 1,
        "metadata": {"name": "db-77", "namespace": "shop", "labels": labels},
        "data": {"spec": {"template": {"$patch": "replace", **made["spec"]["template"]}}},
    }  # fmt: skip
    pod = samples.pod("db-0")
    pod["metadata"] |= {
        "labels": {**labels, "statefulset.kubernetes.io/pod-name": "db-0",
                   "controller-revision-hash": "db-77"},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db",
                             "uid": "u1", "controller": True}],
    }  # fmt: skip
    pod["spec"]["volumes"] = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}},
        {"name": "keys", "secret": {"secretName": "topsecret"}},
    ]
    claim: Any = {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-db-0", "namespace": "shop"},
        "spec": {"volumeName": "pv-1", "storageClassName": "gold"},
    }  # fmt: skip
    quota: Any = {
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "shop"},
        "spec": {"hard": {"gold.storageclass.storage.k8s.io/requests.storage": "9Gi"}},
    }  # fmt: skip
    csi_node: Any = {
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "node-a"},
        "spec": {"drivers": [{"name": "ebs.csi.aws.com", "nodeID": "i-0123",
                              "topologyKeys": ["topology.ebs.csi.aws.com/zone"]}]},
    }  # fmt: skip
    return [samples.node(), made, revision, pod, claim, quota, csi_node]


def test_references_lead_to_the_same_objects() -> None:
    found = {each["kind"]: each for each in _hidden(*_set())}
    made, pod = found["StatefulSet"], found["Pod"]
    name = made["metadata"]["name"]
    assert pod["metadata"]["name"] == f"{name}-0"
    assert pod["metadata"]["ownerReferences"][0]["name"] == name
    assert pod["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
    template = made["spec"]["volumeClaimTemplates"][0]["metadata"]["name"]
    claim = found["PersistentVolumeClaim"]["metadata"]["name"]
    assert claim == f"{template}-{name}-0"
    data, keys = pod["spec"]["volumes"]
    assert data == {"name": template, "persistentVolumeClaim": {"claimName": claim}}
    assert keys["emptyDir"] == {}
    labels = pod["metadata"]["labels"]
    assert labels["statefulset.kubernetes.io/pod-name"] == pod["metadata"]["name"]
    revision = found["ControllerRevision"]
    assert labels["controller-revision-hash"] == revision["metadata"]["name"]
    assert made["status"]["updateRevision"] == revision["metadata"]["name"]
    assert revision["data"]["spec"]["template"] == {
        "$patch": "replace", **made["spec"]["template"],
    }  # fmt: skip
    (resource,) = found["ResourceQuota"]["spec"]["hard"]
    storage_class = found["PersistentVolumeClaim"]["spec"]["storageClassName"]
    assert resource == f"{storage_class}.storageclass.storage.k8s.io/requests.storage"
    node = found["Node"]["metadata"]["name"]
    assert {pod["spec"]["nodeName"], found["CSINode"]["metadata"]["name"]} == {node}
    assert found["Node"]["metadata"]["labels"]["kubernetes.io/hostname"] == node
    text = json.dumps(list(found.values()))
    assert not re.search(r"shop|topsecret|postgres|gold|node-a\b|i-0123", text)


def test_keys_decide_the_names() -> None:
    first, same, other = (_hidden(*_set(), key=key) for key in (b"a", b"a", b"b"))
    assert first == same
    assert first != other


def test_an_image_without_a_tag_is_the_latest() -> None:
    node, pod = samples.node(), samples.pod()
    node["status"]["images"] = [{"names": ["corp/app:latest"], "sizeBytes": 5}]
    pod["spec"] = {"containers": [{"name": "a", "image": "corp/app"}]}
    found = {each["kind"]: each for each in _hidden(node, pod)}
    image = found["Pod"]["spec"]["containers"][0]["image"]
    assert image.endswith(":latest")
    assert found["Node"]["status"]["images"] == [{"names": [image], "sizeBytes": 5}]


def test_a_field_that_no_rule_knows_is_hidden() -> None:
    pod = samples.pod()
    pod["spec"]["fieldOfTheFuture"] = {"text": "acme", "listed": ["acme"], "number": 7}
    (found,) = _hidden(pod)
    future = found["spec"]["fieldOfTheFuture"]
    assert future["number"] == 7
    assert "acme" not in json.dumps(found)


def test_private_kinds_finalizers_and_gates_are_hidden() -> None:
    pod = samples.pod()
    pod["metadata"] |= {
        "finalizers": ["acme.io/guard", "kubernetes.io/pv-protection", "orphan"],
        "ownerReferences": [{"apiVersion": "acme.io/v1", "kind": "AcmeJob", "name": "j", "uid": "u",
                             "controller": True}],
    }  # fmt: skip
    pod["spec"]["readinessGates"] = [{"conditionType": "acme.io/ready"}]
    pod["status"]["conditions"] = [
        {"type": "acme.io/ready", "status": "True"}, {"type": "Ready", "status": "True"},
    ]  # fmt: skip
    (found,) = _hidden(pod)
    assert "acme" not in json.dumps(found).lower()
    assert found["metadata"]["finalizers"] == ["kubernetes.io/pv-protection", "orphan"]
    assert found["metadata"]["ownerReferences"][0]["kind"] == "Hidden"
    (gate,) = found["spec"]["readinessGates"]
    assert [each["type"] for each in found["status"]["conditions"]] == [
        gate["conditionType"], "Ready",
    ]  # fmt: skip


def test_changes_are_hidden_too(tmp_path: pathlib.Path) -> None:
    log = samples.lines(
        samples.audit("create", "pods", "acme-1", 1, response=samples.pod("acme-1", on=""),
                      code=201, namespace="acme"),
        samples.audit("create", "pods", "acme-1", 2, sub="binding",
                      request={"target": {"name": "acme-host"}}),
        samples.audit("create", "things", "acme", 3, response={"kind": "Thing"}, group="acme.io"),
    )  # fmt: skip
    (tmp_path / "acme.log").write_bytes(log)
    found = anonymiser.anonymise(reading.read([str(tmp_path / "acme.log")]), b"k")
    created, bound = found.changes
    assert created.object is not None
    assert created.reference.name == bound.reference.name == created.object["metadata"]["name"]
    assert bound.object == {"spec": {"nodeName": found.changes[1].object["spec"]["nodeName"]}}  # type: ignore[index]
    assert "acme" not in repr((found.changes, found.left_out, found.notes))
    assert "anna" not in repr(found.changes)


@pytest.mark.parametrize("user", ["system:kube-scheduler", "system:apiserver"])
def test_components_stay_known(user: str, tmp_path: pathlib.Path) -> None:
    event = samples.audit("create", "pods", "a", 1, response=samples.pod("a"), code=201)
    (tmp_path / "log").write_bytes(samples.lines({**event, "user": {"username": user}}))
    found = anonymiser.anonymise(reading.read([str(tmp_path / "log")]), b"k")
    assert found.changes[0].user == user
