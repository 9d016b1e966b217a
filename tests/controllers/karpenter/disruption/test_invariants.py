"""Whatever the cluster: commands keep to the budgets, and no pod is left without a place."""

from __future__ import annotations

import collections
import pickle
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.controllers.karpenter.disruption import budgets, rounds
from kubestage.controllers.karpenter.disruption.context import Context
from kubestage.controllers.karpenter.disruption.snapshot import Snapshot
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.state import pod_state
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import Bench, bench, machine

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.rounds import Outcome
    from kubestage.controllers.karpenter.events import Event

POOLS = ("one", "two")
SIZES = ("m.2", "m.4", "m.8", "m.16")


@st.composite
def clusters(draw: st.DrawFn) -> Bench:
    """Some nodes of two NodePools with pods, budgets and policies."""
    listed: list[Json] = []
    for name in POOLS:
        pool = objects.node_pool(name)
        pool["spec"]["disruption"]["budgets"] = [{"nodes": str(draw(st.integers(0, 4)))}]
        pool["spec"]["disruption"]["consolidationPolicy"] = draw(
            st.sampled_from(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"])
        )
        listed.append(pool)
    for number in range(draw(st.integers(1, 7))):
        size = draw(st.sampled_from(SIZES))
        pods = draw(st.integers(0, int(size.partition(".")[2])))
        pool_name = draw(st.sampled_from(POOLS))
        made = machine(f"n{number}", size, pods, pool=pool_name)
        if draw(st.integers(0, 5)) == 0:
            made[0]["status"]["conditions"].append(
                {"type": "Drifted", "status": "True", "lastTransitionTime": objects.CREATED}
            )
        listed += made
    return bench(*listed)


@given(clusters())
@settings(max_examples=60, deadline=None)
def test_commands_keep_their_promises(cluster: Bench) -> None:
    context = cluster.context
    allowed = {
        reason: budgets.remaining(context.nodes, context.node_pools, reason, context.now_ns)
        for reason in ("Empty", "Drifted", "Underutilized")
    }
    for command in cluster.round().commands:
        counts = collections.Counter(each.pool_name for each in command.candidates)
        assert all(counts[name] <= allowed[command.reason][name] for name in counts)
        if command.reason == "Empty":
            assert all(each.is_empty for each in command.candidates)
            continue
        assert _placed(command) == {
            pod_state.key_of(pod) for each in command.candidates for pod in each.pods
        }
        if command.reason == "Underutilized":
            _check_prices(command, context.provider.well_known)


class Forgetful(Context):
    """Works everything out again whenever it is looked at."""

    @property
    def snapshot(self) -> Snapshot:
        """A new one each time."""
        return Snapshot(self)


@given(clusters())
@settings(max_examples=30, deadline=None)
def test_what_simulations_share_changes_nothing(cluster: Bench) -> None:
    published: list[Event] = []
    context = cluster.context
    slow = Forgetful(
        pickle.loads(pickle.dumps(context.cluster)),
        context.provider,
        Placeholders(),
        context.settings,
        published.append,
    )
    twin = Bench(slow, rounds.methods(slow), published)
    assert _shown(cluster.round()) == _shown(twin.round())
    assert set(cluster.events) == set(twin.events)


def _shown(outcome: Outcome) -> list[Any]:
    return [
        (
            [each.name for each in command.candidates],
            [
                ([each.name for each in claim.instance_types], claim.pods)
                for claim in command.replacements
            ],
            []
            if command.results is None
            else [(placed.node.name, placed.pods) for placed in command.results.existing_nodes],
        )
        for command in outcome.commands
    ]


def _placed(command: Command) -> set[str]:
    assert command.results is not None
    groups = [each.pods for each in command.results.existing_nodes]
    groups += [each.pods for each in command.replacements]
    return {pod_state.key_of(pod) for group in groups for pod in group}


def _check_prices(command: Command, well_known: frozenset[str]) -> None:
    assert len(command.replacements) <= 1
    assert command.savings(well_known) > 0
    for claim in command.replacements:
        for each in claim.instance_types:
            worst = prices.worst_launch_price(each.available, claim.requirements, well_known)
            assert worst < command.source_cost
