"""Each format, in a file and in an archive."""

from __future__ import annotations

import collections
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.objects import timestamps, yaml_text
from kubestage.sources import folding
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    from kubestage.sources.imported import Imported

ALL = {"Node": 1, "Pod": 1, "Deployment": 1}


def _counts(found: Imported) -> dict[str, int]:
    return dict(collections.Counter(each["kind"] for each in found.objects))


def _end(found: Imported) -> list[Any]:
    return folding.state_at(found.objects, found.changes, None)


def _yaml(*objects: Any) -> bytes:
    return "---\n".join(yaml_text.dump(each) for each in objects).encode()


@pytest.mark.parametrize(
    "content",
    [
        _yaml(samples.node(), samples.pod(), samples.deployment()),
        samples.text({"apiVersion": "v1", "kind": "List",
                      "items": [samples.node(), samples.pod(), samples.deployment()]}),
        samples.text(samples.node()) + samples.text(samples.pod())
        + samples.text(samples.deployment()),
        _yaml(samples.listed(samples.node()), samples.listed(samples.pod()),
              samples.listed(samples.deployment())),
    ],
)  # fmt: skip
def test_kubectl_dumps(content: bytes, imported: Callable[..., Imported]) -> None:
    found = imported(content, "dump.yaml")
    assert _counts(found) == ALL
    assert found.origins[0].format == "kubectl dump"
    # The newest moment that objects mention.
    assert found.captured_ns == timestamps.parse_time("2026-03-01T09:00:00Z")
    assert all(each["apiVersion"] for each in found.objects)


def test_support_bundles(imported: Callable[..., Imported]) -> None:
    for content in (samples.support_bundle(), samples.tar(samples.support_bundle())):
        found = imported(content, "bundle" if isinstance(content, dict) else "bundle.tar.gz")
        assert _counts(found) == {**ALL, "Namespace": 1}
        assert found.origins[0].kubernetes_version == "v1.31.2"
        assert any("lacks statefulsets" in note for note in found.notes)
        assert not any("lacks jobs" in note for note in found.notes)
        assert found.left_out["Thing", "custom resource that is not simulated"] == 1


def test_must_gather(imported: Callable[..., Imported]) -> None:
    found = imported(samples.tar(samples.must_gather()), "must-gather.tar.gz")
    assert _counts(found) == {**ALL, "Namespace": 1, "Secret": 1}
    origin = found.origins[0]
    assert (origin.format, origin.kubernetes_version) == ("OpenShift must-gather", "v1.29.5")
    assert origin.captured_ns == timestamps.parse_time("2026-03-01T10:05:00.25Z")
    # A pod is in the list of its namespace and in a folder of its own.
    assert found.left_out["Pod", "is there twice; the newer one is kept"] == 1
    assert any("audit_logs" in note for note in found.notes)


def test_cluster_info_dumps(imported: Callable[..., Imported]) -> None:
    for content in (samples.cluster_info(), samples.cluster_info_stream()):
        found = imported(content, "folder" if isinstance(content, dict) else "stream.txt")
        assert _counts(found) == ALL
        assert found.origins[0].format == "kubectl cluster-info dump"
        assert any("no StatefulSets" in note for note in found.notes)


def _simkube() -> Any:
    later = samples.deployment(replicas=5)
    return {
        "version": 2,
        "config": {"trackedObjects": {"apps/v1.Deployment": {}}},
        "events": [
            {"ts": 1000, "applied_objs": [samples.deployment()], "deleted_objs": []},
            {"ts": 1060, "applied_objs": [later], "deleted_objs": []},
            {"ts": 1090, "applied_objs": [], "deleted_objs": [later]},
        ],
        "index": {},
        "pod_lifecycles": {
            '["apps/v1.Deployment", "shop/web"]': {"7": [{"Finished": [1000, 1030]}, "Empty"]}
        },
    }


def _packed(trace: Any) -> bytes:
    lives = {("apps/v1.Deployment", "shop/web"): {7: [{"Finished": [1000, 1030]}]}}
    return msgspec.msgpack.encode({**trace, "pod_lifecycles": lives})


def _first_version(trace: Any) -> list[Any]:
    return [trace[part] for part in ("config", "events", "index", "pod_lifecycles")]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(_simkube()).encode(),
        json.dumps(_first_version(_simkube())).encode(),
        _packed(_simkube()),
        msgspec.msgpack.encode(_first_version(_simkube())),
    ],
    ids=["json", "json 1", "msgpack", "msgpack 1"],
)
def test_simkube_traces(content: bytes, imported: Callable[..., Imported]) -> None:
    found = imported(content, "trace")
    assert [(each.verb, each.at_ns // 10**9) for each in found.changes] == [
        ("create", 1000), ("update", 1060), ("delete", 1090),
    ]  # fmt: skip
    assert _end(found) == []
    created = found.changes[0].object
    assert created is not None
    annotations = created["spec"]["template"]["metadata"]["annotations"]
    assert annotations == {"kubestage.dev/run-duration": "30s"}
    assert samples.TEMPLATE["metadata"].keys() == {"labels"}


def test_kubereplay_logs(imported: Callable[..., Imported]) -> None:
    bare = {key: samples.deployment()[key] for key in ("metadata", "spec")}
    events = [
        {"type": "create", "kind": "Deployment", "key": "shop/web", "deployment": bare,
         "timestamp": "2026-03-01T10:00:00Z"},
        {"type": "scale", "kind": "Deployment", "key": "shop/web", "replicas": 7,
         "timestamp": "2026-03-01T10:01:00.5Z"},
        {"type": "create", "kind": "Job", "key": "shop/once", "timestamp": "2026-03-01T10:02:00Z",
         "job": {"metadata": {"name": "once", "namespace": "shop"},
                 "spec": {"template": samples.TEMPLATE}}},
        {"type": "delete", "kind": "Deployment", "key": "shop/gone",
         "timestamp": "2026-03-01T10:03:00Z"},
    ]  # fmt: skip
    log = {"cluster": "prod", "captured": "2026-03-01T11:00:00Z", "events": events}
    found = imported(samples.text(log), "replay.json")
    assert [each.verb for each in found.changes] == ["create", "patch", "create", "delete"]
    (web, once) = _end(found)
    assert (web["kind"], web["spec"]["replicas"], once["kind"]) == ("Deployment", 7, "Job")
    assert found.origins[0].cluster == "prod"


def test_kwok_recordings(imported: Callable[..., Imported]) -> None:
    def patch(method: str, name: str, after_ns: int, template: Any = None) -> Any:
        made: Any = {
            "apiVersion": "action.kwok.x-k8s.io/v1alpha1",
            "kind": "ResourcePatch",
            "resource": {"version": "v1", "resource": "pods"},
            "target": {"name": name, "namespace": "shop"},
            "durationNanosecond": after_ns,
            "method": method,
        }
        return made | ({} if template is None else {"template": template})

    status = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    documents = [
        samples.node(),
        samples.pod(on=""),
        patch("patch", "web-1", 10**9, {"spec": {"nodeName": "node-a"}}),
        patch("patch", "web-1", 2 * 10**9, status),
        patch("create", "web-2", 3 * 10**9, samples.pod("web-2")),
        patch("delete", "web-1", 4 * 10**9),
        patch("patch", "unknown", 5 * 10**9, status),
    ]
    found = imported(_yaml(*documents), "recording.yaml")
    assert [each.verb for each in found.changes] == ["update", "update", "create", "delete"]
    start = timestamps.parse_time("2026-03-01T09:00:00Z")
    assert found.changes[0].at_ns == start + 10**9
    second = found.changes[1].object
    assert second is not None
    assert second["spec"]["nodeName"] == "node-a"
    assert second["status"]["phase"] == "Pending"
    assert [each["metadata"]["name"] for each in _end(found)] == ["node-a", "web-2"]
    assert sum(found.left_out.values()) == 1


def test_kss_exports_and_recordings(imported: Callable[..., Imported]) -> None:
    bare = {key: samples.pod()[key] for key in ("metadata", "spec")}
    export = {"pods": [bare], "nodes": [samples.node()], "schedulerConfig": {"profiles": []}}
    found = imported(samples.text(export), "export.json")
    assert _counts(found) == {"Node": 1, "Pod": 1}
    assert any("--config" in note for note in found.notes)
    moved = samples.pod("web-2", on="")
    moved["metadata"]["creationTimestamp"] = "2026-03-01T10:00:05Z"
    records = [
        {"time": "2026-03-01T10:00:00Z", "event": "Add", "resource": samples.node()},
        {"time": "2026-03-01T10:00:05Z", "event": "Add", "resource": moved},
        {"time": "2026-03-01T10:00:06Z", "event": "Update", "resource": samples.pod("web-2")},
        {"time": "2026-03-01T10:00:09Z", "event": "Delete", "resource": samples.pod("web-2")},
    ]
    found = imported(samples.lines(*records), "recording.jsonl")
    assert [each["kind"] for each in found.objects] == ["Node"]
    assert [each.verb for each in found.changes] == ["create", "update", "delete"]


def _shark(path: str, second: int, body: Any, event: str = "") -> Any:
    record = {
        "id": str(second),
        "captured_at": f"2026-03-01T10:00:{second:02}Z",
        "api_path": path,
        "http_method": "GET",
        "response_code": 200,
        "response_body": body,
    }
    return record | ({"event_type": event} if event else {})


def test_k8shark_captures(imported: Callable[..., Imported]) -> None:
    pods, nodes = "/api/v1/namespaces/shop/pods", "/api/v1/nodes"
    changed = samples.pod()
    changed["metadata"] = {**changed["metadata"], "resourceVersion": "9"}
    records = [
        _shark(nodes, 0, samples.listed(samples.node())),
        _shark(pods, 0, samples.listed(samples.pod())),
        _shark(pods, 1, changed, "MODIFIED"),
        _shark(pods, 2, samples.listed(changed, samples.pod("web-2"))),
        _shark(f"{pods}?as=Table", 2, {"kind": "Table"}),
        _shark(pods, 3, changed, "DELETED"),
    ]
    found = imported(samples.lines(*records), "records.ndjson")
    assert _counts(found) == {"Node": 1, "Pod": 1}
    assert [(each.verb, each.reference.name) for each in found.changes] == [
        ("update", "web-1"), ("create", "web-2"), ("delete", "web-1"),
    ]  # fmt: skip
    root = "k8shark-capture/"
    archive = {
        f"{root}metadata.json": samples.text(
            {"format_version": 2, "kubernetes_version": "v1.30.2",
             "captured_until": "2026-03-01T10:10:00Z"}
        ),
        **{f"{root}records/{number:016x}/0.json": samples.text(each)
           for number, each in enumerate(records)},
    }  # fmt: skip
    found = imported(samples.tar(archive), "capture.tar.gz")
    assert found.origins[0].kubernetes_version == "v1.30.2"
    assert len(found.changes) == 3


def test_several_sources_are_one_cluster(
    imported: Callable[..., Imported], tmp_path: pathlib.Path
) -> None:
    newer = samples.pod(on="node-b")
    newer["metadata"] = {**newer["metadata"], "resourceVersion": "8"}
    older = {**samples.pod(), "metadata": {**samples.pod()["metadata"], "resourceVersion": "7"}}
    found = imported(
        {
            "a.yaml": samples.text(newer),
            "b.yaml": samples.text(older),
            "c.json": samples.text(samples.node()),
            "notes.txt": b"hello",
        },
        "many",
    )
    assert _counts(found) == {"Node": 1, "Pod": 1}
    (pod,) = (each for each in found.objects if each["kind"] == "Pod")
    assert pod["spec"]["nodeName"] == "node-b"


def test_old_versions_of_the_same_shape_are_read(imported: Callable[..., Imported]) -> None:
    budget = {
        "apiVersion": "policy/v1beta1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minAvailable": 1},
    }
    slice_ = {
        "apiVersion": "resource.k8s.io/v1alpha2",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu", "namespace": "shop"},
    }
    found = imported(_yaml(budget, slice_), "old.yaml")
    assert [each["apiVersion"] for each in found.objects] == ["policy/v1"]
    assert found.left_out[
        "ResourceClaim", "version that is not known: resource.k8s.io/v1alpha2"
    ] == 1  # fmt: skip
