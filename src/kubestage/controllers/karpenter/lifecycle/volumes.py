"""The volumes of a node that have to be detached before its machine ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.lifecycle import pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork

_ATTACHMENT: Final = ("storage.k8s.io/v1", "VolumeAttachment")


def blocking(at_work: AtWork, node: Json) -> list[str]:
    """The names of the VolumeAttachments that are waited for."""
    name = node["metadata"]["name"]
    attached = [
        each for each in at_work.lister.all(_ATTACHMENT) if each["spec"].get("nodeName") == name
    ]
    if not attached:
        return []
    staying = set(_of_staying_pods(at_work, name))
    return [
        each["metadata"]["name"]
        for each in attached
        if _volume(each) and _volume(each) not in staying
    ]


def _volume(attachment: Json) -> str:
    return (attachment["spec"].get("source") or {}).get("persistentVolumeName") or ""


def _of_staying_pods(at_work: AtWork, node_name: str) -> Iterator[str]:
    """The volumes of pods that are not drained."""
    for pod in at_work.cluster.pods_on(node_name):
        if pod_groups.is_drainable(pod, at_work.now_ns):
            continue
        for volume in pod["spec"].get("volumes") or ():
            name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            namespace = pod["metadata"].get("namespace") or ""
            claim = at_work.cluster.objects.claim(namespace, name) if name else None
            if claim is not None and claim["spec"].get("volumeName"):
                yield claim["spec"]["volumeName"]
