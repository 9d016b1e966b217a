from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.controllers import pods
from kubestage.testing import make_daemon_set, make_pod, make_pod_disruption_budget
from tests.controllers.node_autoscaler.clusters import (
    GROUP,
    NODE,
    POD,
    make_group,
    make_web,
    nodes,
    scale,
    staged,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.log import Change


_HOST = "kubernetes.io/hostname"
_ZONE = "topology.kubernetes.io/zone"


class Watcher:
    """Sees to it that no rule is broken at any time."""

    def __init__(self, stage: Stage, groups: list[Json], budgets: dict[str, int]) -> None:
        self._stage = stage
        self._sizes = {
            group["metadata"]["name"]: (group["spec"]["minSize"], group["spec"]["maxSize"])
            for group in groups
        }
        self._budgets = budgets
        self._settled: set[str] = set()
        stage.store.subscribe(self._on_change, [("", "Node"), ("", "Pod")])

    def _on_change(self, change: Change) -> None:
        if change.kind.kind == "Node":
            for name, (least, most) in self._sizes.items():
                size = len(nodes(self._stage, name))
                assert size <= most
                if change.type == "DELETED":
                    assert size >= least
            return
        for name, least in self._budgets.items():
            ready = sum(
                pods.is_ready(pod) and not pods.is_terminating(pod)
                for pod in self._stage.store.read(POD).values()
                if (pod["metadata"].get("labels") or {}).get("app") == name
            )
            if ready >= least:
                self._settled.add(name)
            elif name in self._settled:
                raise AssertionError(f"{name} has {ready} pods that are ready, and wants {least}")


def _workload(luck: random.Random, name: str) -> tuple[Json, int]:
    replicas = luck.randint(1, 12)
    parts: Json = {}
    selector = {"labelSelector": {"matchLabels": {"app": name}}}
    choice = luck.random()
    if choice < 0.2:
        key = luck.choice([_HOST, _ZONE])
        term = {"maxSkew": 2, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", **selector}
        parts["topology_spread_constraints"] = [term]
    elif choice < 0.35:
        terms = [{"topologyKey": _HOST, **selector}]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
        parts["affinity"] = {"podAntiAffinity": required}
    elif choice < 0.45:
        note = luck.choice(["true", "false"])
        parts["annotations"] = {"cluster-autoscaler.kubernetes.io/safe-to-evict": note}
    cpu = f"{luck.randint(1, 15) * 100}m"
    return make_web(
        replicas, cpu=cpu, memory=f"{luck.randint(1, 6)}Gi", name=name, **parts
    ), replicas


def _groups(luck: random.Random) -> list[Json]:
    made = []
    for number in range(luck.randint(1, 3)):
        least = luck.randint(0, 2)
        made.append(
            make_group(
                f"g{number}",
                cpu=luck.choice(["2", "4", "8"]),
                minSize=least,
                maxSize=luck.randint(40, 60),
                initialSize=luck.randint(least, 4),
                price=luck.choice([0.1, 0.2]),
                provisionDelay=luck.choice(["0s", "30s", "normal(60s,30s)"]),
                labels={_ZONE: luck.choice(["z1", "z2"])},
            )
        )
    return made


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(seed=st.integers(0, 10**6))
def test_sizes_and_budgets_hold_at_any_time_and_all_comes_to_rest(seed: int) -> None:
    luck = random.Random(seed)
    groups = _groups(luck)
    workloads = {f"w{number}": _workload(luck, f"w{number}") for number in range(3)}
    budgets = {
        name: max(replicas - luck.randint(1, 2), 0)
        for name, (_, replicas) in workloads.items()
        if luck.random() < 0.6
    }
    objects = [
        *groups,
        *(web for web, _ in workloads.values()),
        *(make_pod_disruption_budget(name, min_available=least) for name, least in budgets.items()),
    ]
    if luck.random() < 0.5:
        objects.append(make_daemon_set("agent", pod=make_pod(cpu="200m", labels={"app": "agent"})))
    chain = luck.choice(["least-waste", "price,random", "most-pods,least-nodes", "random"])
    stage = staged(
        *objects,
        seed=seed,
        expander=chain,
        scale_down_delay_after_add_ns=60 * 10**9,
        scale_down_unneeded_time_ns=180 * 10**9,
    )
    Watcher(stage, groups, budgets)
    stage.run("8m")
    for name, (_, replicas) in workloads.items():
        # A ReplicaSet that is made smaller heeds no budget.
        least = 0 if name in budgets else -6
        scale(stage, max(replicas + luck.randint(least, 6), 0), name)
        stage.run("5m")
    stage.run("30m")

    def still() -> list[Any]:
        places = {
            pod["metadata"]["name"]: pod["spec"].get("nodeName")
            for pod in stage.store.list(POD).items
        }
        return [stage.store.list(NODE).items, stage.store.list(GROUP).items, places]

    before = still()
    stage.run("10m")
    assert still() == before
    spread_out = any(
        each.get("topologyKey") == _ZONE
        for web, _ in workloads.values()
        for each in web["spec"]["template"]["spec"].get("topologySpreadConstraints") or ()
    )
    waiting = [
        pod["metadata"]["name"]
        for pod in stage.store.list(POD).items
        if not pod["spec"].get("nodeName") and pod["metadata"]["labels"]["app"] != "agent"
    ]
    assert spread_out or not waiting


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(seed=st.integers(0, 10**6))
def test_where_one_provider_has_no_machines_another_group_helps_in_the_end(seed: int) -> None:
    luck = random.Random(seed)
    short = [
        make_group(
            f"g{number}",
            maxSize=luck.randint(2, 30),
            priority=9,
            available=luck.randint(0, 3),
            shortage=luck.choice(["absent", "error", "refuse"]),
            options=luck.choice(
                [{}, {"maxNodeProvisionTime": "2m"}, {"scaleDownUnneededTime": "1m"}]
            ),
            provisionDelay=luck.choice(["1s", "30s"]),
            readyDelay=luck.choice(["0s", "20s"]),
        )
        for number in range(luck.randint(1, 2))
    ]
    web = make_web(luck.randint(1, 40), cpu=f"{luck.randint(5, 30) * 100}m")
    stage = staged(*short, make_group("rest", maxSize=60), web, seed=seed, expander="priority")
    stage.run("90m")
    assert not [pod for pod in stage.store.list(POD).items if not pod["spec"].get("nodeName")]
    for group in stage.store.list(GROUP).items:
        name, status = group["metadata"]["name"], group["status"]
        assert len(nodes(stage, name)) <= group["spec"].get("available", 60)
        assert (status["targetSize"], status["provisioning"]) == (len(nodes(stage, name)), 0)
