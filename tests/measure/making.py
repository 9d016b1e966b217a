"""Measurements under test: made on a fake cluster, and asked until they answer."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from kubestage.measure import params
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurement import Context
from kubestage.measure.results import MeasurementResult, PendingResult

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.measure.measurement import Measurement
    from tests.measure.fake_cluster import FakeCluster


def make(
    kind: type[Measurement[Any]],
    cluster: FakeCluster,
    facilities: Facilities | None = None,
    identifier: str = "it",
) -> Measurement[Any]:
    """A measurement on its own."""
    offered = Facilities() if facilities is None else facilities
    chance = random.Random(1)
    return kind(Context(kind.__name__, identifier, cluster, chance, offered))


class Asked:
    """What a measurement was asked, and its answer as soon as there is one."""

    def __init__(self, measurement: Measurement[Any], **raw: Any) -> None:
        typed, self.warnings = params.typed(measurement.params_type, raw)
        self._cluster = measurement.cluster
        self._outcome: MeasurementResult | None = None
        self.at_ns = -1
        result = measurement.perform(typed)
        if isinstance(result, PendingResult):
            result.then(self._told)
        else:
            self._told(result)

    def _told(self, outcome: MeasurementResult) -> None:
        self._outcome = outcome
        self.at_ns = self._cluster.moments.now_ns

    @property
    def is_answered(self) -> bool:
        """Whether the answer is there."""
        return self._outcome is not None

    @property
    def at_s(self) -> float:
        """When the answer was there."""
        return self.at_ns / 1e9

    @property
    def outcome(self) -> MeasurementResult:
        """The answer, which must be there."""
        assert self._outcome is not None
        return self._outcome


def pod(
    name: str,
    *,
    namespace: str = "ns",
    phase: str = "Running",
    ready: bool | None = None,
    owner: str = "",
    node: str | None = "n1",
    **meta: Any,
) -> Json:
    """A pod in some state; one that runs is ready unless said otherwise."""
    is_ready = phase == "Running" if ready is None else ready
    metadata: Json = {"name": name, "namespace": namespace, "labels": {"app": "web"}, **meta}
    if owner:
        kind = owner.partition("/")[0]
        metadata["ownerReferences"] = [
            {"kind": kind, "name": owner, "uid": owner, "controller": True}
        ]
    spec: Json = {"containers": [{"name": "c", "image": "i"}]}
    if node and phase != "Unscheduled":
        spec["nodeName"] = node
    phase = "Pending" if phase == "Unscheduled" else phase
    ready_condition = {"type": "Ready", "status": "True" if is_ready else "False"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": phase, "conditions": [ready_condition]},
    }
