"""Lowering what a pod requests: the largest round amounts with which it fits."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import pod_resources, quantity, resource_totals
from kubestage.runs.fit import candidate, edit, round_amounts
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.fit.cluster_copy import ClusterCopy
    from kubestage.runs.fit.edit import Edit

_LISTS: Final = ("containers", "initContainers")
KIND: Final = "lower-request"


class Place(NamedTuple):
    """Where a pod states a request: a container, or the pod as a whole."""

    field: str
    position: int
    resource: str
    amount: int

    @property
    def of_whom(self) -> str:
        """Whose request it is, for a sentence."""
        return "" if self.field != "resources" else "pod-level "


def lower(copy: ClusterCopy, resources: list[str], base: Edit = NOTHING) -> Iterator[Candidate]:
    """The largest requests with which the pod fits, one resource at a time."""
    pod = base.changed(copy.pod)
    for resource in resources:
        place = place_of(pod, resource)
        if place is not None:
            found = _largest(copy, place, base)
            if found:
                yield _candidate(pod, [(place, found)])


def lower_several(
    copy: ClusterCopy, resources: list[str], base: Edit = NOTHING
) -> Iterator[Candidate]:
    """The same for resources that are short together: two, or three if no two are enough."""
    pod = base.changed(copy.pod)
    places = [place for each in resources if (place := place_of(pod, each)) is not None]
    for size in (2, 3):
        found = [
            _candidate(pod, list(zip(chosen, lowest, strict=True)))
            for chosen in itertools.combinations(places, size)
            if (lowest := _together(copy, chosen, base)) is not None
        ]
        if found:
            yield from found
            return


def _together(copy: ClusterCopy, places: tuple[Place, ...], base: Edit) -> list[int] | None:
    """The largest amounts with which it fits: the last resource is lowered the least."""
    amounts = [round_amounts.step_at(place.resource, 0) for place in places]
    for at in reversed(range(len(places))):
        others = [each for each in enumerate(places) if each[0] != at]
        under = base.and_(_edit([(place, amounts[index]) for index, place in others]))
        found = _largest(copy, places[at], under)
        if found is None:
            return None
        amounts[at] = found
    return amounts


def place_of(pod: Json, resource: str) -> Place | None:
    """The largest request of a resource that decides how much the pod needs of it."""
    total = amount_of(pod, resource)
    places = []
    whole = (pod["spec"].get("resources") or {}).get("requests") or {}
    if resource in whole:
        places.append(Place("resources", 0, resource, _value(resource, whole[resource])))
    for name in _LISTS:
        for index, container in enumerate(pod["spec"].get(name) or ()):
            stated = (container.get("resources") or {}).get("requests") or {}
            if resource in stated:
                places.append(Place(name, index, resource, _value(resource, stated[resource])))
    for place in sorted(places, key=lambda each: -each.amount):
        smallest = round_amounts.step_at(resource, 0)
        if amount_of(lowered(pod, place, smallest), resource) < total:
            return place
    return None


def amount_of(pod: Json, resource: str) -> int:
    """How much of a resource a pod needs, in the units of the scheduler."""
    return dict(resource_totals.fit_request(pod).items()).get(resource, 0)


def lowered(pod: Json, place: Place, amount: int) -> Json:
    """The pod with another request at a place; a limit that has to equal it follows."""
    text = round_amounts.text(place.resource, amount)
    if place.field == "resources":
        changed = _resources(pod["spec"]["resources"], place.resource, text)
        return edit.with_spec(pod, resources=changed)
    containers = list(pod["spec"][place.field])
    container = containers[place.position]
    changed = _resources(container["resources"], place.resource, text)
    containers[place.position] = {**container, "resources": changed}
    return edit.with_spec(pod, **{place.field: containers})


def _resources(stated: Json, resource: str, text: str) -> Json:
    changed: dict[str, Any] = {**stated, "requests": {**stated["requests"], resource: text}}
    is_fixed = resource not in (
        pod_resources.CPU, pod_resources.MEMORY, pod_resources.EPHEMERAL_STORAGE,
    )  # fmt: skip
    if is_fixed and resource in (stated.get("limits") or {}):
        changed["limits"] = {**stated["limits"], resource: text}
    return changed


def _largest(copy: ClusterCopy, place: Place, base: Edit) -> int | None:
    """The largest round amount below the request with which the pod fits; None if none does.

    A smaller request fits wherever a larger one does, so that halving finds it.
    """
    amounts = round_amounts.round_amounts(place.resource, place.amount)
    low, high = -1, len(amounts)
    while high - low > 1:
        middle = (low + high) // 2 if low >= 0 else 0
        outcome = copy.attempt(base.and_(_edit([(place, amounts[middle])])))
        if outcome.is_placed and not outcome.victims:
            low = middle
        elif middle == 0:
            return None
        else:
            high = middle
    return amounts[low] if low >= 0 else None


def _edit(changes: list[tuple[Place, int]]) -> Edit:
    return edit.Edit(
        tuple(functools.partial(lowered, place=place, amount=amount) for place, amount in changes)
    )


def _candidate(pod: Json, changes: list[tuple[Place, int]]) -> Candidate:
    parts = []
    shares = []
    for place, amount in changes:
        before = round_amounts.bare(place.resource, place.amount)
        after = round_amounts.text(place.resource, amount)
        parts.append(f"lower its {place.of_whom}{place.resource} request{_whose(pod, place)} from "
                     f"{before} to {after}")  # fmt: skip
        shares.append(1 - amount / place.amount)
    # To give up most of what it requests touches more than any change of another sort.
    cost = candidate.OWN_AMOUNT + sum(10 * share for share in shares)
    if max(shares) > 0.5:
        cost += candidate.OTHER_PODS
    return Candidate(KIND, ", and ".join(parts), _edit(changes), (cost,))


def _whose(pod: Json, place: Place) -> str:
    """The container, if the pod has several."""
    spec = pod["spec"]
    if place.field == "resources" or sum(len(spec.get(each) or ()) for each in _LISTS) == 1:
        return ""
    return f" in container {spec[place.field][place.position]['name']}"


def _value(resource: str, stated: Any) -> int:
    if resource == pod_resources.CPU:
        return quantity.milli_value_of(stated)
    return quantity.value_of(stated)
