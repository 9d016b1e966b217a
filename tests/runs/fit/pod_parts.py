"""What a change of a pod consists of, so that each part can be left out."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

from tests.runs.fit.manifests import REQUIRED, Manifests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json

    Part = Callable[[Json], None]

_RULES = ("nodeAffinity", "podAffinity", "podAntiAffinity")


def without_a_part(manifests: Manifests, patch: Json) -> Iterator[tuple[str, Manifests]]:
    """The manifests after a change of which one part is left out, with the name of that part."""
    parts = dict(_pod_parts(manifests.pod, manifests.edited(patch).pod))
    others = {name: each for name, each in patch.items() if name != "pod"}
    for left_out in parts:
        made = manifests.edited(others)
        for name, part in parts.items():
            if name != left_out:
                part(made.pod["spec"])
        yield left_out, made
    for field in ("remove", "change", "add"):
        # New objects belong together: a claim and its volume.
        places = range(1 if field == "add" else len(others.get(field, ())))
        for place in places if others.get(field) else ():
            kept = [] if field == "add" else _but(others[field], place)
            rest = {**patch, field: kept}
            yield f"{field} {others[field][place]}", manifests.edited(rest)


def lowered_requests(before: Json, after: Json) -> list[tuple[str, Any, Any]]:
    """The resources that a pod requests less of, with both amounts."""
    old, new = (_requests(pod["spec"]) for pod in (before, after))
    return [(name, old[name], new[name]) for name in old if old[name] != new[name]]


def with_request(pod: Json, resource: str, amount: str) -> None:
    """Have a pod request another amount."""
    _set_request(pod["spec"], resource, amount)


def _but(some: list[Any], place: int) -> list[Any]:
    return [each for at, each in enumerate(some) if at != place]


def _pod_parts(before: Json, after: Json) -> Iterator[tuple[str, Part]]:
    old, new = before["spec"], after["spec"]
    for each in _added(old.get("tolerations"), new.get("tolerations")):
        yield f"toleration {each}", functools.partial(_tolerate, toleration=each)
    for key in old.get("nodeSelector") or {}:
        if key not in (new.get("nodeSelector") or {}):
            yield f"nodeSelector {key}", functools.partial(_drop_label, key=key)
    for field in _RULES:
        rules = [((spec.get("affinity") or {}).get(field) or {}) for spec in (old, new)]
        if rules[0].get(REQUIRED) != rules[1].get(REQUIRED):
            yield field, functools.partial(_set_affinity, field=field, value=rules[1])
    for resource, _, amount in lowered_requests(before, after):
        part = functools.partial(_set_request, resource=resource, amount=amount)
        yield f"request {resource}", part
    for field in ("topologySpreadConstraints", "schedulingGates", "priorityClassName"):
        if old.get(field) != new.get(field) and (old.get(field) or field == "priorityClassName"):
            yield field, functools.partial(_put, field=field, value=new.get(field))
    ports = [[each.get("hostPort") for each in _ports(spec)] for spec in (old, new)]
    if ports[0] != ports[1]:
        yield "ports", functools.partial(_set_ports, ports=_ports(new))


def _drop_label(spec: Json, key: str) -> None:
    del spec["nodeSelector"][key]


def _set_affinity(spec: Json, field: str, value: Any) -> None:
    _put(spec["affinity"], field, value)


def _set_ports(spec: Json, ports: Any) -> None:
    _put(spec["containers"][0], "ports", ports)


def _added(old: list[Any] | None, new: list[Any] | None) -> list[Any]:
    own = "node.kubernetes.io/"
    added = [each for each in new or () if each not in (old or ())]
    return [each for each in added if not each["key"].startswith(own)]


def _tolerate(spec: Json, toleration: Json) -> None:
    spec["tolerations"] = [*(spec.get("tolerations") or ()), toleration]


def _put(spec: Json, field: str, value: Any) -> None:
    spec[field] = copy.deepcopy(value)
    if value is None:
        del spec[field]


def _requests(spec: Json) -> Json:
    found: Json = (spec["containers"][0].get("resources") or {}).get("requests") or {}
    return found


def _set_request(spec: Json, resource: str, amount: str) -> None:
    stated = spec["containers"][0]["resources"]
    stated["requests"][resource] = amount
    if resource in (stated.get("limits") or {}):
        stated["limits"][resource] = amount


def _ports(spec: Json) -> list[Any]:
    return spec["containers"][0].get("ports") or []
