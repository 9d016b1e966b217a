"""lightkube, whose server-side apply and watches are plain HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lightkube import ApiError, Client, KubeConfig
from lightkube.models.core_v1 import Container, PodSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Namespace, Node, Pod
from lightkube.types import PatchType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.served import Served


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    config = KubeConfig.from_file(str(served.kubeconfig))
    with Client(config=config, field_manager="light") as made:
        yield made


def test_a_pod_from_its_creation_to_its_end(client: Client, name: str) -> None:
    pod = Pod(
        metadata=ObjectMeta(name=name, namespace="default"),
        spec=PodSpec(containers=[Container(name="c", image="nginx")]),
    )
    client.create(pod)
    client.wait(Pod, name, for_conditions=["Ready"], namespace="default")
    watching: Any = client.watch(Pod, namespace="default", fields={"metadata.name": name})
    kind, found = next(watching)
    watching.close()
    assert kind == "ADDED"
    assert found.spec is not None
    assert found.spec.nodeName
    client.delete(Pod, name, namespace="default", grace_period=0)
    with pytest.raises(ApiError) as refused:
        client.get(Pod, name, namespace="default")
    assert refused.value.status.code == 404


def test_server_side_apply(client: Client, name: str) -> None:
    wanted = ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data={"a": "1"})
    client.apply(wanted)
    with pytest.raises(ApiError) as refused:
        client.apply(
            ConfigMap(metadata=wanted.metadata, data={"a": "2"}), field_manager="somebody-else"
        )
    assert refused.value.status.code == 409
    taken = client.apply(
        ConfigMap(metadata=wanted.metadata, data={"a": "2"}), field_manager="other", force=True
    )
    assert taken.data == {"a": "2"}


def test_patches_and_lists(client: Client, name: str) -> None:
    client.create(
        ConfigMap(metadata=ObjectMeta(name=name, namespace="default", labels={"x": name}))
    )
    client.patch(
        ConfigMap, name, {"data": {"b": "2"}}, namespace="default", patch_type=PatchType.MERGE
    )
    found = list(client.list(ConfigMap, namespace="default", labels={"x": name}))
    assert [each.data for each in found] == [{"b": "2"}]
    assert len(list(client.list(Node, chunk_size=1))) == 2


def test_a_collection_is_deleted(client: Client, name: str) -> None:
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    for each in ("a", "b"):
        client.create(ConfigMap(metadata=ObjectMeta(name=each, namespace=name)))
    client.deletecollection(ConfigMap, namespace=name)
    # The certificate of the API server is published again at once.
    left = {each.metadata.name for each in client.list(ConfigMap, namespace=name) if each.metadata}
    assert left <= {"kube-root-ca.crt"}
