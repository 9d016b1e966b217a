"""What disruption goes by: the cluster, the cloud, settings, and the commands under way."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.disruption.snapshot import Moment, Snapshot
from kubestage.controllers.karpenter.scheduling.prepared_pools import PoolCache
from kubestage.controllers.karpenter.settings import KarpenterSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.decisions.findings import Findings
    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.instance_types.provider import InstanceTypeProvider
    from kubestage.controllers.karpenter.scheduling.options import Placeholders
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.karpenter.state.state_node import StateNode


@dataclasses.dataclass
class Context:
    """`disrupting` are the provider ids of the nodes that commands under way are about.

    `findings` takes what methods find out about nodes, if anyone wants to know; `pools` keeps what
    simulations need of NodePools.
    """

    cluster: ClusterState
    provider: InstanceTypeProvider
    placeholders: Placeholders
    settings: KarpenterSettings = dataclasses.field(default_factory=KarpenterSettings)
    publish: Publish = events.ignore
    disrupting: set[str] = dataclasses.field(default_factory=set)
    findings: Findings | None = None
    pools: PoolCache = dataclasses.field(default_factory=PoolCache)
    _moment: Moment | None = None
    _snapshot: Snapshot | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_moment": None, "_snapshot": None}

    @property
    def snapshot(self) -> Snapshot:
        """What follows from the cluster as it is now."""
        version, now_ns, known = self.cluster.version, self.now_ns, self._moment
        if (
            self._snapshot is None
            or known is None
            or (known.version, known.now_ns) != (version, now_ns)
            or known.disrupting != self.disrupting
        ):
            self._moment = Moment(version, now_ns, frozenset(self.disrupting))
            self._snapshot = Snapshot(self)
        return self._snapshot

    def note(
        self, candidates: Sequence[Candidate], method: str, outcome: str, text: str = ""
    ) -> None:
        """A method came to something about nodes."""
        if self.findings is not None:
            self.findings.note(candidates, self.now_ns, method, outcome, text)

    @property
    def now_ns(self) -> int:
        """The time."""
        return self.cluster.now_ns

    @property
    def nodes(self) -> Sequence[StateNode]:
        """The nodes, by provider id."""
        return self.cluster.nodes()

    @property
    def node_pools(self) -> Sequence[Json]:
        """The NodePools, by name."""
        return self.cluster.objects.all("NodePool")

    @property
    def usable_node_pools(self) -> Sequence[Json]:
        """Those of which new nodes can be made for pods."""
        return [
            each
            for each in self.node_pools
            if each["spec"].get("replicas") is None
            and each["metadata"].get("deletionTimestamp") is None
            and status.is_true(each, "Ready")
        ]
