"""Who a pod of a StatefulSet is: its ordinal, its name, its labels and its claims."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers import pod_control
from kubestage.controllers.ownership import labels_of

POD_NAME_LABEL: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"
REVISION_LABEL: Final = "controller-revision-hash"

_member: Final = re.compile("(.*)-([0-9]+)", re.DOTALL).fullmatch
_LARGEST: Final = (1 << 31) - 1


def parent_and_ordinal(pod_name: str) -> tuple[str, int]:
    """The set whose member a pod would be by its name, and its ordinal; -1 if it has none."""
    found = _member(pod_name)
    if found is None:
        return "", -1
    ordinal = int(found[2])
    return found[1], ordinal if ordinal <= _LARGEST else -1


class Owner(msgspec.Struct, frozen=True):
    """A set, by the name that its pods bear."""

    name: str

    def is_named_by(self, pod: Json) -> bool:
        """Whether a pod bears the set's name; no other pod is a member."""
        return parent_and_ordinal(pod["metadata"]["name"])[0] == self.name


def start_of(spec: Json) -> int:
    """The first ordinal of a set."""
    start: int = (spec.get("ordinals") or {}).get("start") or 0
    return start


def claim_name(template: Json, set_name: str, ordinal: int) -> str:
    """The name of the claim of a pod."""
    return f"{template['metadata']['name']}-{set_name}-{ordinal}"


def claim_templates(stateful_set: Json) -> list[Json]:
    """The claims that each pod of a set has."""
    return stateful_set["spec"].get("volumeClaimTemplates") or []


def revision_of(pod: Json) -> str:
    """The name of the revision that a pod was made from."""
    return labels_of(pod).get(REVISION_LABEL, "")


def has_identity(stateful_set: Json, pod: Json) -> bool:
    """Whether a pod of a set has a member's name, and the label with that name."""
    set_name, name = stateful_set["metadata"]["name"], pod["metadata"]["name"]
    parent, ordinal = parent_and_ordinal(name)
    if ordinal < 0 or parent != set_name or name != f"{set_name}-{ordinal}":
        return False
    return bool(labels_of(pod).get(POD_NAME_LABEL) == name)


def has_storage(stateful_set: Json, pod: Json) -> bool:
    """Whether a pod's volumes are its claims."""
    templates = claim_templates(stateful_set)
    if not templates:
        return True
    set_name = stateful_set["metadata"]["name"]
    ordinal = parent_and_ordinal(pod["metadata"]["name"])[1]
    volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes") or ()}
    for template in templates:
        volume = volumes.get(template["metadata"]["name"]) or {}
        source = volume.get("persistentVolumeClaim") or {}
        if source.get("claimName") != claim_name(template, set_name, ordinal):
            return False
    return True


def identified(stateful_set: Json, pod: Json) -> Json:
    """A pod of a set under its name and with its labels."""
    set_name = stateful_set["metadata"]["name"]
    ordinal = parent_and_ordinal(pod["metadata"]["name"])[1]
    name = f"{set_name}-{ordinal}"
    labels = {**labels_of(pod), POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal)}
    metadata = {**pod["metadata"], "name": name, "labels": labels}
    metadata["namespace"] = stateful_set["metadata"]["namespace"]
    return {**pod, "metadata": metadata}


def with_storage(stateful_set: Json, pod: Json) -> Json:
    """A pod of a set with its claims as volumes, in place of any other of their names."""
    templates = claim_templates(stateful_set)
    if not templates:
        return pod
    set_name = stateful_set["metadata"]["name"]
    ordinal = parent_and_ordinal(pod["metadata"]["name"])[1]
    volumes: dict[str, Json] = {}
    for template in templates:
        name = template["metadata"]["name"]
        source = {"claimName": claim_name(template, set_name, ordinal)}
        volumes[name] = {"name": name, "persistentVolumeClaim": source}
    for volume in pod["spec"].get("volumes") or ():
        volumes.setdefault(volume["name"], volume)
    return {**pod, "spec": {**pod["spec"], "volumes": list(volumes.values())}}


def new_pod(stateful_set: Json, template: Json, revision: str, ordinal: int) -> Json:
    """A pod of a revision's template, with the identity of an ordinal."""
    pod = pod_control.from_template(template, stateful_set)
    name = f"{stateful_set['metadata']['name']}-{ordinal}"
    pod["metadata"]["name"] = name
    pod = with_storage(stateful_set, identified(stateful_set, pod))
    pod["metadata"]["labels"][REVISION_LABEL] = revision
    spec = {**pod["spec"], "hostname": name}
    subdomain = stateful_set["spec"].get("serviceName")
    if subdomain:
        spec["subdomain"] = subdomain
    else:
        spec.pop("subdomain", None)
    return {**pod, "spec": spec}
