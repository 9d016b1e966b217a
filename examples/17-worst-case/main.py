"""Adds the worst possible event to a Scenario, step by step, until a pod finds no node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import Stage
from kubestage.objects.patches import PatchType
from kubestage.results import analysis
from kubestage.scenario.resource import API_VERSION, SCENARIO
from kubestage.testing import make_deployment, make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.results.analysis import ClusterState, Summary


NAME = "worst-case"
ZONES = "abcabc"
EVEN_ZONES = {
    "topologyKey": "topology.kubernetes.io/zone",
    "maxSkew": 1,
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "web"}},
}


def create(obj: Json) -> Json:
    return {"operation": "Create", "createOperation": {"object": obj}}


def lose(node: str) -> Json:
    target = {"typeMeta": {"apiVersion": "v1", "kind": "Node"}, "objectMeta": {"name": node}}
    return {"operation": "Delete", "deleteOperation": target}


def scale(deployment: str, replicas: int) -> Json:
    target = {
        "typeMeta": {"apiVersion": "apps/v1", "kind": "Deployment"},
        "objectMeta": {"name": deployment, "namespace": "default"},
    }
    patch = f'{{"spec": {{"replicas": {replicas}}}}}'
    return {"operation": "Patch", "patchOperation": {**target, "patch": patch}}


DONE = {"operation": "Done", "doneOperation": {"done": True}}


def in_step(step: int, events: Iterable[Json]) -> list[Json]:
    return [{"id": f"{step}-{at}", "step": step, **event} for at, event in enumerate(events)]


def initial_events() -> Json:
    """Six nodes in three zones, and work that needs less than a third of them; no Done."""
    nodes = [make_node(f"node-{at}", cpu="4", zone=zone) for at, zone in enumerate(ZONES, 1)]
    web = make_pod("web", labels={"app": "web"}, cpu="500m")
    web["spec"]["topologySpreadConstraints"] = [EVEN_ZONES]
    work = [
        make_deployment("web", replicas=6, pod=web),
        make_deployment("batch", replicas=4, cpu="1"),
    ]
    return {
        "apiVersion": API_VERSION,
        "kind": "Scenario",
        "metadata": {"name": NAME},
        "spec": {"stepDuration": "5m", "events": in_step(0, map(create, [*nodes, *work]))},
    }


def add_event(stage: Stage, step: int, event: Json) -> None:
    """Add an event to the Scenario, which is Paused, and let it run until it is Paused again."""
    added = {"spec": {"events": in_step(step, [event])}}
    stage.store.patch(SCENARIO, NAME, added, patch_type=PatchType.STRATEGIC)
    stage.run_scenarios()


def state_of(stage: Stage) -> ClusterState:
    """The cluster at the end of the last step, according to the Scenario's status."""
    *_, (_, state) = analysis.step_ends(stage.store.get(SCENARIO, NAME))
    return state


def largest_free(stage: Stage) -> int:
    return max(node.free("cpu") for node in state_of(stage).nodes.values())


def summary_of(stage: Stage) -> Summary:
    return analysis.summary(stage.store.get(SCENARIO, NAME))


def candidates(stage: Stage, step: int) -> dict[str, Json]:
    """Possible events: a node is lost, a large pod is added, or the shop needs more pods."""
    found = {f"{node} is lost": lose(node) for node in state_of(stage).nodes}
    free = largest_free(stage)
    found[f"a pod of {free}m"] = create(make_pod(f"large-{step}", cpu=f"{free}m"))
    replicas = stage.store.get(("apps/v1", "Deployment"), "web")["spec"]["replicas"]
    found["web needs 3 more"] = scale("web", replicas + 3)
    return found


def harm(stage: Stage, step: int, event: Json) -> tuple[int, int]:
    """How bad an event would be: pods without a node, then the largest free CPU of one node."""
    trial = stage.fork()
    add_event(trial, step, event)
    return summary_of(trial).pending, -largest_free(trial)


def report(stage: Stage, step: int, event: str) -> None:
    summary = summary_of(stage)
    free, rate = f"{largest_free(stage)}m", summary.resources["cpu"].rate or 0
    print(f"{step:<4}  {event:<17}  {summary.nodes:<5}  {summary.scheduled:<9}", end="")
    print(f"  {summary.pending:<7}  {rate:<9.1%}  {free}")


def started() -> Stage:
    """A stage on which the Scenario is Paused for the first time."""
    stage = Stage(seed=7)
    stage.add_scheduler()
    stage.add_controllers()
    stage.store.create(initial_events())
    stage.run_scenarios()
    return stage


def make_it_worse(stage: Stage) -> None:
    """Add the worst event, step by step, until a pod finds no node; then Done."""
    step = 0
    while not summary_of(stage).pending:
        step += 1
        events = candidates(stage, step)
        harms = {name: harm(stage, step, event) for name, event in events.items()}
        worst = max(harms, key=harms.__getitem__)
        add_event(stage, step, events[worst])
        report(stage, step, worst)
    add_event(stage, step + 1, DONE)


def main() -> None:
    stage = started()
    print("STEP  WORST EVENT        NODES  SCHEDULED  PENDING  ALLOCATED  LARGEST FREE")
    report(stage, 0, "-")
    make_it_worse(stage)
    scenario = stage.store.get(SCENARIO, NAME)
    print(f"\nThe Scenario has {scenario['status']['phase']}. Pending pods:")
    for row in analysis.table(scenario, "pending").records():
        if row["status"] == "Pending":
            print(f"  {row['pod']}\n    {row['message']}")


if __name__ == "__main__":
    main()
