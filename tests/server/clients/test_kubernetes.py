"""The official Python client."""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.served import Served

# Its own annotations say that nearly everything may be None.
client: Any = importlib.import_module("kubernetes.client")
config: Any = importlib.import_module("kubernetes.config")
dynamic: Any = importlib.import_module("kubernetes.dynamic")
stream: Any = importlib.import_module("kubernetes.stream")
utils: Any = importlib.import_module("kubernetes.utils")
watch: Any = importlib.import_module("kubernetes.watch")
SCENARIOS = "simulation.kube-scheduler-simulator.x-k8s.io"


@pytest.fixture
def api(served: Served) -> Iterator[Any]:
    configuration = client.Configuration()
    config.load_kube_config(str(served.kubeconfig), client_configuration=configuration)
    with client.ApiClient(configuration) as made:
        yield made


def pod(name: str, **spec: Any) -> Any:
    containers = [client.V1Container(name="c", image="nginx")]
    return client.V1Pod(
        metadata=client.V1ObjectMeta(name=name, labels={"app": name}),
        spec=client.V1PodSpec(containers=containers, **spec),
    )


def test_a_pod_from_its_creation_to_its_end(api: Any, name: str) -> None:
    core = client.CoreV1Api(api)
    made = core.create_namespaced_pod("default", pod(name))
    seen = []
    stream = watch.Watch().stream(
        core.list_namespaced_pod,
        "default",
        field_selector=f"metadata.name={name}",
        timeout_seconds=int(HANG_S),
    )
    with contextlib.closing(stream):
        for event in stream:
            seen.append(event["type"])
            if event["object"].status.phase == "Running":
                break
    assert seen[0] == "ADDED"
    found = core.read_namespaced_pod(name, "default")
    assert found.metadata.uid == made.metadata.uid
    assert found.spec.node_name
    core.patch_namespaced_pod(name, "default", {"metadata": {"labels": {"tier": "web"}}})
    listed = core.list_namespaced_pod("default", label_selector=f"app={name},tier=web")
    assert [each.metadata.name for each in listed.items] == [name]
    core.delete_namespaced_pod(name, "default", grace_period_seconds=0)
    with pytest.raises(client.ApiException) as refused:
        core.read_namespaced_pod(name, "default")
    assert refused.value.status == 404


def test_lists_come_in_pages(api: Any, name: str) -> None:
    core = client.CoreV1Api(api)
    for number in range(5):
        metadata = client.V1ObjectMeta(name=f"{name}-{number}", labels={"set": name})
        core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=metadata))
    names: list[str] = []
    page: Any = None
    while page is None or page.metadata._continue:
        token = page.metadata._continue if page else None
        page = core.list_namespaced_config_map(
            "default", label_selector=f"set={name}", limit=2, _continue=token
        )
        names += [each.metadata.name for each in page.items]
    assert names == [f"{name}-{number}" for number in range(5)]


def test_scale_and_eviction(api: Any, name: str) -> None:
    apps, core = client.AppsV1Api(api), client.CoreV1Api(api)
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": name}), spec=pod(name).spec
    )
    spec = client.V1DeploymentSpec(
        replicas=1,
        selector=client.V1LabelSelector(match_labels={"app": name}),
        template=template,
    )
    metadata = client.V1ObjectMeta(name=name)
    apps.create_namespaced_deployment("default", client.V1Deployment(metadata=metadata, spec=spec))
    apps.patch_namespaced_deployment_scale(name, "default", {"spec": {"replicas": 3}})
    assert apps.read_namespaced_deployment_scale(name, "default").spec.replicas == 3
    pods = core.list_namespaced_pod("default", label_selector=f"app={name}").items
    victim = pods[0].metadata.name
    core.create_namespaced_pod_eviction(
        victim, "default", client.V1Eviction(metadata=client.V1ObjectMeta(name=victim))
    )
    apps.delete_namespaced_deployment(name, "default")


def test_binding_by_a_scheduler_of_ones_own(api: Any, name: str) -> None:
    core = client.CoreV1Api(api)
    core.create_namespaced_pod("default", pod(name, scheduler_name="mine"))
    target = client.V1ObjectReference(api_version="v1", kind="Node", name="node-1")
    body = client.V1Binding(metadata=client.V1ObjectMeta(name=name), target=target)
    core.create_namespaced_binding("default", body, _preload_content=False).close()
    assert core.read_namespaced_pod(name, "default").spec.node_name == "node-1"


def test_the_dynamic_client_finds_our_kinds(api: Any, name: str) -> None:
    found = dynamic.DynamicClient(api).resources.get(
        api_version=f"{SCENARIOS}/v1alpha1", kind="Scenario"
    )
    assert found.name == "scenarios"
    assert not found.namespaced
    custom = client.CustomObjectsApi(api)
    listed = custom.list_cluster_custom_object(SCENARIOS, "v1alpha1", "scenarios")
    assert listed["kind"] == "ScenarioList"


def test_objects_from_a_manifest(api: Any, name: str) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    utils.create_from_dict(api, yaml.safe_load(yaml.safe_dump(manifest)))
    assert client.CoreV1Api(api).read_namespaced_config_map(name, "default").metadata.uid
    with pytest.raises(utils.FailToCreateError):
        utils.create_from_dict(api, manifest)


def test_it_is_told_the_version(api: Any) -> None:
    assert client.VersionApi(api).get_code().minor == "36"


def test_a_command_in_a_container(api: Any, name: str) -> None:
    core = client.CoreV1Api(api)
    core.create_namespaced_pod("default", pod(name))
    while core.read_namespaced_pod(name, "default").status.phase != "Running":
        pass
    asked = {"stdout": True, "stderr": True, "stdin": False, "tty": False}
    connect = core.connect_get_namespaced_pod_exec
    for words, code in ((["hostname"], 0), (["top"], 127)):
        opened = stream.stream(
            connect, name, "default", command=words, _preload_content=False, **asked
        )
        opened.run_forever(timeout=HANG_S)
        assert opened.returncode == code
        told, complaint = opened.read_stdout(), opened.read_stderr()
        # The client itself keeps a socket open that the server has closed.
        opened.sock.shutdown()
        assert told == ("" if code else f"{name}\n")
        assert ("is not modelled" in complaint) == bool(code)
