"""Passes of the provisioner on a recorded world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import provisioning
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.replay.karpenter import comparison, shown
from kubestage.replay.karpenter.provider import RESERVATION_ID, RecordedProvider

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Event
    from kubestage.replay.karpenter.comparison import Difference
    from kubestage.replay.karpenter.world import World


def options_of(world: World) -> Options:
    """How the provisioner of a world schedules."""
    return Options(
        preference_policy=world.options.preference_policy,
        min_values_policy=world.options.min_values_policy,
        reserved_capacity=world.options.reserved_capacity,
        strict_reservations=True,
        well_known=RecordedProvider.well_known,
        reservation_label=RESERVATION_ID,
    )


def play(world: World) -> list[Difference]:
    """Schedule the pods of a world, once for each step."""
    found = []
    for position, step in enumerate(world.steps):
        varying = (world.order_sensitive or {}).get(str(position)) or []
        found += comparison.differences(
            position, _comparable(step), _comparable(decide(world)), varying
        )
    return found


def decide(world: World) -> Json:
    """One pass, as it would be recorded."""
    provider, options = RecordedProvider(world), options_of(world)
    pools = [each for each in world.node_pools() if _is_scheduled_for(each)]
    types = {pool["metadata"]["name"]: provider.types_of(pool) for pool in pools}
    events: list[Event] = []
    results = provisioning.schedule(world.cluster(), pools, types, options, publish=events.append)
    return {
        "result": shown.results(results, options.well_known),
        "events": shown.events(events),
    }


def _is_scheduled_for(node_pool: Json) -> bool:
    """Whether pods get nodes of a NodePool: it stays, and its nodes have no fixed number."""
    is_going = node_pool["metadata"].get("deletionTimestamp") is not None
    return not is_going and node_pool["spec"].get("replicas") is None


def _comparable(step: Json) -> Json:
    found = step["result"]
    errors = (found["podErrors"] or {}).items()
    return {
        "result": {
            "newNodeClaims": found["newNodeClaims"] or [],
            "existingNodes": found["existingNodes"] or {},
            "podErrors": {name: comparison.uncounted(text) for name, text in errors},
        },
        "events": comparison.events_in_order(step["events"]),
    }
