"""One measurement on a fake cluster, asked as a load asks it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.sim.streams import Streams
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.measure.results import MeasurementResult


class Measured:
    """A method, its cluster, and what it says."""

    def __init__(
        self,
        method: str,
        *,
        is_stage: bool = True,
        facilities: Facilities | None = None,
        cluster: FakeCluster | None = None,
    ) -> None:
        self.cluster = cluster or FakeCluster(is_stage=is_stage)
        self.method = method
        self.measurements = Measurements(
            Registry(), self.cluster, Streams(1), facilities or Facilities()
        )

    def perform(
        self, action: str | None, *, seconds: float = 0.2, **params: Any
    ) -> MeasurementResult:
        """Have it act on what is known by now; its outcome must be there within some seconds."""
        self.cluster.moments.run()
        told: list[MeasurementResult] = []
        raw = params if action is None else {"action": action, **params}
        self.measurements.perform(self.method, "id", raw).then(told.append)
        self.cluster.moments.run(seconds)
        (outcome,) = told
        return outcome


def document(outcome: MeasurementResult) -> Any:
    """The content of the only summary."""
    (summary,) = outcome.summaries
    return json.loads(summary.content)


def node(name: str, *, ready: str = "True", role: bool = False, **spec: Any) -> Json:
    """A node as far as it matters."""
    labels = {"node-role.kubernetes.io/control-plane": ""} if role else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


def pod(name: str, *, namespace: str = "kube-system", **parts: Any) -> Json:
    """A pod with the parts that are given."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": namespace, "name": name, **parts.pop("metadata", {})},
        **parts,
    }
