"""The clients that people have, on a cluster in the process of a test."""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
from typing import TYPE_CHECKING, Any

import kr8s.asyncio
import pytest
from kr8s.asyncio.objects import Pod as AsyncPod
from lightkube import Client, KubeConfig
from lightkube.resources.core_v1 import Pod

from kubestage.testing import make_pod
from tests.deadlines import HANG_S
from tests.server.served import require_kubectl

if TYPE_CHECKING:
    from kubestage.testing import ClusterServer


def test_the_official_client(server: ClusterServer) -> None:
    client: Any = importlib.import_module("kubernetes.client")
    config: Any = importlib.import_module("kubernetes.config")
    watch: Any = importlib.import_module("kubernetes.watch")
    configuration = client.Configuration()
    config.load_kube_config(server.kubeconfig, client_configuration=configuration)
    with client.ApiClient(configuration) as api:
        core = client.CoreV1Api(api)
        core.create_namespaced_pod("default", make_pod("a"))
        events = watch.Watch().stream(
            core.list_namespaced_pod, "default", timeout_seconds=int(HANG_S)
        )
        phases = iter(event["object"].status.phase for event in events)
        assert "Running" in phases
        events.close()


# It knows versions of Kubernetes up to 1.35, and says so.
@pytest.mark.filterwarnings("ignore:Kubernetes version:UserWarning")
def test_kr8s(server: ClusterServer) -> None:
    async def story() -> None:
        api = await kr8s.asyncio.api(kubeconfig=server.kubeconfig)
        try:
            pod = await AsyncPod(make_pod("a"), api=api)
            await pod.create()
            await pod.wait("condition=Ready", timeout=HANG_S)
        finally:
            assert api._session is not None
            await api._session.aclose()

    asyncio.run(story())
    server.expect("pod/a").ready()


def test_lightkube(server: ClusterServer) -> None:
    with Client(config=KubeConfig.from_file(server.kubeconfig)) as client:
        server.apply(make_pod("a"))
        client.wait(Pod, "a", for_conditions=["Ready"], namespace="default")
        assert [each.metadata.name for each in client.list(Pod) if each.metadata] == ["a"]


def test_pykube(server: ClusterServer) -> None:
    pykube: Any = importlib.import_module("pykube")
    api = pykube.HTTPClient(pykube.KubeConfig.from_file(server.kubeconfig))
    try:
        pykube.Pod(api, make_pod("a")).create()
        server.expect("pod/a").ready(within="1m")
        found = pykube.Pod.objects(api).get_by_name("a")
        assert found.ready
        found.annotations["note"] = "x"
        found.update()
        server.expect("pod/a").field("metadata.annotations.note", "x")
        found.delete()
        server.expect("pod/a").gone(within="2m")
    finally:
        api.session.close()


def test_kubectl_which_is_not_python(server: ClusterServer) -> None:
    require_kubectl()
    server.apply(make_pod("a"))
    environment = {**os.environ, "KUBECONFIG": server.kubeconfig, "HOME": "/nonexistent"}
    command = ["kubectl", "wait", "--for=condition=Ready", "pod/a", f"--timeout={int(HANG_S)}s"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, timeout=HANG_S
    )
    assert done.stdout == "pod/a condition met\n"
