from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from tests.server.kubectl.conftest import Kubectl


def test_get_prints_what_the_server_says(kubectl: Kubectl) -> None:
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    (row,) = kubectl.table("get", "pods")
    assert row["NAME"] == "web"
    assert (row["READY"], row["STATUS"], row["RESTARTS"]) == ("1/1", "Running", "0")
    (wide,) = kubectl.table("get", "pods", "-o", "wide")
    assert wide["NODE"].startswith("node-")
    assert wide["IP"].count(".") == 3


def test_every_output_shows_the_same_object(kubectl: Kubectl) -> None:
    kubectl("create", "configmap", "c", "--from-literal=a=1")
    assert yaml.safe_load(kubectl("get", "cm/c", "-o", "yaml"))["data"] == {"a": "1"}
    assert kubectl.json("get", "cm/c")["data"] == {"a": "1"}
    assert kubectl("get", "cm/c", "-o", "name") == "configmap/c\n"
    assert kubectl("get", "cm/c", "-o", "jsonpath={.data.a}") == "1"
    assert kubectl("get", "cm/c", "-o", "go-template={{.data.a}}") == "1"
    columns = kubectl("get", "cm/c", "-o", "custom-columns=N:.metadata.name,A:.data.a")
    assert columns.split() == ["N", "A", "c", "1"]


def test_a_missing_object_is_not_found(kubectl: Kubectl) -> None:
    complaint = kubectl.refused("get", "pod", "none")
    assert complaint == 'Error from server (NotFound): pods "none" not found\n'


def test_selectors_choose(kubectl: Kubectl) -> None:
    for number in range(3):
        kubectl("create", "configmap", f"c{number}")
        kubectl("label", "cm", f"c{number}", f"parity={number % 2}")
    assert kubectl("get", "cm", "-l", "parity=1", "-o", "name") == "configmap/c1\n"
    names = kubectl("get", "cm", "-l", "parity in (0)", "-o", "name").split()
    assert names == ["configmap/c0", "configmap/c2"]
    chosen = kubectl("get", "cm", "--field-selector", "metadata.name=c2", "-o", "name")
    assert chosen == "configmap/c2\n"
    complaint = kubectl.refused("get", "cm", "--field-selector", "data.a=1")
    assert "is not a known field selector" in complaint


def test_a_list_comes_in_chunks(kubectl: Kubectl) -> None:
    manifests = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{number:02}"}}
        for number in range(23)
    ]
    kubectl("create", "-f", "-", given=yaml.safe_dump_all(manifests))
    names = kubectl("get", "cm", "--chunk-size=5", "-o", "name").split()
    made = [f"configmap/c{number:02}" for number in range(23)]
    assert names == [*made, "configmap/kube-root-ca.crt"]


def test_a_watch_tells_as_it_happens(kubectl: Kubectl) -> None:
    about = ["get", "cm", "-w", "--no-headers", "--field-selector=metadata.name!=kube-root-ca.crt"]
    command = ["kubectl", "-n", kubectl.namespace, *about]
    watching = subprocess.Popen(
        command, env=kubectl.served.environment, stdout=subprocess.PIPE, text=True
    )
    assert watching.stdout is not None
    try:
        kubectl("create", "configmap", "first")
        assert watching.stdout.readline().split()[0] == "first"
        kubectl("create", "configmap", "second", "--from-literal=a=1")
        assert watching.stdout.readline().split()[:2] == ["second", "1"]
    finally:
        watching.kill()
        watching.wait()
        watching.stdout.close()


def test_describe_tells_a_pods_story(kubectl: Kubectl) -> None:
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    told = kubectl("describe", "pod", "web")
    assert "Successfully assigned" in told
    assert "Started" in told
    assert "Service Account:  default" in told


def test_events_tell_why_a_pod_waits(kubectl: Kubectl) -> None:
    requests = (
        '{"spec":{"containers":[{"name":"w","image":"x","resources":{"requests":{"cpu":"99"}}}]}}'
    )
    kubectl("run", "w", "--image=x", f"--overrides={requests}")
    for words in (("events", "--for", "pod/w"), ("get", "events")):
        told = kubectl(*words)
        assert "FailedScheduling" in told
        assert "Insufficient cpu" in told


def test_api_resources_and_versions_are_listed(kubectl: Kubectl) -> None:
    listed = kubectl("api-resources")
    for line in ("pods", "deployments", "scenarios", "traffics", "resourceslices"):
        assert f"\n{line} " in listed
    assert "apps/v1" in kubectl("api-versions").split()


def test_explain_describes_fields(kubectl: Kubectl) -> None:
    told = kubectl("explain", "pod.spec.containers.resources")
    assert "FIELD: resources <ResourceRequirements>" in told
    assert "requests" in told
    assert "tolerations" in kubectl("explain", "deployment", "--recursive")
    assert "events" in kubectl("explain", "scenario.spec")


def test_logs_are_the_pods_simulated_life(kubectl: Kubectl) -> None:
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    assert kubectl("logs", "web").strip()
    assert len(kubectl("logs", "web", "--tail=1").splitlines()) == 1


def test_nobody_can_be_talked_to_inside_a_container(kubectl: Kubectl) -> None:
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    for words in (("exec", "web", "--", "top"), ("attach", "web")):
        assert "simulated" in kubectl.refused(*words)


def test_top_shows_usage(kubectl: Kubectl) -> None:
    names = {row["NAME"] for row in kubectl.table("top", "nodes")}
    assert names == {f"node-{number}" for number in range(4)}
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    (row,) = kubectl.table("top", "pods")
    assert row["NAME"] == "web"
