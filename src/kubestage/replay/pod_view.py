"""Pods, and endpoints of pods, as recordings show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.replay.naming import Naming


ASSIGNED: Final = "<assigned>"
_CONDITION_FIELDS: Final = ("type", "status", "lastTransitionTime", "reason", "message")
_SPEC_FIELDS: Final = ("hostname", "subdomain", "nodeSelector", "affinity")
_DEFAULT_TOLERATIONS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_DEFAULT_TOLERATION_SECONDS: Final = 300


def show(pod: Json, is_random: bool) -> Json:
    """The spec and status of a pod. Where one with a random name runs is random."""
    pod_spec = pod["spec"]
    spec: Json = {name: pod_spec[name] for name in _SPEC_FIELDS if pod_spec.get(name)}
    spec["images"] = [each["image"] for each in pod_spec["containers"]]
    if pod_spec.get("nodeName"):
        owners = pod["metadata"].get("ownerReferences") or ()
        is_daemon = any(each["kind"] == "DaemonSet" for each in owners)
        spec["nodeName"] = ASSIGNED if is_random and not is_daemon else pod_spec["nodeName"]
    env = [each for container in pod_spec["containers"] for each in container.get("env") or ()]
    if env:
        spec["env"] = env
    claims = [
        {"name": each["name"], "claim": each["persistentVolumeClaim"]["claimName"]}
        for each in pod_spec.get("volumes") or ()
        if "persistentVolumeClaim" in each
    ]
    if claims:
        spec["claims"] = claims
    tolerations = [each for each in pod_spec.get("tolerations") or () if not _is_default(each)]
    if tolerations:
        spec["tolerations"] = sorted(tolerations, key=_rank)
    status = pod.get("status") or {}
    conditions = [
        {name: each[name] for name in _CONDITION_FIELDS if name in each}
        for each in status.get("conditions") or ()
    ]
    shown = {
        "phase": status.get("phase"),
        "conditions": sorted(conditions, key=lambda each: str(each["type"])),
    }
    return {"spec": spec, "status": shown}


def _rank(toleration: Json) -> tuple[str, str]:
    # As recordings have them; those for all effects come last.
    return toleration.get("effect") or "~", toleration.get("key") or ""


def _is_default(toleration: Json) -> bool:
    return (
        toleration.get("key") in _DEFAULT_TOLERATIONS
        and toleration.get("tolerationSeconds") == _DEFAULT_TOLERATION_SECONDS
    )


def endpoint(found: Json, naming: Naming) -> Json:
    """One endpoint of a slice, without its addresses."""
    target = found.get("targetRef") or {}
    name = target.get("name", "")
    view: Json = {
        "conditions": found.get("conditions"),
        "targetRef": {"kind": target.get("kind"), "name": naming.text(name)},
        "hostname": found.get("hostname"),
    }
    node = found.get("nodeName")
    view["nodeName"] = ASSIGNED if node and naming.is_random(name) else node
    return view
