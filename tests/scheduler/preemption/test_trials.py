"""What is kept of dry runs is what a dry run would come to now."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any

import hypothesis
import msgspec
import numpy as np
from hypothesis import strategies as st

from kubestage.objects.views import budget as budget_views
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.preemption import candidates, trials
from kubestage.scheduler.preemption.preemptor import Preemptor
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.runtime import Profile
from tests.reference import default_preemption as twin
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.status import Status

NODES = 3


class Budgets(ReplayCluster):
    """A cluster whose budgets may be others from one look to the next."""

    budgets: Sequence[Json] = ()

    def list(self, api_version: str, kind: str, namespace: str | None = None) -> Any:
        if kind == "PodDisruptionBudget":
            return self.budgets
        return super().list(api_version, kind, namespace)


class Changing:
    """Three nodes on which all sorts of things happen, and two pods that need room alike."""

    def __init__(self) -> None:
        self.cache, self.nominator = Cache(), Nominator()
        self.cluster = Budgets([], self.cache)
        handle = Handle(self.cluster, self.cluster, self.nominator, random.Random(0), self.cache)
        fit = NodeResourcesFit(crowd.FIT, handle)
        self.profile = Profile("default-scheduler", {"preFilter": [fit], "filter": [fit]}, {})
        self.on: dict[str, PodView] = {}
        self.incoming = [_pod(name, cpu=2, priority=10) for name in ("one", "other")]
        for number in range(NODES):
            self.offer(number, 4)

    def offer(self, number: int, cpu: int) -> None:
        """Change what a node has."""
        self.cache.add_node(node_views.of(crowd.node(f"node-{number}", cpu)))

    def put(self, pod: PodView) -> None:
        """A pod comes, or another version of it."""
        self.on[pod.name] = pod
        self.cache.add_pod(pod)

    def start(self, name: str, start: int) -> None:
        """A pod on a node tells when it started."""
        raw = {**self.on[name].raw, "status": {"startTime": f"2026-01-01T00:00:{start:02}Z"}}
        self.on[name] = msgspec.structs.replace(self.on[name], raw=raw)
        self.cache.refresh_pod(self.on[name])

    def remove(self, name: str) -> None:
        """A pod goes."""
        self.cache.remove_pod(self.on.pop(name).uid)

    def found(self, pod: PodView) -> dict[str, Any]:
        """The dry runs on all nodes, kept ones among them."""
        columns, state = self.cache.columns, CycleState()
        self.profile.run_pre_filter(state, pod, columns)
        preemptor = Preemptor(pod, self.profile, state, self.nominator, self.cluster)
        _, runs = candidates.find(preemptor, columns, np.arange(NODES), NODES)
        return {
            name: (run.status.reasons, [each.uid for each in run.victims], run.pdb_violations)
            for name, run in runs.by_node().items()
        }

    def expected(self, pod: PodView) -> dict[str, Any]:
        """The same by the twin, which knows nothing of the past."""
        found = {}
        budgets = [budget_views.of(each) for each in self.cluster.budgets]
        for info in self.cache.columns.infos:
            status, victims, violations = twin.dry_run(
                pod,
                list(info.pods.values()),
                self.nominator.on(info.name),
                budgets,
                functools.partial(self._fits, pod, info),
            )
            reasons = status.reasons
            if status.is_success and not victims:
                reasons = (f'expected at least one victim pod on node "{info.name}"',)
            found[info.name] = reasons, [each.uid for each in victims], violations
        return found

    def _fits(self, pod: PodView, info: NodeInfo, present: Sequence[PodView]) -> Status:
        alone = NodeInfo(info.view)
        for each in present:
            alone.add(each)
        columns, state = Columns([alone]), CycleState()
        self.profile.run_pre_filter(state, pod, columns)
        return self.profile.filter_one(state, pod, columns, 0)


def _pod(name: str, on: str = "", **more: Any) -> PodView:
    return pod_views.of(crowd.pod(name, on, **more))


def _change(stage: Changing, data: st.DataObject, step: int) -> None:
    where = data.draw(st.integers(0, NODES - 1))
    what = data.draw(st.sampled_from(["pod", "pod", "start", "go", "promise", "node", "budget"]))
    if what == "pod" or (what in ("start", "go") and not stage.on):
        priority = data.draw(st.sampled_from([0, 5, 20]))
        cpu, start = data.draw(st.integers(1, 2)), data.draw(st.sampled_from([None, 1, 2]))
        labels = {"app": data.draw(st.sampled_from(["web", "db"]))}
        more = {"cpu": cpu, "priority": priority, "start": start, "labels": labels}
        stage.put(_pod(f"pod-{step}", f"node-{where}", **more))
    elif what == "start":
        stage.start(data.draw(st.sampled_from(sorted(stage.on))), data.draw(st.integers(1, 9)))
    elif what == "go":
        stage.remove(data.draw(st.sampled_from(sorted(stage.on))))
    elif what == "promise":
        nominated = [*stage.incoming, _pod("strong", cpu=1, priority=20), _pod("weak", cpu=1)]
        node_name = data.draw(st.sampled_from(["", f"node-{where}"]))
        stage.nominator.add(data.draw(st.sampled_from(nominated)), node_name)
    elif what == "node":
        stage.offer(where, data.draw(st.integers(2, 5)))
    else:
        allowed = data.draw(st.lists(st.integers(0, 1), max_size=2))
        stage.cluster.budgets = [
            crowd.budget(f"budget-{at}", left, app="web") for at, left in enumerate(allowed)
        ]


@hypothesis.given(st.data())
def test_kept_dry_runs_follow_all_that_happens(data: st.DataObject) -> None:
    stage = Changing()
    for step in range(data.draw(st.integers(1, 12))):
        _change(stage, data, step)
        for pod in stage.incoming:
            assert stage.found(pod) == stage.expected(pod)


def test_a_dry_run_is_made_once_for_pods_of_one_template() -> None:
    stage = Changing()
    stage.put(_pod("pod", "node-0", cpu=3))
    one, other = stage.incoming
    stage.found(one)
    kept = _trials(stage, one)
    before = kept.trials[0]
    assert before is not None
    stage.found(other)
    assert kept is _trials(stage, other)
    assert kept.trials[0] is before
    stage.start("pod", 7)
    stage.found(other)
    after = kept.trials[0]
    assert after is not None
    assert after is not before
    assert after[0].victims == (stage.on["pod"],)


def _trials(stage: Changing, pod: PodView) -> trials.Trials:
    state = CycleState()
    return trials.trials_for(
        Preemptor(pod, stage.profile, state, stage.nominator, stage.cluster), stage.cache.columns
    )
