"""ControllerRevisions that pods of DaemonSets and StatefulSets are labeled with.

Without them a set would see a new template, and replace all its pods.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kubestage.controllers import history
from kubestage.controllers.daemonset.placement import HASH_LABEL
from kubestage.controllers.ownership import controller_of, controller_reference, labels_of
from kubestage.objects import hashing
from kubestage.sources.owners import pod_template

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

_Pods = dict[str, list["Json"]]


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild those that are missing. They say nothing that pods and sets do not: no notes."""
    pods = _pods_by_owner(known)
    for kind in ("DaemonSet", "StatefulSet"):
        for owner in known.of_kind(kind):
            by_hash = pods.get(owner["metadata"].get("uid", ""))
            if by_hash:
                _add_revisions(known, rebuilt, owner, by_hash)


def _pods_by_owner(known: Known) -> dict[str, _Pods]:
    found: dict[str, _Pods] = defaultdict(lambda: defaultdict(list))
    for pod in known.pods:
        reference, digest = controller_of(pod), labels_of(pod).get(HASH_LABEL)
        if digest and reference is not None and reference["kind"] in ("DaemonSet", "StatefulSet"):
            found[reference.get("uid", "")][digest].append(pod)
    return found


def _add_revisions(known: Known, rebuilt: Rebuilt, owner: Json, by_hash: _Pods) -> None:
    names = {digest: _name(owner, digest) for digest in by_hash}
    namespace = owner["metadata"].get("namespace", "")
    missing = [
        digest
        for digest, name in names.items()
        if known.find(history.REVISION[1], namespace, name) is None
    ]
    if not missing:
        return
    present = _present(owner, by_hash)
    # The present template has the highest number.
    ordered = sorted(missing, key=lambda each: (each == present, _newest(by_hash[each])))
    first = 1 + max((history.number_of(each) for each in _of_owner(known, owner)), default=0)
    for number, digest in enumerate(ordered, first):
        template = None if digest == present else pod_template.of_pod(by_hash[digest][0])
        rebuilt.add(known, _revision(owner, names[digest], digest, template, number))


def _of_owner(known: Known, owner: Json) -> list[Json]:
    uid = owner["metadata"]["uid"]
    revisions = known.of_kind(history.REVISION[1])
    return [each for each in revisions if (controller_of(each) or {}).get("uid") == uid]


def _name(owner: Json, digest: str) -> str:
    """The pods of a StatefulSet are labeled with the whole name of the revision."""
    name: str = owner["metadata"]["name"]
    return digest if owner["kind"] == "StatefulSet" else f"{name}-{digest}"


def _newest(pods: list[Json]) -> str:
    return max(str(each["metadata"].get("creationTimestamp") or "") for each in pods)


def _present(owner: Json, by_hash: _Pods) -> str | None:
    """The revision of the set's own template: as its status says, or else by the images."""
    update = (owner.get("status") or {}).get("updateRevision")
    if update is not None:
        return str(update)
    status, template = owner.get("status") or {}, owner["spec"]["template"]
    matching = [
        digest for digest, pods in by_hash.items() if pod_template.has_images_of(pods[0], template)
    ]
    is_rolled_out = status.get("updatedNumberScheduled") == status.get("desiredNumberScheduled")
    if not matching and is_rolled_out:
        matching = list(by_hash)
    return max(matching, key=lambda each: _newest(by_hash[each]), default=None)


def _revision(owner: Json, name: str, digest: str, template: Json | None, number: int) -> Json:
    """A revision of a template; None is that of the set itself."""
    described = owner if template is None else _with_template(owner, template)
    if owner["kind"] == "StatefulSet":
        revision = hashing.stateful_set_revision(described, 0)
        short = name.rpartition("-")[2]
        labels = {**revision.labels, hashing.REVISION_HASH_LABEL: short}
        data = revision.data
    else:
        found = described["spec"]["template"]
        labels = {**((found.get("metadata") or {}).get("labels") or {}), HASH_LABEL: digest}
        data = history.template_data(found)
    return {
        "apiVersion": history.REVISION[0],
        "kind": history.REVISION[1],
        "metadata": {
            "name": name,
            "namespace": owner["metadata"].get("namespace", "default"),
            "uid": f"{owner['metadata']['uid']}-{digest}",
            "creationTimestamp": owner["metadata"].get("creationTimestamp"),
            "labels": labels,
            "ownerReferences": [controller_reference(owner)],
        },
        "data": history.in_key_order(data),
        "revision": number,
    }


def _with_template(owner: Json, template: Json) -> Json:
    return {**owner, "spec": {**owner["spec"], "template": template}}
