"""What no import keeps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubestage.sources import reading
from kubestage.sources.cleaning import Kept
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib

MARK = "dG9wc2VjcmV0"


def _objects() -> list[Any]:
    named = {"name": "a", "namespace": "shop"}
    pod = samples.pod()
    pod["metadata"] |= {
        "managedFields": [{"manager": MARK}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": MARK, "kept": "yes"},
    }
    crd: Any = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "nodepools.karpenter.sh"},
        "spec": {
            "group": "karpenter.sh",
            "scope": "Cluster",
            "names": {"kind": "NodePool", "plural": "nodepools"},
            "versions": [],
            "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": MARK}}},
        },
    }
    return [
        pod,
        crd,
        {"apiVersion": "v1", "kind": "Secret", "metadata": named, "data": {"k": MARK}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {**named, "name": "t"},
         "type": "kubernetes.io/service-account-token", "data": {"token": MARK}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": named, "data": {"k": MARK},
         "binaryData": {"b": MARK}},
        {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"}},
        {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "c"}},
    ]  # fmt: skip


def _read(tmp_path: pathlib.Path, kept: Kept) -> Any:
    (tmp_path / "dump.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": _objects()})
    )
    return reading.read([str(tmp_path / "dump.json")], kept)


def test_data_tokens_and_copies_are_dropped(tmp_path: pathlib.Path) -> None:
    found = _read(tmp_path, Kept())
    assert MARK not in json.dumps(found.objects)
    kinds = [each["kind"] for each in found.objects]
    assert kinds == ["Pod", "Secret", "ConfigMap", "NodePool", "EC2NodeClass"]
    assert found.objects[0]["metadata"]["annotations"] == {"kept": "yes"}
    assert found.left_out["Secret", "data is not imported"] == 1
    assert found.left_out["Secret", "holds a token"] == 1
    assert found.left_out["CustomResourceDefinition", "built in"] == 1


def test_data_is_kept_on_request_and_tokens_never(tmp_path: pathlib.Path) -> None:
    found = _read(tmp_path, Kept(secrets=True, config_data=True))
    data = [each.get("data") for each in found.objects if each["kind"] in ("Secret", "ConfigMap")]
    assert data == [{"k": MARK}, {"k": MARK}]
    assert "service-account-token" not in json.dumps(found.objects)
