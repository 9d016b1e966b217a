"""A choice of devices as it is written into a claim's status."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from kubestage.objects import names, node_selector
from kubestage.scheduler.devices.failures import AllocationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.devices.pools import Candidate, Reach
    from kubestage.scheduler.devices.requests import ClaimRequests, Request
    from kubestage.scheduler.devices.search import Pick, Solution


def allocations(
    claims: Sequence[ClaimRequests], solution: Solution, reach: Reach, node_name: str
) -> list[Json]:
    """One allocation for each claim, on the node whose pools these are."""
    return [
        _allocation(claim, picks, chosen, reach, node_name)
        for claim, picks, chosen in zip(claims, solution.picks, solution.chosen, strict=True)
    ]


def _allocation(
    claim: ClaimRequests,
    picks: Sequence[Pick],
    chosen: Sequence[Request],
    reach: Reach,
    node_name: str,
) -> Json:
    taken = [reach.candidates[pick.place] for pick in picks]
    devices: Json = {
        "results": [
            _result(claim, number, pick, candidate)
            for number, (pick, candidate) in enumerate(zip(picks, taken, strict=True))
        ]
    }
    configuration = [*_of_classes(chosen), *_of_claim(claim, chosen)]
    if configuration:
        devices["config"] = configuration
    allocation: Json = {"devices": devices}
    selector = _node_selector(claim, taken, node_name)
    if selector is not None:
        allocation["nodeSelector"] = selector
    return allocation


def _result(claim: ClaimRequests, number: int, pick: Pick, candidate: Candidate) -> Json:
    request, device = pick.request, candidate.device
    result: Json = {"request": request.full_name, **candidate.id._asdict()}
    if request.admin_access:
        result["adminAccess"] = True
    if request.raw.get("tolerations"):
        result["tolerations"] = request.raw["tolerations"]
    if device.binding_conditions:
        result["bindingConditions"] = list(device.binding_conditions)
    if device.binding_failure_conditions:
        result["bindingFailureConditions"] = list(device.binding_failure_conditions)
    if pick.consumed is not None:
        # A claim is allocated once, so its uid and the number identify a share.
        seed = f"{claim.claim['metadata'].get('uid')}/{number}/{candidate.id}"
        result["shareID"] = names.uid(random.Random(seed))
        if pick.consumed:
            result["consumedCapacity"] = {
                name: str(amount) for name, amount in pick.consumed.items()
            }
    return result


def _of_classes(chosen: Iterable[Request]) -> list[Json]:
    """Each class's configurations once, for all requests that have the class."""
    by_class: dict[str, list[Json]] = {}
    for request in chosen:
        name = request.device_class["metadata"]["name"]
        if name in by_class:
            for each in by_class[name]:
                each["requests"].append(request.full_name)
        else:
            stated = (request.device_class.get("spec") or {}).get("config") or ()
            by_class[name] = [
                {"source": "FromClass", "requests": [request.full_name], **each} for each in stated
            ]
    return [each for found in by_class.values() for each in found]


def _of_claim(claim: ClaimRequests, chosen: Sequence[Request]) -> list[Json]:
    """The claim's own configurations, as often as they concern a request that counts."""
    stated = ((claim.claim.get("spec") or {}).get("devices") or {}).get("config") or ()
    found = []
    for each in stated:
        concerned = each.get("requests") or ()
        times = sum(
            request.top_name in concerned or request.full_name in concerned for request in chosen
        )
        found += [{"source": "FromClaim", **each}] * (times if concerned else 1)
    return found


def _node_selector(claim: ClaimRequests, taken: Iterable[Candidate], node_name: str) -> Json | None:
    """Where the devices can be used; None if everywhere."""
    term: dict[str, list[Json]] = {}
    for device, each in ((candidate.device, candidate.slice) for candidate in taken):
        nodes = device.nodes if each.per_device else each.nodes
        if nodes.node_name is not None or device.binds_to_node:
            only = {"key": node_selector.NAME_FIELD, "operator": "In", "values": [node_name]}
            return {"nodeSelectorTerms": [{"matchFields": [only]}]}
        terms = (nodes.selector or {}).get("nodeSelectorTerms") or ()
        if len(terms) > 1:
            raise AllocationError(
                f"create NodeSelector for claim {claim.claim['metadata']['name']}: "
                f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            )
        for part in ("matchFields", "matchExpressions"):
            for requirement in terms[0].get(part) or () if terms else ():
                if not any(_is_same(requirement, known) for known in term.get(part, ())):
                    term.setdefault(part, []).append(requirement)
    return {"nodeSelectorTerms": [term]} if term else None


def _is_same(one: Json, other: Json) -> bool:
    return (
        one.get("key") == other.get("key")
        and one.get("operator") == other.get("operator")
        and set(one.get("values") or ()) == set(other.get("values") or ())
    )
