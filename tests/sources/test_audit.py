"""Audit logs: which requests count, and what each level of detail gives."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.sources import folding
from tests.sources.samples import TEMPLATE, audit, deployment, lines, node, pod

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sources.imported import Imported

APPS = "apps"


def _state(found: Imported) -> dict[str, Any]:
    end = folding.state_at(found.objects, found.changes, None)
    return {each["metadata"]["name"]: each for each in end}


def _created(**more: Any) -> Any:
    return audit("create", "deployments", "web", 1, group=APPS, code=201,
                 request=deployment(), response=deployment(), **more)  # fmt: skip


def test_whole_objects_of_requests_and_their_order(imported: Callable[..., Imported]) -> None:
    later = deployment(replicas=4)
    log = lines(
        audit("update", "deployments", "web", 5, group=APPS, response=later),
        _created(),
        audit("create", "pods", "", 2, request={"metadata": {"generateName": "web-"}},
              response=pod("web-x", on="")),
        audit("create", "pods", "web-x", 3, sub="binding",
              request={"kind": "Binding", "target": {"kind": "Node", "name": "node-a"}}),
        audit("patch", "pods", "web-x", 4, sub="status",
              response={**pod("web-x"), "status": {"phase": "Running", "podIP": "10.1.1.1"}}),
    )  # fmt: skip
    found = imported(log, "audit.log")
    assert [each.verb for each in found.changes] == ["create", "create", "patch", "patch", "update"]
    state = _state(found)
    assert state["web"]["spec"]["replicas"] == 4
    assert state["web-x"]["spec"]["nodeName"] == "node-a"
    assert state["web-x"]["status"]["phase"] == "Running"
    first = found.changes[0]
    assert (first.user, first.manager) == ("anna", "kubectl")
    assert found.changes[0].at_ns % 10**9 == 500_000_000


def test_only_complete_successful_changes_count(imported: Callable[..., Imported]) -> None:
    log = lines(
        _created(stage="RequestReceived"),
        _created() | {"responseStatus": {"code": 409}},
        _created(uri="/apis/apps/v1/namespaces/shop/deployments?dryRun=All"),
        audit("get", "pods", "web-1", 1, response=pod()),
        audit("update", "leases", "node-a", 1, response={"kind": "Lease"}),
        audit("create", "nodes", "node-a", 2, response=node(), namespace="", code=201),
    )
    found = imported(log, "audit.log")
    assert [each.reference.kind for each in found.changes] == ["Node"]


def test_requests_without_responses(imported: Callable[..., Imported]) -> None:
    """Level Request: what clients sent. Patches apply to objects that the log has shown."""

    def request(verb: str, name: str, second: int, body: Any, **more: Any) -> Any:
        return audit(verb, "deployments", name, second, group=APPS, request=body,
                     level="Request", **more)  # fmt: skip

    containers = [{"name": "web", "image": "nginx:1.28"}]
    strategic = {"spec": {"template": {"spec": {"containers": containers}}}}
    log = lines(
        request("create", "", 1, deployment(), code=201),
        request("patch", "web", 2, strategic),
        request("patch", "web", 3, [{"op": "replace", "path": "/spec/replicas", "value": 9}]),
        request("patch", "other", 4, strategic),
        request("update", "web", 5, {"kind": "Scale", "spec": {"replicas": 3}}, sub="scale"),
        request("create", "", 6, {**deployment(), "metadata": {"generateName": "x-"}}, code=201),
    )
    found = imported(log, "audit.log")
    web = _state(found)["web"]
    assert web["spec"]["replicas"] == 3
    (container,) = web["spec"]["template"]["spec"]["containers"]
    # Merged by name: what the patch does not name stays.
    assert container["image"] == "nginx:1.28"
    assert container["resources"] == TEMPLATE["spec"]["containers"][0]["resources"]
    reasons = {reason for _, reason in found.left_out}
    assert any("patch of an object" in each for each in reasons)
    assert any("generated name" in each for each in reasons)
    assert any("level Request, which" in note for note in found.notes)


def test_server_side_apply_creates(imported: Callable[..., Imported]) -> None:
    log = lines(
        audit("patch", "deployments", "web", 1, group=APPS, code=201, level="Request",
              request=deployment(), uri="/x?fieldManager=me&force=true"),
    )  # fmt: skip
    assert [each.verb for each in imported(log, "audit.log").changes] == ["create"]


def test_metadata_alone_says_little(imported: Callable[..., Imported]) -> None:
    log = lines(
        audit("create", "pods", "web-1", 1, level="Metadata", code=201),
        audit("delete", "pods", "web-1", 2, level="Metadata"),
    )
    found = imported(log, "audit.log")
    assert not found.changes
    assert found.left_out["Pod", "request without a body in the log (level Metadata)"] == 1
    assert found.left_out["Pod", "deleted, and the log has not shown it"] == 1
    assert any("level Metadata, which" in note for note in found.notes)


def test_deletions(imported: Callable[..., Imported]) -> None:
    def made(name: str) -> Any:
        return audit("create", "pods", name, 1, response=pod(name), code=201)

    log = lines(
        *map(made, ("a", "b", "c", "d")),
        audit("create", "pods", "a", 2, sub="eviction", code=201, request={"kind": "Eviction"}),
        audit("delete", "pods", "b", 3, response=pod("b")),
        # Kubelets delete once more, when the pod has ended.
        audit("delete", "pods", "b", 4),
        audit("deletecollection", "pods", "", 5, uri="/x?labelSelector=app%3Dweb"),
        audit("delete", "pods", "before", 6, response=pod("before")),
    )
    found = imported(log, "audit.log")
    assert _state(found) == {}
    # It was there before the log began.
    assert [each["metadata"]["name"] for each in found.objects] == ["before"]
    assert [each.verb for each in found.changes].count("delete") == 5


def test_a_collection_with_a_response_is_that(imported: Callable[..., Imported]) -> None:
    log = lines(
        audit("create", "pods", "a", 1, response=pod("a"), code=201),
        audit("create", "pods", "b", 1, response=pod("b"), code=201),
        audit("deletecollection", "pods", "", 2, uri="/x?fieldSelector=spec.nodeName%3Dn",
              response={"kind": "PodList", "items": [pod("b")]}),
        audit("deletecollection", "pods", "", 3, uri="/x?fieldSelector=spec.nodeName%3Dn"),
    )  # fmt: skip
    found = imported(log, "audit.log")
    assert list(_state(found)) == ["a"]
    assert found.left_out["Pod", "deletecollection whose objects are not known"] == 1


def test_what_was_there_before_the_log(imported: Callable[..., Imported]) -> None:
    log = lines(audit("update", "deployments", "web", 9, group=APPS, response=deployment()))
    found = imported(log, "audit.log")
    assert [each["metadata"]["name"] for each in found.objects] == ["web"]
    assert [each.verb for each in found.changes] == ["update"]


def test_a_log_goes_on_from_a_dump(imported: Callable[..., Imported]) -> None:
    scaled = {"spec": {"replicas": 6}}
    patch = audit("patch", "deployments", "web", 7, group=APPS, request=scaled, level="Request")
    found = imported({"a.json": json.dumps(deployment()).encode(), "log": lines(patch)}, "both")
    assert [each["kind"] for each in found.objects] == ["Deployment"]
    assert _state(found)["web"]["spec"]["replicas"] == 6


def _batch(*events: Any) -> bytes:
    return json.dumps({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": events},
                      indent=1).encode()  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        _batch(_created()),
        json.dumps({"kind": "EventList", "apiVersion": "audit.k8s.io/v1",
                    "items": [_created()]}).encode(),
        lines({"@timestamp": "1", "@message": json.dumps(_created())}),
        lines({"events": [{"timestamp": 1, "message": json.dumps(_created())}]}),
        gzip.compress(lines(_created())),
    ],
    ids=["list", "one line", "CloudWatch", "filter-log-events", "gzip"],
)  # fmt: skip
def test_other_envelopes(content: bytes, imported: Callable[..., Imported]) -> None:
    found = imported(content, "audit.log")
    assert [each.reference.name for each in found.changes] == ["web"]


def test_files_of_a_rotated_log_are_one_log(imported: Callable[..., Imported]) -> None:
    strategic = {"spec": {"replicas": 8}}
    patch = audit("patch", "deployments", "web", 7, group=APPS, request=strategic, level="Request")
    found = imported({"audit.log": lines(patch), "older/audit-1.log": lines(_created())}, "logs")
    assert _state(found)["web"]["spec"]["replicas"] == 8


def test_a_last_line_that_is_cut_is_a_note(imported: Callable[..., Imported]) -> None:
    found = imported(lines(_created()) + b'{"kind":"Event","apiVer', "audit.log")
    assert len(found.changes) == 1
    assert any("cut off" in note for note in found.notes)
