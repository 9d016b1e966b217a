"""Whatever the cluster: no eviction takes a budget below what it requires, at no moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.objects import gvk
from kubestage.runs import rehearse
from kubestage.runs.rehearse import DrainOptions, UpgradeOptions, draining, upgrading
from kubestage.runs.rehearse.drain_rules import DrainRules
from kubestage.runs.rehearse.draining import DrainPlan
from kubestage.runs.rehearse.node_drain import DrainSettings
from kubestage.runs.rehearse.replacement import ReplacementPlan
from kubestage.runs.rehearse.settling import is_ready
from kubestage.testing import make_deployment, make_pod_disruption_budget, make_stateful_set
from kubestage.units import SECOND_NS
from tests.runs.rehearse.clusters import cluster, nodes

if TYPE_CHECKING:
    from kubestage.runs.rehearse import Cluster
    from kubestage.stage import Stage
    from kubestage.store.log import Change

_SETTINGS = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
_AMOUNTS: Any = st.sampled_from([0, 1, 2, "25%", "50%", "100%"])
_FLAGS = DrainRules(force=True, ignore_daemonsets=True, delete_emptydir_data=True)


class _Watch:
    """Looks at every pod that starts to leave: how many healthy ones does its budget have left?"""

    def __init__(self, stage: Stage) -> None:
        self.broken: list[str] = []
        self.evictions = 0
        self._stage = stage
        stage.store.subscribe(self._on_pod, {("", "Pod")})

    def _on_pod(self, change: Change) -> None:
        if change.old is None or not _is_leaving(change.new) or _is_leaving(change.old):
            return
        self.evictions += 1
        metadata = change.new["metadata"]
        for budget in self._stage.store.read(gvk.POD_DISRUPTION_BUDGET).values():
            app = budget["spec"]["selector"]["matchLabels"]["app"]
            if metadata["labels"].get("app") == app and is_ready(change.old):
                left, required = self._healthy(app), _required(budget, self._desired(app))
                if left < required:
                    self.broken.append(f"{metadata['name']}: {left} of {required}")

    def _healthy(self, app: str) -> int:
        pods = self._stage.store.read(gvk.POD).values()
        mine = [pod for pod in pods if pod["metadata"]["labels"].get("app") == app]
        return sum(is_ready(pod) and not _is_leaving(pod) for pod in mine)

    def _desired(self, app: str) -> int:
        for kind in (gvk.DEPLOYMENT, gvk.STATEFUL_SET):
            found = self._stage.store.read(kind).get(f"default/{app}")
            if found is not None:
                return int(found["spec"]["replicas"])
        raise AssertionError(app)


def _is_leaving(pod: dict[str, Any]) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _required(budget: dict[str, Any], desired: int) -> int:
    """What a budget requires, by the rules of its documentation: shares are rounded up."""
    spec = budget["spec"]
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    if least is not None:
        return _amount(least, desired)
    return max(desired - _amount(most, desired), 0)


def _amount(stated: int | str, desired: int) -> int:
    if isinstance(stated, int):
        return stated
    return -(-int(stated.removesuffix("%")) * desired // 100)


@st.composite
def _clusters(draw: st.DrawFn) -> Cluster:
    objects = nodes(draw(st.integers(2, 4)), cpu="2")
    for name, make in (("web", make_deployment), ("db", make_stateful_set)):
        replicas = draw(st.integers(1, 4))
        milli = draw(st.sampled_from([300, 700, 1100]))
        objects.append(make(name, replicas=replicas, cpu=f"{milli}m"))
        field = draw(st.sampled_from(["min_available", "max_unavailable"]))
        objects.append(make_pod_disruption_budget(name, **{field: draw(_AMOUNTS)}))
    return cluster(*objects)


@_SETTINGS
@given(_clusters(), st.integers(1, 3), st.booleans())
def test_no_drain_breaks_a_budget(made: Cluster, parallel: int, rolling: bool) -> None:
    watch = _Watch(made.stage)
    plan = DrainPlan(
        nodes=sorted(made.stage.store.read(gvk.NODE)),
        subject="all",
        settings=DrainSettings(rules=_FLAGS),
        parallel=parallel,
        is_rolling=rolling,
    )
    result = draining.rehearse(made, plan)
    assert watch.broken == []
    assert watch.evictions == sum(each.evicted for each in result.nodes)


@_SETTINGS
@given(_clusters(), st.integers(0, 2), st.integers(0, 2), st.booleans())
def test_no_upgrade_breaks_a_budget(
    made: Cluster, surge: int, unavailable: int, blue_green: bool
) -> None:
    watch = _Watch(made.stage)
    plan = ReplacementPlan(
        nodes=sorted(made.stage.store.read(gvk.NODE)),
        settings=DrainSettings(rules=_FLAGS, timeout_ns=120 * SECOND_NS),
        surge=surge or int(not unavailable),
        max_unavailable=unavailable,
        is_blue_green=blue_green,
    )
    result = upgrading.rehearse(made, plan, "all")
    assert watch.broken == []
    assert watch.evictions >= sum(each.evicted for each in result.nodes)


def test_the_watch_sees_a_budget_that_is_broken() -> None:
    budget = make_pod_disruption_budget("web", min_available=2)
    made = cluster(*nodes(2), make_deployment("web", replicas=2, cpu="600m"), budget)
    watch = _Watch(made.stage)
    settings_ = DrainSettings(rules=_FLAGS, disable_eviction=True)
    draining.rehearse(made, DrainPlan(nodes=["n1"], subject="n1", settings=settings_))
    (broken,) = watch.broken
    assert broken.endswith(": 1 of 2")


def test_options_reach_the_drain() -> None:
    budget = make_pod_disruption_budget("web", min_available=1)
    made = cluster(*nodes(2), make_deployment("web", replicas=1, cpu="600m"), budget)
    assert not rehearse.drain(made, "n1", DrainOptions(timeout="1m")).nodes[0].is_drained
    assert not rehearse.upgrade(made, "n1", UpgradeOptions(timeout="1m")).replaced
