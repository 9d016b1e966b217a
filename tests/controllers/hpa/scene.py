"""A stage with autoscalers alone: targets and pods are there, and a test says what pods use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.hpa.loop import HorizontalController
from kubestage.controllers.settings import Settings
from kubestage.metrics.samples import Used
from kubestage.metrics.settings import MetricsSettings
from kubestage.testing import make_deployment, make_horizontal_pod_autoscaler, make_pod
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.hpa.settings import HpaSettings
    from kubestage.metrics.board import Board
    from kubestage.stage import Stage


HPA: Final = ("autoscaling/v2", "HorizontalPodAutoscaler")
LONG_AGO: Final = "2025-12-31T00:00:00Z"
SECOND_NS: Final = 1_000_000_000


def running(name: str, app: str = "web", cpu: str = "1", **parts: Any) -> Json:
    """A pod that has been ready for long."""
    pod = make_pod(name, cpu=cpu, labels={"app": app}, node_name="n1", **parts)
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": LONG_AGO}
    pod["status"] = {"phase": "Running", "startTime": LONG_AGO, "conditions": [ready]}
    return pod


def target(name: str = "web", replicas: int = 2) -> Json:
    """A Deployment that says how many replicas it has."""
    return {**make_deployment(name, replicas=replicas, cpu="1"), "status": {"replicas": replicas}}


class Scene:
    """Two pods of one Deployment, unless told otherwise, and the autoscaler of it."""

    def __init__(self, *objects: Json, hpa: HpaSettings | None = None) -> None:
        metrics = MetricsSettings(resolution_ns=5 * SECOND_NS, delay_ns=0, fresh_ns=0)
        settings = Settings(metrics=metrics)
        if hpa is not None:
            settings = Settings(metrics=metrics, hpa=hpa)
        self.stage: Stage = stage_with(HorizontalController, settings=settings)
        self.store = self.stage.store
        self.cores: dict[str, float] = {}
        assert self.stage.metrics is not None
        self.stage.metrics.add_source(self)
        self.stage.load(objects or (target(), running("web-0"), running("web-1"), autoscaler()))

    @property
    def board(self) -> Board:
        """What the metrics APIs serve."""
        assert self.stage.metrics is not None
        return self.stage.metrics.board

    def used(self) -> dict[str, dict[str, Used]]:
        """Every named pod has used its cores since time zero."""
        now_ns = self.stage.clock.now_ns
        return {
            f"default/{name}": {"main": Used(0, cores * now_ns, 2.0**20)}
            for name, cores in self.cores.items()
        }

    def hpa(self, name: str = "web") -> Json:
        """An autoscaler as it is now."""
        return self.store.get(HPA, name)

    def reasons(self, name: str = "web") -> dict[str, str]:
        """The reasons of the conditions of an autoscaler, by type."""
        conditions = (self.hpa(name).get("status") or {}).get("conditions") or ()
        return {each["type"]: each["reason"] for each in conditions}

    def replicas(self, name: str = "web") -> int:
        """What a Deployment is asked for."""
        found: int = self.store.get(("apps/v1", "Deployment"), name)["spec"]["replicas"]
        return found


def autoscaler(name: str = "web", **parts: Any) -> Json:
    """An autoscaler that wants half of the CPU to be used."""
    return make_horizontal_pod_autoscaler(name, **{"cpu_utilization": 50, **parts})
