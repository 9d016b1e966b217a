from __future__ import annotations

import json
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib

    from tests.server.kubectl.conftest import Kubectl

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - name: web
        image: {image}
"""
CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: "1"}
"""


def deployment(replicas: int = 2, image: str = "nginx:1") -> str:
    return DEPLOYMENT.format(replicas=replicas, image=image)


def test_apply_creates_then_changes_then_leaves_alone(kubectl: Kubectl) -> None:
    assert "created" in kubectl("apply", "-f", "-", given=deployment())
    assert "configured" in kubectl("apply", "-f", "-", given=deployment(image="nginx:2"))
    assert "unchanged" in kubectl("apply", "-f", "-", given=deployment(image="nginx:2"))
    found = kubectl.json("get", "deploy/web")
    assert found["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:2"


def test_apply_on_the_server_tells_of_conflicts(kubectl: Kubectl) -> None:
    kubectl("apply", "--server-side", "-f", "-", given=deployment(replicas=2))
    kubectl("scale", "deploy/web", "--replicas=3")
    complaint = kubectl.refused("apply", "--server-side", "-f", "-", given=deployment(replicas=4))
    assert 'conflict with "kubectl" with subresource "scale"' in complaint
    assert ".spec.replicas" in complaint
    words = ("apply", "--server-side", "--force-conflicts", "-f", "-")
    kubectl(*words, given=deployment(replicas=4))
    assert kubectl.json("get", "deploy/web")["spec"]["replicas"] == 4


def test_from_client_side_to_server_side_apply(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=deployment())
    kubectl("apply", "--server-side", "-f", "-", given=deployment(image="nginx:2"))
    managers = kubectl.json("get", "deploy/web", "--show-managed-fields")["metadata"]
    applied = [
        each["manager"] for each in managers["managedFields"] if each["operation"] == "Apply"
    ]
    assert "kubectl" in applied


def test_diff_shows_what_apply_would_do(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=CONFIG)
    assert kubectl.run("diff", "-f", "-", given=CONFIG).returncode == 0
    done = kubectl.run("diff", "-f", "-", given=CONFIG.replace('"1"', '"2"'))
    assert done.returncode == 1
    assert '+  a: "2"' in done.stdout
    assert kubectl.json("get", "cm/c")["data"] == {"a": "1"}


def test_edit_opens_an_editor_and_keeps_what_it_leaves(
    kubectl: Kubectl, tmp_path: pathlib.Path
) -> None:
    kubectl("create", "-f", "-", given=CONFIG)
    editor = tmp_path / "editor"
    script = (
        f"#!{sys.executable}\nimport sys, pathlib\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('a: \"1\"', 'a: \"9\"'))\n"
    )
    editor.write_text(script)
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    done = kubectl.run("edit", "cm/c", editor=str(editor))
    assert done.returncode == 0, done.stderr
    assert kubectl.json("get", "cm/c")["data"] == {"a": "9"}


def test_replace_needs_the_newest_version(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=CONFIG)
    before = kubectl.json("get", "cm/c")
    kubectl("replace", "-f", "-", given=json.dumps({**before, "data": {"a": "2"}}))
    complaint = kubectl.refused("replace", "-f", "-", given=json.dumps(before))
    assert "the object has been modified" in complaint
    kubectl("replace", "--force", "-f", "-", given=CONFIG)
    assert kubectl.json("get", "cm/c")["metadata"]["uid"] != before["metadata"]["uid"]


def test_patches_of_all_kinds(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    containers = [{"name": "web", "image": "x:2"}]
    change = {"spec": {"template": {"spec": {"containers": containers}}}}
    replace = [{"op": "replace", "path": "/spec/replicas", "value": 5}]
    patch = ("patch", "deploy/web", "-p")
    kubectl(*patch, '{"spec":{"paused":true}}', "--type=merge")
    kubectl(*patch, json.dumps(change))
    kubectl(*patch, json.dumps(replace), "--type=json")
    spec = kubectl.json("get", "deploy/web")["spec"]
    assert (spec["paused"], spec["replicas"]) == (True, 5)
    assert spec["template"]["spec"]["containers"][0]["image"] == "x:2"
    kubectl(*patch, '{"spec":{"replicas":1}}', "--subresource=scale", "--type=merge")
    assert kubectl.json("get", "deploy/web")["spec"]["replicas"] == 1


def test_labels_and_annotations(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=CONFIG)
    kubectl("label", "cm/c", "tier=web")
    assert "already has a value" in kubectl.refused("label", "cm/c", "tier=db")
    kubectl("label", "cm/c", "tier-")
    kubectl("annotate", "cm/c", "note=hello")
    metadata = kubectl.json("get", "cm/c")["metadata"]
    assert "labels" not in metadata
    assert metadata["annotations"] == {"note": "hello"}


LIST = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
"""


def test_a_list_is_applied_item_by_item(kubectl: Kubectl) -> None:
    for words in (("create",), ("apply",), ("apply", "--server-side", "--force-conflicts")):
        printed = kubectl(*words, "-f", "-", given=LIST)
        assert [line.split()[0] for line in printed.splitlines()] == ["configmap/a", "configmap/b"]


def test_unknown_fields_are_refused_before_anything_is_stored(kubectl: Kubectl) -> None:
    wrong = deployment().replace("replicas:", "replica:")
    complaint = kubectl.refused("apply", "-f", "-", given=wrong)
    assert 'unknown field "spec.replica"' in complaint
    assert "not found" in kubectl.refused("get", "deploy/web")


def test_broken_rules_are_named(kubectl: Kubectl) -> None:
    wrong = deployment(replicas=-1)
    complaint = kubectl.refused("create", "-f", "-", given=wrong)
    assert "spec.replicas: Invalid value: -1: must be greater than or equal to 0" in complaint


def test_a_dry_run_changes_nothing(kubectl: Kubectl) -> None:
    for where in ("client", "server"):
        kubectl("create", f"--dry-run={where}", "-f", "-", given=CONFIG)
    assert "not found" in kubectl.refused("get", "cm/c")


def test_typed_creates_speak_protobuf(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    kubectl("create", "quota", "q", "--hard=pods=5,cpu=2")
    kubectl("create", "secret", "generic", "s", "--from-literal=k=v")
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods")
    kubectl("create", "rolebinding", "rb", "--role=reader", "--serviceaccount=x:robot")
    kubectl("create", "cronjob", "cj", "--image=x", "--schedule=0 * * * *")
    kubectl("create", "ingress", "i", "--rule=a.example/=svc:80")
    kubectl("create", "service", "clusterip", "s", "--tcp=80:8080")
    kubectl("create", "poddisruptionbudget", "b", "--selector=app=x", "--min-available=1")
    assert kubectl.json("get", "quota/q")["spec"]["hard"] == {"cpu": "2", "pods": "5"}
    assert kubectl.json("get", "secret/s")["data"] == {"k": "dg=="}
    assert kubectl("create", "token", "robot").strip()


def test_deletion_waits_for_what_it_must(kubectl: Kubectl) -> None:
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    kubectl("delete", "pod", "web")
    assert "not found" in kubectl.refused("get", "pod", "web")
    kubectl("create", "-f", "-", given=CONFIG)
    kubectl("patch", "cm/c", "--type=merge", "-p", '{"metadata":{"finalizers":["a.example/b"]}}')
    kubectl("delete", "cm/c", "--wait=false")
    assert kubectl.json("get", "cm/c")["metadata"]["deletionTimestamp"]
    kubectl("patch", "cm/c", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert "not found" in kubectl.refused("get", "cm/c")


def test_all_of_a_kind_are_deleted(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment(replicas=3))
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    kubectl("delete", "deploy", "--all")
    kubectl("wait", "pod", "--for=delete", "-l", "app=web", "--timeout=15m")
    assert kubectl("get", "pods", "-o", "name") == ""


def test_a_namespace_goes_with_all_that_is_in_it(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    kubectl("delete", "namespace", kubectl.namespace)
    assert "not found" in kubectl.refused("get", "namespace", kubectl.namespace)
    assert "is forbidden" in kubectl.refused("delete", "namespace", "default")
