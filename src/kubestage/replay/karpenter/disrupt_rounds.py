"""Recorded rounds of the disruption loop, played again and written down as the recordings are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions import consolidation, hashing, status
from kubestage.controllers.karpenter.conditions.drift import DRIFTED, DriftCheck
from kubestage.controllers.karpenter.disruption import budgets, rounds, starting, validation
from kubestage.controllers.karpenter.disruption.context import Context
from kubestage.controllers.karpenter.labels import NODE_POOL, NODE_POOL_HASH, NODE_POOL_HASH_VERSION
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.settings import KarpenterSettings
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from kubestage.replay.karpenter import comparison, shown
from kubestage.replay.karpenter.disrupt_changes import Changes
from kubestage.replay.karpenter.provider import RecordedProvider
from kubestage.replay.karpenter.world import START_NS
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.methods import Method
    from kubestage.controllers.karpenter.events import Event
    from kubestage.replay.karpenter.comparison import Difference
    from kubestage.replay.karpenter.world import World

_CURRENT: Final = "CURRENT"
_READY: Final = {"conditions": [{"type": "Ready", "status": "True"}]}
_SHOWN: Final = (consolidation.CONSOLIDATABLE, DRIFTED)


def play(world: World) -> list[Difference]:
    """Play the rounds of a world, and compare each with what was recorded."""
    rounds_of_world = DisruptRounds(world)
    found = []
    for position, step in enumerate(world.steps):
        varying = (world.order_sensitive or {}).get(str(position)) or []
        actual = rounds_of_world.play(step["time"])
        found += comparison.differences(position, _comparable(step), _comparable(actual), varying)
    return found


class DisruptRounds:
    """One world from round to round."""

    def __init__(self, world: World) -> None:
        provider = RecordedProvider(world)
        settings = KarpenterSettings(
            preference_policy=world.options.preference_policy,
            min_values_policy=world.options.min_values_policy,
            spot_to_spot_consolidation=world.options.spot_to_spot_consolidation,
            reserved_capacity=world.options.reserved_capacity,
        )
        cluster = ClusterState(_hashed(world.objects), START_NS)
        self._drift = DriftCheck(provider)
        self._context = Context(cluster, provider, Placeholders(), settings)
        self._methods = rounds.methods(self._context)
        self._well_known = provider.well_known
        self._changes = Changes(cluster, provider.well_known, START_NS)

    def play(self, seconds: int) -> Json:
        """The round that begins then, and what becomes of the world."""
        cluster = self._context.cluster
        cluster.now_ns = START_NS + seconds * SECOND_NS
        cluster.mark_unconsolidated()
        conditions = self._set_conditions()
        methods = [self._method(each) for each in self._methods]
        published: list[Event] = []
        self._context.publish = published.append
        current = rounds.Round(self._context, self._methods)
        outcome = current.advance()
        while outcome is None:
            cluster.now_ns += validation.DELAY_NS
            outcome = current.advance()
        for command in outcome.commands:
            starting.start(self._context, command)
        took_ns = cluster.now_ns - START_NS - seconds * SECOND_NS
        step = {
            "time": seconds,
            "conditions": conditions,
            "methods": methods,
            "commands": [shown_command(each, self._well_known) for each in outcome.commands],
            "requeueAfterSeconds": outcome.next_after_ns / SECOND_NS,
            "tookSeconds": took_ns // SECOND_NS,
            "events": shown.events(published),
        }
        applied: list[Json] = []
        for command in outcome.commands:
            succeeded = self._changes.apply(command, applied)
            starting.finish(self._context, command, succeeded=succeeded)
        if applied:
            step["applied"] = applied
        return step

    def _set_conditions(self) -> Json:
        """Set the conditions of all NodeClaims, and return them."""
        cluster = self._context.cluster
        pools = {each["metadata"]["name"]: each for each in cluster.objects.all("NodePool")}
        found: Json = {}
        for claim in list(cluster.objects.all("NodeClaim")):
            metadata = claim["metadata"]
            pool = pools.get((metadata.get("labels") or {}).get(NODE_POOL) or "")
            current = claim
            if pool is not None and metadata.get("deletionTimestamp") is None:
                current = self._drift.with_drifted(pool, claim, cluster.now_ns)
                if pool["spec"].get("replicas") is None:
                    current = consolidation.with_consolidatable(pool, current, cluster.now_ns)
                cluster.update(current)
            found[metadata["name"]] = dict(_shown(current))
        return found

    def _method(self, method: Method) -> Json:
        context = self._context
        context.publish = _unheard
        candidates, _ = rounds.eligible(context, method)
        allowed = budgets.remaining(
            context.nodes, context.node_pools, method.reason, context.now_ns
        )
        return {
            "method": type(method).__name__,
            "reason": method.reason,
            "candidates": [_candidate(each) for each in candidates],
            "allowedDisruptions": allowed,
        }


def _comparable(step: Json) -> Json:
    """A step with its events in order."""
    return {**step, "events": comparison.events_in_order(step["events"])}


def shown_command(command: Command, well_known: frozenset[str]) -> Json:
    """A command with what replaces the nodes, and where their pods go."""
    placed = [] if command.results is None else command.results.existing_nodes
    return {
        "reason": command.reason,
        "decision": command.decision,
        "consolidationType": command.consolidation_type,
        "candidates": [each.name for each in command.candidates],
        "replacements": [shown.new_node_claim(each, well_known) for each in command.replacements],
        "podsToExistingNodes": {
            each.node.name: shown.pods(each.pods) for each in placed if each.pods
        },
    }


def _unheard(event: Event) -> None:
    del event


def _candidate(candidate: Candidate) -> Json:
    return {
        "node": candidate.name,
        "price": candidate.price,
        "disruptionCost": candidate.disruption_cost,
        "rescheduleDisruptionCost": candidate.reschedule_disruption_cost,
        "savingsRatio": candidate.savings_ratio,
    }


def _shown(node_claim: Json) -> Iterator[tuple[str, str]]:
    for kind in _SHOWN:
        condition = status.find(node_claim, kind)
        if condition is not None:
            yield kind, condition["status"]
            if kind == DRIFTED:
                yield "driftReason", condition["reason"]


def _hashed(objects: list[Json]) -> Iterator[Json]:
    """The objects with the hash of each NodePool, and with what stands for it filled in."""
    pools = {
        each["metadata"]["name"]: hashing.with_hash(each)
        for each in objects
        if each["kind"] == "NodePool"
    }
    for each in objects:
        metadata = each["metadata"]
        if each["kind"] == "NodePool":
            yield {**pools[metadata["name"]], "status": _READY}
            continue
        annotations = metadata.get("annotations") or {}
        pool = pools.get((metadata.get("labels") or {}).get(NODE_POOL) or "")
        if annotations.get(NODE_POOL_HASH) != _CURRENT or pool is None:
            yield each
            continue
        current = pool["metadata"]["annotations"]
        kept = {key: current[key] for key in (NODE_POOL_HASH, NODE_POOL_HASH_VERSION)}
        yield {**each, "metadata": {**metadata, "annotations": {**annotations, **kept}}}
