"""Volumes and claims that keep a pod off all nodes, or off those with room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views
from kubestage.runs.fit import candidate
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import Edit, with_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.fit.cluster_copy import ClusterCopy

FREE: Final = "free-volume"
CREATE: Final = "create-claim"
BIND: Final = "bind-claim"
_ONE_POD: Final = "ReadWriteOncePod"
_SIZE: Final = "1Gi"
_BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"


def candidates(copy: ClusterCopy) -> Iterator[Candidate]:
    """What would help with each claim of the pod."""
    view = copy.view()
    for claim in view.volume_claims:
        key = f"{view.namespace}/{claim.name}"
        stored = copy.objects(gvk.PERSISTENT_VOLUME_CLAIM).get(key)
        if stored is None:
            yield _created(view.namespace, claim.name)
            continue
        volume = copy.objects(gvk.PERSISTENT_VOLUME).get(stored["spec"].get("volumeName") or "")
        if volume is None:
            yield _bound(stored)
        elif (volume["spec"].get("nodeAffinity") or {}).get("required"):
            name = volume["metadata"]["name"]
            text = f"have volume {name} of claim {key} reachable beyond {_where(volume)}"
            change = Edit(put=(with_spec(volume, nodeAffinity=None),))
            yield Candidate(FREE, text, change, (candidate.OTHER_OBJECT + 5,))
        if _ONE_POD in (stored["spec"].get("accessModes") or ()):
            yield from _released(copy, view.namespace, claim.name)


def _created(namespace: str, name: str) -> Candidate:
    claim: Json = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": _SIZE}},
            "storageClassName": "",
        },
    }
    text = f"create the claim {namespace}/{name}, and have it bound to a volume"
    change = Edit(put=(claim,)).and_(_with_volume(claim))
    return Candidate(CREATE, text, change, (candidate.OTHER_OBJECT,))


def _bound(claim: Json) -> Candidate:
    metadata = claim["metadata"]
    text = f"have the claim {metadata['namespace']}/{metadata['name']} bound to a volume"
    return Candidate(BIND, text, _with_volume(claim), (candidate.OTHER_OBJECT,))


def _with_volume(claim: Json) -> Edit:
    """A volume for the claim that every node can reach; that they are bound follows by itself."""
    metadata, spec = claim["metadata"], claim["spec"]
    name = f"volume-of-{metadata['name']}"
    modes = spec["accessModes"]
    capacity = {"storage": spec["resources"]["requests"]["storage"]}
    reference = {field: metadata[field] for field in ("name", "namespace")}
    volume: Json = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "spec": {
            "accessModes": modes,
            "capacity": capacity,
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **reference},
            "storageClassName": spec.get("storageClassName") or "",
            "hostPath": {"path": f"/volumes/{name}"},
        },
    }
    annotations = {**(metadata.get("annotations") or {}), _BIND_COMPLETED: "yes"}
    bound = {
        **with_spec(claim, volumeName=name),
        "metadata": {**metadata, "annotations": annotations},
        "status": {"phase": "Bound", "accessModes": modes, "capacity": capacity},
    }
    return Edit(put=(volume,), beside=(bound, {**volume, "status": {"phase": "Bound"}}))


def _released(copy: ClusterCopy, namespace: str, name: str) -> Iterator[Candidate]:
    """Remove the pod that has a claim to itself."""
    users = [
        pod
        for pod in copy.objects(gvk.POD).values()
        if pod["metadata"]["namespace"] == namespace
        and pod["spec"].get("nodeName")
        and any(each.name == name for each in pod_views.of(pod).volume_claims)
    ]
    if users:
        names = ", ".join(f"{namespace}/{pod['metadata']['name']}" for pod in users)
        text = f"remove {names}, which has the claim {name} to itself ({_ONE_POD})"
        cost = candidate.OTHER_PODS + len(users) - 1
        yield Candidate(FREE, text, Edit(remove=tuple(users)), (cost,))


def _where(volume: Json) -> str:
    """Where a volume can be reached, in short."""
    terms = volume["spec"]["nodeAffinity"]["required"].get("nodeSelectorTerms") or ()
    rules = [rule for term in terms for rule in term.get("matchExpressions") or ()]
    shown = [f"{rule['key']} {','.join(rule.get('values') or ())}".strip() for rule in rules]
    return " or ".join(shown) or "its nodes"
