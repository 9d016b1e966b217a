"""Small random worlds of devices: pools near and far, whole and broken, and claims on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.scheduler.devices import machines

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

    from kubestage.aliases import Json

Draw = Any

TAINT = {"key": "worn", "effect": "NoSchedule"}
OLD = "nic.example.com"

# Each selector with what it means.
SELECTORS: dict[str, Callable[[str, Json], bool]] = {
    machines.ONLY_DRIVER: lambda driver, _: driver == machines.DRIVER,
    f'device.driver == "{OLD}"': lambda driver, _: driver == OLD,
    'device.driver.endsWith("example.com")': lambda driver, _: driver.endswith("example.com"),
    f'has(device.attributes["{machines.DRIVER}"].model)': lambda driver, device: (
        driver == machines.DRIVER and "model" in device.get("attributes", {})
    ),
    f'device.attributes["{machines.DRIVER}"].?model.orValue("") == "a"': lambda driver, device: (
        driver == machines.DRIVER and device.get("attributes", {}).get("model") == {"string": "a"}
    ),
    "device.allowMultipleAllocations": lambda _, device: bool(
        device.get("allowMultipleAllocations")
    ),
    "true": lambda _, __: True,
}
CLASSES = [
    machines.device_class("gpu"),
    machines.device_class("any", "true"),
    machines.device_class("nic", f'device.driver == "{OLD}"'),
]


def matches(expression: str, driver: str, device: Json) -> bool:
    """Whether a selector is true of a device."""
    return SELECTORS[expression](driver, device)


@st.composite
def _devices(draw: Draw, prefix: str, node_count: int, per_device: bool) -> list[Json]:
    found = []
    for number in range(draw(st.integers(1, 3))):
        device: Json = {"name": f"{prefix}{number}"}
        attributes: Json = {}
        if draw(st.booleans()):
            attributes["model"] = {"string": draw(st.sampled_from("ab"))}
        if draw(st.booleans()):
            attributes[f"{machines.DRIVER}/numa"] = {"int": draw(st.integers(0, 1))}
        if attributes:
            device["attributes"] = attributes
        if draw(st.integers(0, 3)) == 0:
            device["taints"] = [TAINT]
        if draw(st.booleans()):
            device["capacity"] = {"memory": {"value": draw(st.sampled_from(["4", "8"]))}}
            if draw(st.booleans()):
                device["allowMultipleAllocations"] = True
        if per_device:
            device |= draw(_whereabouts(node_count))
        found.append(device)
    return found


def _whereabouts(node_count: int) -> SearchStrategy[Json]:
    zone = {"key": "zone", "operator": "In", "values": ["b"]}
    return st.one_of(
        st.integers(0, node_count - 1).map(lambda number: {"nodeName": f"n{number}"}),
        st.just({"allNodes": True}),
        st.just({"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}}),
    )


@st.composite
def slices(draw: Draw, node_count: int) -> list[Json]:
    """The slices of a few pools."""
    found: list[Json] = []
    for number in range(draw(st.integers(1, 3))):
        driver = draw(st.sampled_from([machines.DRIVER, machines.DRIVER, OLD]))
        count = draw(st.integers(1, 2))
        stated = draw(st.sampled_from([*[count] * 6, count + 1]))
        has_counters = draw(st.integers(0, 3)) == 0
        for part in range(count):
            per_device = draw(st.integers(0, 4)) == 0
            # Two parts of a pool may, by mistake, use the same names.
            prefix = draw(st.sampled_from([*[f"d{part}-"] * 6, "d"]))
            offered = draw(_devices(prefix, node_count, per_device))
            where = {"perDeviceNodeSelection": True} if per_device else draw(
                _whereabouts(node_count)
            )  # fmt: skip
            if has_counters:
                for device in offered:
                    amount = draw(st.sampled_from(["1", "2", "3"]))
                    device["consumesCounters"] = machines.consumes("set", slots=amount)
            spec = {"pool": f"pool-{number}", "count": stated + has_counters, "driver": driver}
            generation = draw(st.sampled_from([*[1] * 6, 2]))
            found.append(
                machines.resource_slice(
                    f"s{number}-{part}", offered, generation=generation, **spec, **where
                )
            )
        if has_counters:
            sets = [machines.counters("set", slots=draw(st.sampled_from(["2", "4"])))]
            found.append(
                machines.resource_slice(
                    f"s{number}-counters", [], sharedCounters=sets, allNodes=True, **spec
                )
            )
    return found


@st.composite
def _wish(draw: Draw, most: int, *, all_devices: bool, admin: bool) -> Json:
    count = draw(st.sampled_from([1, *range(1, most + 1), *([None] if all_devices else [])]))
    chosen = draw(st.lists(st.sampled_from(list(SELECTORS)), max_size=1)) if most > 1 else []
    parts: Json = {}
    if draw(st.booleans()):
        parts["tolerations"] = [{"key": "worn", "operator": "Exists"}]
    if draw(st.integers(0, 3)) == 0:
        parts["capacity"] = {"requests": {"memory": draw(st.sampled_from(["1", "2", "6"]))}}
    if admin and draw(st.integers(0, 4)) == 0:
        parts["adminAccess"] = True
    return machines.wish(
        count, draw(st.sampled_from(["any", "any", "any", "gpu", "nic"])), *chosen, **parts
    )


@st.composite
def claims(draw: Draw) -> list[Json]:
    """One or two claims that want devices."""
    found = []
    for number in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(["", "", "matchAttribute", "distinctAttribute"]))
        # What is told apart is remembered per request, so each such request wants one device.
        most = 1 if kind == "distinctAttribute" else 2
        requests = []
        for name in draw(st.sampled_from([["r0"], ["r0", "r1"]])):
            if draw(st.integers(0, 2)) == 0:
                alternatives = {
                    each: draw(_wish(most, all_devices=not kind, admin=False))
                    for each in ("first", "second")
                }
                requests.append(machines.first_of(name, **alternatives))
            else:
                exactly = draw(_wish(most, all_devices=not kind, admin=True))
                requests.append({"name": name, "exactly": exactly})
        parts: Json = {}
        if kind:
            attribute = draw(st.sampled_from(["model", "numa"]))
            constraint: Json = {kind: f"{machines.DRIVER}/{attribute}"}
            if draw(st.booleans()):
                constraint["requests"] = [draw(st.sampled_from(["r0", "r0/first"]))]
            parts["constraints"] = [constraint]
        found.append(machines.claim(f"claim-{number}", *requests, **parts))
    return found


@st.composite
def allocated(draw: Draw, offered: list[Json]) -> list[Json]:
    """A claim that has some of the devices already."""
    results: list[Json] = []
    for each in offered:
        for device in each["spec"].get("devices", []):
            if draw(st.integers(0, 3)):
                continue
            pool, driver = each["spec"]["pool"]["name"], each["spec"]["driver"]
            taken = machines.result(device["name"], pool) | {"driver": driver}
            if device.get("allowMultipleAllocations") and draw(st.booleans()):
                taken |= {"shareID": f"share-{len(results)}", "consumedCapacity": {"memory": "1"}}
            results.append(taken)
    if not results:
        return []
    return [machines.claim("old", status={"allocation": machines.allocation(*results)})]
