"""Claims, templates and pods with claims, for tests of the resource claim controller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.testing import make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


CLAIM = ("resource.k8s.io/v1", "ResourceClaim")
POD = ("v1", "Pod")
DRIVER = "gpu.example.com"
FINALIZER = "resource.kubernetes.io/delete-protection"
_REQUEST = {"name": "gpu", "exactly": {"deviceClassName": DRIVER}}


def template(name: str = "gpus", *, request: Json | None = None, **described: Any) -> Json:
    """A template of claims for one device."""
    spec = {"devices": {"requests": [request or _REQUEST]}}
    return {
        "apiVersion": CLAIM[0],
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"metadata": described, "spec": spec},
    }


def pod(
    name: str = "web", uid: str = "u1", *, claims: list[Json] | None = None, **parts: Any
) -> Json:
    """A pod with a claim that is made from the template, unless it has others."""
    found = make_pod(name, **parts)
    found["metadata"]["uid"] = uid
    found["spec"]["resourceClaims"] = claims or [
        {"name": "gpu", "resourceClaimTemplateName": "gpus"}
    ]
    return found


def held(found: Json) -> Json:
    """A pod that stays when it is deleted, because somebody waits for something."""
    found["metadata"]["finalizers"] = ["example.com/hold"]
    return found


def claim(
    name: str = "mine",
    *users: tuple[str, str],
    is_allocated: bool = True,
    is_protected: bool = True,
    **metadata: Any,
) -> Json:
    """A claim that has a device and is reserved for pods, given by name and uid."""
    made: Json = {
        "apiVersion": CLAIM[0],
        "kind": CLAIM[1],
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"devices": {"requests": [_REQUEST]}},
        "status": {},
    }
    if is_protected:
        made["metadata"]["finalizers"] = [FINALIZER]
    if is_allocated:
        result = {"request": "gpu", "driver": DRIVER, "pool": "n1", "device": "gpu-0"}
        made["status"]["allocation"] = {"devices": {"results": [result]}}
    if users:
        made["status"]["reservedFor"] = [
            {"resource": "pods", "name": user, "uid": uid} for user, uid in users
        ]
    return made


def made_for(name: str, uid: str, calls_it: str = "gpu") -> Json:
    """The metadata by which a claim is one that was made for a pod."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": True}
    return {
        "ownerReferences": [owner],
        "annotations": {"resource.kubernetes.io/pod-claim-name": calls_it},
    }


def claims(stage: Stage) -> list[Json]:
    """The claims that are there."""
    return stage.store.list(CLAIM).items


def told(stage: Stage, name: str = "web") -> dict[str, str]:
    """The names of a pod's claims, by what it calls them, as its status tells."""
    status = stage.store.get(POD, name).get("status") or {}
    return {
        each["name"]: each["resourceClaimName"] for each in status.get("resourceClaimStatuses", ())
    }
