"""An autoscaler, a workload and its load, each an answer to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import hypothesis
from hypothesis import strategies as st

from kubestage.controllers import pods
from kubestage.controllers.hpa.context import Scale, Snapshot
from kubestage.controllers.hpa.reconcile import HorizontalAutoscaler
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.metrics.samples import Used
from kubestage.objects import defaulting
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.controllers.hpa.scene import HPA, autoscaler
from tests.controllers.hpa.test_replica_count import NOW_NS, SECOND_NS, Known, fleet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


DEPLOYMENT: Final = ("apps/v1", "Deployment")


class SharedLoad:
    """Cores that are shared by all pods that were ready at the last look."""

    def __init__(self, stage: Stage, cores: float) -> None:
        self.cores = cores
        self._stage = stage
        self._used: dict[str, Used] = {}
        self._last_ns = 0

    def used(self) -> Mapping[str, Mapping[str, Used]]:
        """What each has used since it was first seen."""
        now_ns = self._stage.clock.now_ns
        everybody = self._stage.store.read(pods.POD)
        ready = [key for key, pod in everybody.items() if pods.is_ready(pod)]
        known = [key for key in ready if key in self._used]
        for key in known:
            share = self.cores * (now_ns - self._last_ns) / len(known)
            before = self._used[key]
            self._used[key] = Used(before.started_ns, before.cpu_core_ns + share, 0.0)
        for key in ready:
            self._used.setdefault(key, Used(now_ns, 0.0, 0.0))
        self._last_ns = now_ns
        return {key: {"app": self._used[key]} for key in ready}


def test_replicas_follow_the_load_up_at_once_and_down_when_it_has_been_low_for_long() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    load = SharedLoad(stage, 3.0)
    assert stage.metrics is not None
    stage.metrics.add_source(load)
    stage.apply([make_node("n1", cpu="32"), make_deployment(replicas=2, cpu="1"), autoscaler()])
    stage.run("3m")
    assert stage.store.get(DEPLOYMENT, "web")["status"]["readyReplicas"] == 6
    load.cores = 1.0
    stage.run("4m")
    status = stage.store.get(HPA, "web")["status"]
    assert (status["currentReplicas"], status["conditions"][0]["reason"]) == (
        6,
        "ScaleDownStabilized",
    )
    stage.run("2m")
    assert stage.store.get(DEPLOYMENT, "web")["status"]["readyReplicas"] == 2


@hypothesis.given(
    replicas=st.integers(1, 40),
    usages=st.lists(st.integers(0, 3000), min_size=1, max_size=40),
    lowest=st.integers(1, 20),
    room=st.integers(0, 20),
    is_mannered=st.booleans(),
)
def test_what_is_asked_for_is_always_within_bounds(
    replicas: int, usages: list[int], lowest: int, room: int, is_mannered: bool
) -> None:
    made = autoscaler(min_replicas=lowest, max_replicas=lowest + room)
    if is_mannered:
        made["spec"]["behavior"] = {}
    hpa: Json = defaulting.default(made)
    eager = HorizontalAutoscaler(HpaSettings())
    for step, usage in enumerate(usages):
        client = Known({f"p{number}": usage for number in range(replicas)})
        context = Snapshot(Scale(replicas, replicas, "app=web"), fleet(replicas), client)
        result = eager.sync(NOW_NS + step * 15 * SECOND_NS, hpa, context)
        assert result.error is None
        assert result.scaled_to != replicas
        replicas = result.scaled_to or replicas
        assert lowest <= replicas <= lowest + room
        hpa = {**hpa, "status": result.status.as_json()}
