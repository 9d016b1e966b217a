"""What is to grow, and by how much: ``deploy/web=2x``, ``all=1.5x``, ``sts/db=+3``, ``web=10``."""

from __future__ import annotations

import difflib
import math
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.ownership import controller_of
from kubestage.errors import InputError
from kubestage.objects import gvk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.store import Store

ALL: Final = "all"
_KINDS: Final = {
    "deploy": gvk.DEPLOYMENT,
    "deployment": gvk.DEPLOYMENT,
    "deployments": gvk.DEPLOYMENT,
    "sts": gvk.STATEFUL_SET,
    "statefulset": gvk.STATEFUL_SET,
    "statefulsets": gvk.STATEFUL_SET,
    "rs": gvk.REPLICA_SET,
    "replicaset": gvk.REPLICA_SET,
    "replicasets": gvk.REPLICA_SET,
    "rc": ("v1", "ReplicationController"),
    "replicationcontroller": ("v1", "ReplicationController"),
}
_SCALED: Final = tuple(dict.fromkeys(_KINDS.values()))
_HPA: Final = ("autoscaling/v2", "HorizontalPodAutoscaler")
_AMOUNT: Final = re.compile(r"^(?:(?P<times>\d+(?:\.\d+)?)x|(?P<plus>[+-]\d+)|(?P<count>\d+))$")
_FIX: Final = "write it as in deploy/web=2x, sts/db=+3, web=10 or all=1.5x"


class Amount(msgspec.Struct, frozen=True):
    """How a number of replicas changes."""

    times: float = 1.0
    plus: int = 0
    count: int | None = None

    def of(self, replicas: int) -> int:
        """The number that it becomes; a part of a replica is a whole one."""
        if self.count is not None:
            return self.count
        return max(0, math.ceil(round(replicas * self.times, 6)) + self.plus)


class GrownWorkload(msgspec.Struct, frozen=True):
    """A workload with more replicas, or fewer."""

    workload: str
    before: int
    after: int


class Growth(msgspec.Struct, frozen=True):
    """One request to grow."""

    target: str
    amount: Amount


def parse(text: str) -> Growth:
    """The request of a text."""
    target, equals, amount = text.partition("=")
    found = _AMOUNT.match(amount.strip())
    if not equals or not target or found is None:
        raise InputError(f'"{text}" does not say what grows by how much', fix=_FIX)
    if found["times"]:
        return Growth(target, Amount(times=float(found["times"])))
    if found["plus"]:
        return Growth(target, Amount(plus=int(found["plus"])))
    return Growth(target, Amount(count=int(found["count"])))


def has_workloads(stage: Stage) -> bool:
    """Whether there is anything that could grow."""
    return any(True for _ in _workloads(stage.store))


def plan(stage: Stage, requests: Sequence[Growth]) -> dict[tuple[tuple[str, str], str], int]:
    """How many replicas each workload is to have, by kind and key; of several requests the last."""
    planned = {}
    for each in requests:
        for kind, key, obj in _targets(stage.store, each.target):
            planned[kind, key] = each.amount.of(_replicas(obj))
    return planned


def carry_out(
    stage: Stage, planned: dict[tuple[tuple[str, str], str], int]
) -> tuple[list[GrownWorkload], list[str]]:
    """Scale workloads; what they were, and the HPAs that were set aside, as they would undo it."""
    grown = []
    for (kind, key), after in planned.items():
        namespace, _, name = key.partition("/")
        before = _replicas(stage.store.read(kind)[key])
        stage.store.patch(kind, name, {"spec": {"replicas": after}}, namespace)
        grown.append(GrownWorkload(f"{kind[1].lower()}/{key}", before, after))
    scaled = {(kind[1], key) for kind, key in planned}
    set_aside = []
    for key, hpa in tuple(stage.store.read(_HPA).items()):
        namespace, _, name = key.partition("/")
        reference = hpa["spec"]["scaleTargetRef"]
        if (reference["kind"], f"{namespace}/{reference['name']}") in scaled:
            stage.store.delete(_HPA, name, namespace)
            set_aside.append(key)
    return grown, set_aside


def _targets(store: Store, target: str) -> Iterator[tuple[tuple[str, str], str, Json]]:
    known = list(_workloads(store))
    if target == ALL:
        if not known:
            raise InputError("the cluster has no workloads", fix="add a file with a Deployment")
        yield from known
        return
    kinds, name = _named(target)
    found = [
        (kind, key, obj)
        for kind, key, obj in known
        if kind in kinds and (key == name or key.partition("/")[2] == name)
    ]
    if len(found) > 1:
        places = ", ".join(f"{kind[1].lower()}/{key}" for kind, key, _ in found)
        raise InputError(f'"{target}" may be {places}', fix="write it as KIND/NAMESPACE/NAME")
    if not found:
        names = [key.partition("/")[2] for kind, key, _ in known if kind in kinds]
        likely = difflib.get_close_matches(name, names, 1)
        fix = f"did you mean {likely[0]}?" if likely else _FIX
        raise InputError(f'there is no workload "{target}"', fix=fix)
    yield from found


def _named(target: str) -> tuple[Sequence[tuple[str, str]], str]:
    """Kinds and the name, or the key, of ``web``, ``deploy/web`` or ``deploy/shop/web``."""
    kind, slash, name = target.partition("/")
    if not slash:
        return _SCALED, target
    found = _KINDS.get(kind.lower().partition(".")[0])
    if found is None:
        likely = difflib.get_close_matches(kind, _KINDS, 1)
        fix = f"did you mean {likely[0]}?" if likely else _FIX
        raise InputError(f'"{kind}" has no replicas', fix=fix)
    return (found,), name


def _workloads(store: Store) -> Iterator[tuple[tuple[str, str], str, Json]]:
    """All that has replicas, and is not scaled by something above it."""
    for kind in _SCALED:
        for key, obj in store.read(kind).items():
            if controller_of(obj) is None:
                yield kind, key, obj


def _replicas(obj: Json) -> int:
    found: int = (obj.get("spec") or {}).get("replicas", 1)
    return found
