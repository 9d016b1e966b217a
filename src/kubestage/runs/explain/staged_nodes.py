"""What is known of a node on a stage: why it was bought, and why it is kept or goes."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.decisions import obstacles, purchases
from kubestage.controllers.karpenter.state import pod_state
from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits
from kubestage.errors import InputError
from kubestage.objects import gvk, node_pools
from kubestage.results.packing import contents
from kubestage.runs.explain import node_explanation
from kubestage.runs.explain.node_explanation import NodeExplanation
from kubestage.units import SECOND_NS
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_decisions import Departure, Purchase, Verdict
    from kubestage.results.life.node_decisions import NodeDecisionRecord
    from kubestage.stage import Stage

_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")


def of(stage: Stage, record: NodeDecisionRecord, name: str, run: str = "") -> NodeExplanation:
    """What is known of a node, or of the node of a NodeClaim, on a stage."""
    nodes, claims = stage.store.read(gvk.NODE), stage.store.read(_CLAIM)
    node = nodes.get(name)
    claim = claims.get(name) or _claim_of(claims.values(), name)
    claim_name = claim["metadata"]["name"] if claim is not None else _past_claim(record, name)
    if node is None and claim is None and not _is_known(record, name):
        raise _unknown(name, [*nodes, *claims, *record.purchases, *record.added_ns], run)
    if node is None and claim is not None:
        node = nodes.get((claim.get("status") or {}).get("nodeName") or "")
    node_name = name if node is None else node["metadata"]["name"]
    start_ns = stage.clock.unix_ns - stage.clock.now_ns
    departure = record.departures.get(claim_name) or record.departures.get(node_name)
    purchase = record.purchases.get(claim_name) or record.purchases.get(node_name)
    added, removed = record.added_ns.get(node_name), record.removed_ns.get(node_name)
    pods = [] if node is None else _pods_on(stage, node_name)
    known, there = contents.prices_of(stage.store), node or claim
    billed = None if there is None else known.of_node(there)
    decided = None if there is None else known.decided(there)
    return NodeExplanation(
        billed_per_hour=billed,
        decided_per_hour=None if decided == billed else decided,
        currency="" if billed is None else known.currency,
        node=node_name if node is not None or added is not None else "",
        node_claim=claim_name,
        pool=_pool(node, claim, purchase, departure),
        status=_status(node, claim, added is not None, departure is not None),
        start_ns=start_ns,
        at_seconds=round(stage.clock.now_ns / SECOND_NS, 6),
        purchase=purchase,
        launch=record.launches.get(claim_name),
        verdict=None if node is None else _present(stage, node_name),
        obstacles=_obstacles(stage, node, claim, pods),
        pods=[
            pod_state.key_of(each)
            for each in pods
            if pod_state.is_active(each) and not pod_state.is_daemon(each)
        ],
        history=record.verdicts.get(node_name, []),
        departure=departure,
        added_seconds=_seconds(added, start_ns),
        removed_seconds=None if node is not None else _seconds(removed, start_ns),
    )


def _present(stage: Stage, node: str) -> Verdict | None:
    """What holds of a node now."""
    if stage.controllers is None:
        return None
    return stage.controllers.node_decisions.present().get(node)


def _claim_of(claims: Iterable[Json], node: str) -> Json | None:
    return next(
        (each for each in claims if (each.get("status") or {}).get("nodeName") == node), None
    )


def _past_claim(record: NodeDecisionRecord, name: str) -> str:
    """The NodeClaim that a node had, or that is itself named; empty if there is none."""
    for each in record.departures.values():
        if name in (each.node, each.name):
            return each.name if each.by == purchases.BY else ""
    verdicts = record.verdicts.get(name)
    if verdicts:
        return verdicts[-1].name
    bought = record.purchases.get(name)
    return name if bought is not None and bought.by == purchases.BY else ""


def _is_known(record: NodeDecisionRecord, name: str) -> bool:
    return name in record.added_ns or name in record.purchases or name in record.verdicts


def _unknown(name: str, known: Iterable[str], run: str) -> InputError:
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1)
    fix = f"there are {few(names)}" if names else "there are no nodes"
    if near:
        fix = f"did you mean {near[0]}?"
    return InputError(f'no node or NodeClaim "{name}"', file=run or None, fix=fix)


def _pods_on(stage: Stage, node: str) -> list[Json]:
    return [
        pod for pod in stage.store.read(gvk.POD).values() if pod["spec"].get("nodeName") == node
    ]


def _obstacles(
    stage: Stage, node: Json | None, claim: Json | None, pods: Iterable[Json]
) -> list[str]:
    """What is in the way of the removal of a node that Karpenter manages."""
    if node is None or claim is None:
        return []
    limits = DisruptionLimits(stage.store.read(gvk.POD_DISRUPTION_BUDGET).values())
    return list(obstacles.of(node, claim, pods, limits, stage.clock.unix_ns))


def _pool(
    node: Json | None, claim: Json | None, bought: Purchase | None, left: Departure | None
) -> str:
    for obj in (node, claim):
        if obj is not None and node_pools.of(obj):
            return node_pools.of(obj)
    return next((each.pool for each in (bought, left) if each is not None), "")


def _status(node: Json | None, claim: Json | None, has_been: bool, has_left: bool) -> str:
    if node is None and claim is None:
        return node_explanation.GONE if has_been else node_explanation.NEVER_CAME
    is_going = any("deletionTimestamp" in each["metadata"] for each in (node, claim) if each)
    if is_going or has_left:
        return node_explanation.LEAVING
    return node_explanation.STARTING if node is None else node_explanation.RUNNING


def _seconds(at_ns: int | None, start_ns: int) -> float | None:
    return None if at_ns is None else round((at_ns - start_ns) / SECOND_NS, 6)
