"""DynamicResources on one node: every choice of devices there is, in order, until one is right."""

from __future__ import annotations

import collections
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.objects import node_selector, quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json


class Choice(NamedTuple):
    """A device for a request of a claim; `alternative` is '' unless the request lists several."""

    claim: int
    request: str
    alternative: str
    wish: Json
    device: Json
    slice: Json

    @property
    def name(self) -> tuple[str, str, str]:
        spec = self.slice["spec"]
        return spec["driver"], spec["pool"]["name"], self.device["name"]


class Cluster(NamedTuple):
    """What there is: slices, classes, and the results of allocated claims but for admin access.

    `matches` says whether an expression is true of a driver's device.
    """

    slices: list[Json]
    classes: dict[str, Json]
    results: list[Json]
    matches: Callable[[str, str, Json], bool]


def allocate(cluster: Cluster, claims: list[Json], node: Json) -> list[Choice] | str:
    """The first right choice, or what the node is told."""
    pools = gather(cluster.slices, node)
    broken = [pool for pool in pools if pool in ("incomplete", "invalid")]
    wants_all = any(
        wish["allocationMode"] == "All" for claim in claims for _, _, wish in _wishes(claim)
    )
    if broken and wants_all:
        return "error"
    devices = [
        (device, each)
        for pool in pools
        if not isinstance(pool, str)
        for each in pool
        for device in each["spec"].get("devices", [])
    ]
    for choice in _choices(cluster, claims, devices, node):
        if _is_right(cluster, claims, choice, pools):
            return choice
    if "invalid" in broken:
        return "invalid resource pools were encountered"
    return "cannot allocate all claims"


def gather(slices: list[Json], node: Json) -> list[Any]:
    """The pools a node reaches, as lists of slices, in order; broken ones are only named."""
    found: dict[tuple[str, str], list[Json]] = {}
    for each in slices:
        if _reaches(each, node):
            found.setdefault(_pool(each), []).append(each)
    plain: list[Any] = []
    conditional: list[Any] = []
    for key in sorted(found):
        newest = max(each["spec"]["pool"]["generation"] for each in found[key])
        here = [each for each in found[key] if each["spec"]["pool"]["generation"] == newest]
        expected = here[0]["spec"]["pool"]["resourceSliceCount"]
        mates = [each for each in slices if _pool(each) == key]
        if len(here) != expected:
            if any(each["spec"]["pool"]["generation"] > newest for each in mates):
                continue
            mates = [each for each in mates if each["spec"]["pool"]["generation"] == newest]
            if len(mates) != expected:
                plain.append("incomplete")
                continue
        here.sort(key=lambda each: each["metadata"]["name"])
        devices = [device for each in here for device in each["spec"].get("devices", [])]
        names = [device["name"] for device in devices]
        if len(set(names)) < len(names):
            plain.append("invalid")
        elif any(device.get("bindingConditions") for device in devices):
            conditional.append(here)
        else:
            plain.append(here)
    return [*plain, *conditional]


def _pool(each: Json) -> tuple[str, str]:
    return each["spec"]["driver"], each["spec"]["pool"]["name"]


def _reaches(each: Json, node: Json) -> bool:
    spec = each["spec"]
    if spec.get("sharedCounters"):
        return True
    if spec.get("perDeviceNodeSelection"):
        return any(_is_for(device, node) for device in spec["devices"])
    return _is_for(spec, node)


def _is_for(holder: Json, node: Json) -> bool:
    if holder.get("nodeName"):
        return bool(holder["nodeName"] == node["metadata"]["name"])
    if holder.get("allNodes"):
        return True
    selector = holder.get("nodeSelector")
    return selector is not None and node_selector.lazy(selector).match_node(node)


def _wishes(claim: Json) -> Iterator[tuple[str, str, Json]]:
    for request in claim["spec"]["devices"]["requests"]:
        if "exactly" in request:
            yield request["name"], "", request["exactly"]
        for each in request.get("firstAvailable", []):
            yield request["name"], each["name"], each


def _choices(
    cluster: Cluster, claims: list[Json], devices: list[tuple[Json, Json]], node: Json
) -> Iterator[list[Choice]]:
    """All choices that have the right number of selected devices for every request."""
    parts = []
    for at, claim in enumerate(claims):
        for request in claim["spec"]["devices"]["requests"]:
            options = [
                [Choice(at, name, alternative, wish, *device) for device in group]
                for name, alternative, wish in _wishes(
                    {"spec": {"devices": {"requests": [request]}}}
                )
                for group in _groups(cluster, wish, devices, node)
            ]
            parts.append(options)
    for option in itertools.product(*parts):
        yield [choice for group in option for choice in group]


def _groups(
    cluster: Cluster, wish: Json, devices: list[tuple[Json, Json]], node: Json
) -> Iterator[tuple[tuple[Json, Json], ...]]:
    selected = [pair for pair in devices if _is_selected(cluster, wish, *pair, node)]
    if wish["allocationMode"] == "All":
        # A device that could not give what is asked for even now is not counted.
        fitting = [
            pair
            for pair in selected
            if _has_room(cluster.results, [], Choice(0, "", "", wish, *pair))
        ]
        return iter([tuple(fitting)] if fitting else [])
    return itertools.combinations(selected, wish["count"])


def _is_selected(cluster: Cluster, wish: Json, device: Json, each: Json, node: Json) -> bool:
    device_class = cluster.classes[wish["deviceClassName"]]
    selectors = [*device_class["spec"].get("selectors", []), *wish.get("selectors", [])]
    driver = each["spec"]["driver"]
    if each["spec"].get("perDeviceNodeSelection") and not _is_for(device, node):
        return False
    return all(
        cluster.matches(selector["cel"]["expression"], driver, device) for selector in selectors
    )


def _is_right(
    cluster: Cluster, claims: list[Json], choices: list[Choice], pools: list[Any]
) -> bool:
    owned = {_name(each) for each in cluster.results if "shareID" not in each}
    for number, choice in enumerate(choices):
        before = choices[:number]
        same = [each for each in before if each.name == choice.name]
        shared = bool(choice.device.get("allowMultipleAllocations"))
        if choice.wish.get("adminAccess"):
            if not shared and any(each.claim == choice.claim for each in same):
                return False
        elif choice.name in owned or (same and not shared):
            return False
        if not _tolerates(choice) or not _has_room(cluster.results, before, choice):
            return False
    return all(
        _satisfies(constraint, [each for each in choices if each.claim == at])
        for at, claim in enumerate(claims)
        for constraint in claim["spec"]["devices"].get("constraints", [])
    ) and all(_counts_add_up(cluster, choices, pool) for pool in pools if not isinstance(pool, str))


def _tolerates(choice: Choice) -> bool:
    for taint in choice.device.get("taints", []):
        if taint["effect"] in ("NoSchedule", "NoExecute") and not any(
            each.get("key") in (None, taint["key"])
            and each.get("effect") in (None, taint["effect"])
            and (each.get("operator") == "Exists" or each.get("value") == taint.get("value"))
            for each in choice.wish.get("tolerations", [])
        ):
            return False
    return True


def _has_room(results: list[Json], before: list[Choice], choice: Choice) -> bool:
    capacity = choice.device.get("capacity", {})
    wanted = _taken(choice)
    if not set((choice.wish.get("capacity") or {}).get("requests", {})) <= set(capacity):
        return False
    for name, each in capacity.items():
        used = [
            result["consumedCapacity"][name]
            for result in results
            if _name(result) == choice.name and name in result.get("consumedCapacity", {})
        ]
        if choice.device.get("allowMultipleAllocations"):
            used += [_taken(other)[name] for other in before if other.name == choice.name]
        total = sum(quantity.of(amount).value for amount in [*used, wanted[name]])
        if total > quantity.of(each["value"]).value:
            return False
    return True


def _taken(choice: Choice) -> dict[str, str]:
    requests = (choice.wish.get("capacity") or {}).get("requests", {})
    return {
        name: requests.get(name, each["value"])
        for name, each in choice.device.get("capacity", {}).items()
    }


def _satisfies(constraint: Json, choices: list[Choice]) -> bool:
    named = constraint.get("requests") or []
    attribute = constraint.get("matchAttribute") or constraint["distinctAttribute"]
    latest: dict[str, Any] = {}
    first: Any = None
    for choice in choices:
        names = (choice.request, f"{choice.request}/{choice.alternative}")
        if named and not set(names) & set(named):
            continue
        value = _attribute(choice, attribute)
        if value is None:
            return False
        first = first if first is not None else value
        if "matchAttribute" in constraint and value != first:
            return False
        if "distinctAttribute" in constraint and value in latest.values():
            return False
        latest[choice.request] = value
    return True


def _attribute(choice: Choice, name: str) -> Json | None:
    attributes = choice.device.get("attributes", {})
    driver = choice.slice["spec"]["driver"]
    found: Json | None = attributes.get(name)
    if found is None and name.startswith(f"{driver}/"):
        found = attributes.get(name.removeprefix(f"{driver}/"))
    return found


def _counts_add_up(cluster: Cluster, choices: list[Choice], pool: list[Json]) -> bool:
    """Whether the devices in use leave every counter of a pool at zero or more, if it matters."""
    key = _pool(pool[0])
    mates = [
        each
        for each in cluster.slices
        if _pool(each) == key
        and each["spec"]["pool"]["generation"] == pool[0]["spec"]["pool"]["generation"]
    ]
    left = collections.Counter[tuple[str, str]]()
    for each in mates:
        for counters in each["spec"].get("sharedCounters", []):
            for name, counter in counters["counters"].items():
                left[counters["name"], name] += quantity.of(counter["value"]).value
    taken = {_name(each) for each in cluster.results}
    shared = {_name(each) for each in cluster.results if "shareID" in each}
    chosen = collections.Counter(each.name for each in choices)
    matters = False
    for device in (device for each in mates for device in each["spec"].get("devices", [])):
        name = (*key, device["name"])
        uses = chosen[name]
        if device.get("allowMultipleAllocations"):
            # However many share it, the device is there once.
            uses = min(uses, 0 if name in shared else 1)
        for consumed in device.get("consumesCounters", []):
            matters = matters or uses > 0
            for counter, amount in consumed["counters"].items():
                size = quantity.of(amount["value"]).value
                left[consumed["counterSet"], counter] -= size * (uses + (name in taken))
    return not matters or all(amount >= 0 for amount in left.values())


def _name(result: Json) -> tuple[str, str, str]:
    return result["driver"], result["pool"], result["device"]
