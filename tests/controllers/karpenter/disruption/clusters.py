"""Clusters for tests of disruption, and rounds on them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.disruption import rounds, starting, validation
from kubestage.controllers.karpenter.disruption.context import Context
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.settings import KarpenterSettings
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.methods import Method
    from kubestage.controllers.karpenter.disruption.rounds import Outcome
    from kubestage.controllers.karpenter.events import Event


@dataclasses.dataclass
class Bench:
    """A cluster under disruption, and what was published."""

    context: Context
    methods: list[Method]
    events: list[Event]

    @property
    def messages(self) -> list[str]:
        """What the events about Nodes and NodePools say."""
        return [event.message for event in self.events if event.kind in ("Node", "NodePool")]

    def round(self, meanwhile: Callable[[], None] | None = None) -> Outcome:
        """One round; `meanwhile` happens before a validation."""
        current = rounds.Round(self.context, self.methods)
        outcome = current.advance()
        while outcome is None:
            self.context.cluster.now_ns += validation.DELAY_NS
            if meanwhile is not None:
                meanwhile()
            outcome = current.advance()
        return outcome

    def start(self, outcome: Outcome) -> None:
        """Begin what a round has decided."""
        for command in outcome.commands:
            starting.start(self.context, command)


def bench(
    *listed: Json, cloud: Cloud | None = None, settings: KarpenterSettings | None = None
) -> Bench:
    """A cluster of these objects; without a NodePool it gets the usual one."""
    everything = list(listed)
    if not any(each["kind"] == "NodePool" for each in everything):
        everything.append(objects.node_pool())
    cluster = ClusterState(everything, objects.START_NS)
    published: list[Event] = []
    context = Context(
        cluster,
        cloud or Cloud(),
        Placeholders(),
        settings or KarpenterSettings(),
        published.append,
    )
    return Bench(context, rounds.methods(context), published)


def machine(
    name: str,
    instance_type: str = "m.4",
    pods: int = 0,
    *,
    pool: str = "default",
    cpu: str = "1",
    labels: dict[str, str] | None = None,
) -> list[Json]:
    """A node of a type with pods, and its NodeClaim."""
    stated = {**objects.labels(instance_type, pool), **(labels or {})}
    size = instance_type.partition(".")[2]
    return [
        objects.node_claim(name, stated),
        objects.node(name, stated, size, f"{int(size) * 4}Gi"),
        *(objects.pod(f"{name}-{number}", name, cpu) for number in range(pods)),
    ]


def names(outcome: Outcome) -> list[list[str]]:
    """The nodes of each command."""
    return [[each.name for each in command.candidates] for command in outcome.commands]
