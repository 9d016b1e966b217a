"""How many pods there should be, by the scale of their controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import controller_of
from kubestage.errors import KubestageError, NotFound
from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.disruption.budget_pods import BudgetPods
    from kubestage.store.store import Store


_GROUPS: Final = ("apps", "extensions")


class ScaleError(KubestageError):
    """The expected number of pods cannot be determined."""


def expected(store: Store, namespace: str, budget_pods: BudgetPods) -> int:
    """The sum of the scales of all controllers of the counted pods."""
    scales: dict[str, int] = {}
    for owner in budget_pods.owners.values():
        found = _scale(store, namespace, owner.reference)
        if found is None:
            pod = next(iter(owner.pods)).partition("/")[2]
            raise ScaleError(f'found no controllers for pod "{pod}"')
        uid, replicas = found
        scales[uid] = replicas
    return sum(scales.values())


def _scale(store: Store, namespace: str, reference: Json) -> tuple[str, int] | None:
    """Whose scale counts for pods with an owner, and what it is."""
    if reference["kind"] == "ReplicaSet" and _group(reference) in _GROUPS:
        replica_set = store.read(gvk.REPLICA_SET).get(f"{namespace}/{reference['name']}")
        if replica_set is None or replica_set["metadata"]["uid"] != reference["uid"]:
            return None
        return _of(_deployment(store, namespace, replica_set) or replica_set)
    kind = store.kinds.get(reference["apiVersion"], reference["kind"])
    if kind is None:
        version, name = reference["apiVersion"], reference["kind"]
        raise ScaleError(f'no matches for kind "{name}" in version "{version}"')
    if "scale" not in kind.subresources:
        resource = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
        raise ScaleError(f"{resource} does not implement the scale subresource")
    try:
        scale = store.get(kind, reference["name"], namespace, subresource="scale")
    except NotFound:
        return None
    return _of(scale) if scale["metadata"]["uid"] == reference["uid"] else None


def _deployment(store: Store, namespace: str, replica_set: Json) -> Json | None:
    """The Deployment whose ReplicaSet this is, if it is there."""
    reference = controller_of(replica_set)
    if reference is None or reference["kind"] != "Deployment" or _group(reference) not in _GROUPS:
        return None
    found = store.read(gvk.DEPLOYMENT).get(f"{namespace}/{reference['name']}")
    if found is None or found["metadata"]["uid"] != reference["uid"]:
        return None
    return found


def _of(scaled: Json) -> tuple[str, int]:
    return scaled["metadata"]["uid"], scaled["spec"].get("replicas") or 0


def _group(reference: Json) -> str:
    group, slash, _ = reference["apiVersion"].partition("/")
    return group if slash else ""
