"""Why a NodeClaim was made as it was, and why it got its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import node_decisions
from kubestage.controllers.karpenter.decisions import exclusions
from kubestage.controllers.karpenter.state import pod_state
from kubestage.controllers.node_decisions import Departure, Launch, Option, Purchase
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.decisions.exclusions import Exclusions
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.provider.launching import Option as Way
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim

BY: Final = node_decisions.KARPENTER
PODS: Final = "for pods that fit on no node"
STATIC: Final = "its NodePool has a fixed number of nodes"
_SHOWN: Final = 10


def of(
    at_ns: int,
    node_claim: Json,
    claim: NewNodeClaim,
    types: Sequence[InstanceType],
    known: Exclusions,
    well_known: frozenset[str],
    why: str = PODS,
    command: Command | None = None,
) -> Purchase:
    """The purchase of a NodeClaim, if for a `command` one of its replacements."""
    price: float | None = None
    replaces: tuple[str, ...] = ()
    cause = ""
    if command is not None:
        replaces = tuple(each.name for each in command.candidates)
        cause = command.reason
        why = f"in the place of {few(replaces)} ({cause})"
        # Drift does not look at prices.
        price = command.source_cost if command.consolidation_type else None
    return Purchase(
        at_ns=at_ns,
        by=BY,
        name=node_claim["metadata"]["name"],
        pool=claim.pool_name,
        why=why,
        pods=tuple(map(pod_state.key_of, claim.pods)),
        requests={name: str(each) for name, each in claim.requests.items()},
        requirements=tuple(map(str, exclusions.stated(claim.requirements))),
        types=len(types),
        left=len(claim.instance_types),
        excluded=tuple(known.of(claim, types, well_known, _rest(claim, price))),
        replaces=replaces,
        cause=cause,
    )


def launch(
    at_ns: int, name: str, ways: Sequence[Way], refused: Iterable[Way], chosen: Way | None
) -> Launch:
    """The launch of a NodeClaim's machine, or that there was none; `ways` are those before it."""
    lacking = tuple(map(option, refused))
    problem = "" if chosen is not None else "none of them had capacity" if ways else "nothing fits"
    return Launch(
        at_ns=at_ns,
        by=BY,
        name=name,
        chosen=None if chosen is None else option(chosen),
        options=tuple(map(option, ways[:_SHOWN])),
        count=len(ways),
        refused=lacking,
        problem=problem,
    )


def option(way: Way) -> Option:
    """One way to have a machine."""
    place = way.place
    return Option(place.instance_type, place.zone, place.capacity_type, way.offering.price)


def departure(
    at_ns: int, node_claim: Json, reason: str, replacements: Sequence[str] = ()
) -> Departure:
    """That a NodeClaim begins to go."""
    metadata = node_claim["metadata"]
    return Departure(
        at_ns=at_ns,
        by=BY,
        node=(node_claim.get("status") or {}).get("nodeName") or "",
        name=metadata["name"],
        pool=(metadata.get("labels") or {}).get("karpenter.sh/nodepool") or "",
        reason=reason,
        replacements=tuple(replacements),
    )


def _rest(claim: NewNodeClaim, price: float | None) -> str:
    """Why types are left out that have what it takes."""
    if price is not None:
        return f"not cheaper than what it replaces ({price:.4g} per hour)"
    limits = claim.node_pool["spec"].get("limits")
    if limits:
        shown = ", ".join(f"{name} {amount}" for name, amount in limits.items())
        return f"more than is left of the limits of the NodePool ({shown} in all)"
    return "no room beside DaemonSets and host ports"
