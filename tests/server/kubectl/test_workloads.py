from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server.kubectl.conftest import Kubectl


def test_a_rollout_and_back(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx:1", "--replicas=3")
    assert "successfully rolled out" in kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    kubectl("set", "image", "deploy/web", "nginx=nginx:2")
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    assert kubectl("rollout", "history", "deploy/web").count("<none>") == 2
    kubectl("rollout", "undo", "deploy/web")
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    pods = kubectl.json("get", "pods", "--field-selector=status.phase=Running")["items"]
    alive = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    assert {pod["spec"]["containers"][0]["image"] for pod in alive} == {"nginx:1"}
    kubectl("rollout", "restart", "deploy/web")
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")


def test_scale_makes_and_ends_pods(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=1")
    kubectl("scale", "deploy/web", "--replicas=4")
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    (row,) = kubectl.table("get", "deploy")
    assert (row["READY"], row["UP-TO-DATE"], row["AVAILABLE"]) == ("4/4", "4", "4")
    kubectl("scale", "deploy/web", "--replicas=1", "--current-replicas=4")
    kubectl("wait", "deploy/web", "--for=jsonpath={.status.replicas}=1", "--timeout=15m")


def test_get_all_shows_the_family(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx")
    kubectl("expose", "deploy/web", "--port=80")
    shown = kubectl("get", "all")
    for part in ("pod/web-", "service/web", "deployment.apps/web", "replicaset.apps/web-"):
        assert part in shown


def test_an_autoscaler_is_made_and_shown(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx")
    kubectl("autoscale", "deploy/web", "--min=1", "--max=5", "--cpu-percent=60")
    (row,) = kubectl.table("get", "hpa")
    assert row["REFERENCE"] == "Deployment/web"
    assert (row["MINPODS"], row["MAXPODS"]) == ("1", "5")


def test_a_job_runs_to_its_end(kubectl: Kubectl) -> None:
    kubectl("create", "job", "once", "--image=busybox", "--", "true")
    pod = kubectl("get", "pods", "-l", "job-name=once", "-o", "name").strip()
    assert pod.startswith("pod/once-")


def test_cordon_and_drain_respect_budgets(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2")
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    kubectl("create", "poddisruptionbudget", "b", "--selector=app=web", "--min-available=2")
    kubectl("wait", "pdb/b", "--for=jsonpath={.status.currentHealthy}=2", "--timeout=15m")
    node = kubectl("get", "pods", "-o", "jsonpath={.items[0].spec.nodeName}")
    drain = ("drain", node, "--ignore-daemonsets", "--force", "--pod-selector=app=web")
    complaint = kubectl.refused(*drain, "--timeout=3s")
    assert "violate the pod's disruption budget" in complaint
    status = kubectl.table("get", "node", node)[0]["STATUS"]
    assert status == "Ready,SchedulingDisabled"
    kubectl("delete", "pdb", "b")
    kubectl(*drain, "--timeout=15m")
    kubectl("uncordon", node)
    assert kubectl.table("get", "node", node)[0]["STATUS"] == "Ready"


def test_a_taint_keeps_pods_away(kubectl: Kubectl) -> None:
    kubectl("taint", "node", "node-3", f"only={kubectl.namespace}:NoSchedule")
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=6")
    kubectl("rollout", "status", "deploy/web", "--timeout=15m")
    nodes = kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}").split()
    assert "node-3" not in nodes
    kubectl("taint", "node", "node-3", "only-")


def test_an_outranking_pod_takes_anothers_place(kubectl: Kubectl) -> None:
    kubectl("create", "priorityclass", f"high-{kubectl.namespace}", "--value=1000")
    shown = kubectl.table("get", "priorityclass", f"high-{kubectl.namespace}")
    assert shown[0]["VALUE"] == "1000"
