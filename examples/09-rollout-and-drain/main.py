"""A rollout that gets stuck, a drain that a budget refuses, and how to fix both."""

from __future__ import annotations

import pathlib
from typing import Any

from kubestage import Stage
from kubestage.errors import TooManyRequests

FOLDER = pathlib.Path(__file__).parent
NODE, POD = ("v1", "Node"), ("v1", "Pod")
DEPLOYMENT, BUDGET = ("apps/v1", "Deployment"), ("policy/v1", "PodDisruptionBudget")
SECOND_NS = 1_000_000_000


def report(stage: Stage, what: str) -> None:
    """Print one line: the time, the state, and what happened."""
    versions: dict[str, list[bool]] = {"v1": [], "v2": []}
    for pod in stage.store.list(POD, label_selector="app=web").items:
        if "deletionTimestamp" not in pod["metadata"]:
            versions[pod["metadata"]["labels"]["version"]].append(is_ready(pod))
    counts = [f"{sum(ready)}/{len(ready)}" for ready in versions.values()]
    budget = stage.store.get(BUDGET, "web").get("status") or {}
    allowed = budget.get("disruptionsAllowed", 0)
    seconds = stage.clock.now_ns // SECOND_NS
    print(f"{seconds:>5}s  {counts[0]:<9} {counts[1]:<9} {allowed:<8} {what}")


def condition(obj: dict[str, Any], kind: str) -> dict[str, Any]:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == kind), {})


def is_ready(pod: dict[str, Any]) -> bool:
    return condition(pod, "Ready").get("status") == "True"


def crashes(stage: Stage) -> int:
    pods = stage.store.list(POD, label_selector="version=v2").items
    return sum(each["restartCount"] for pod in pods for each in pod["status"]["containerStatuses"])


def apply(stage: Stage, name: str) -> None:
    stage.apply((FOLDER / name).read_text())
    stage.run("1s")
    report(stage, f"{name} was applied a second ago")


def wait(stage: Stage, duration: str, what: str) -> None:
    stage.run(duration)
    report(stage, what)


def drain(stage: Stage, node: str, attempts: int) -> bool:
    """As ``kubectl drain``: no new pods, then one eviction after the other, tried every 5 s."""
    stage.store.patch(NODE, node, {"spec": {"unschedulable": True}})
    report(stage, f"{node} is cordoned")
    selector = f"spec.nodeName={node}"
    for pod in stage.store.list(POD, field_selector=selector).items:
        name, version = pod["metadata"]["name"], pod["metadata"]["labels"]["version"]
        for attempt in range(attempts):
            try:
                stage.store.evict(name)
            except TooManyRequests as refusal:
                if attempt == 0:
                    reason = refusal.details["causes"][0]["message"]
                    report(stage, f"{refusal.code}, a {version} pod stays: {reason}")
                stage.run("5s")
            else:
                report(stage, f"a {version} pod is evicted")
                break
        else:
            report(stage, f"drain gives up after {attempts} attempts")
            return False
    stage.run("30s")
    left = len(stage.store.list(POD, field_selector=selector).items)
    report(stage, f"{node} is drained: {left} pods left")
    return True


def main() -> None:
    print("  TIME  v1 READY  v2 READY  ALLOWED  WHAT HAPPENED")
    stage = Stage(seed=7)
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply((FOLDER / "cluster.yaml").read_text())
    apply(stage, "web-v1.yaml")
    wait(stage, "30s", "v1 is up")

    apply(stage, "web-v2.yaml")
    wait(stage, "30s", "the rollout is at its limits: 5 pods, 3 of them available")
    stage.run("5m")
    report(stage, f"no progress: v2 restarted {crashes(stage)} times, v1 may not go below 3")
    drain(stage, "node-1", attempts=3)
    stage.run("10m")
    progress = condition(stage.store.get(DEPLOYMENT, "web"), "Progressing")
    report(stage, f"the Deployment is Progressing={progress['status']}: {progress['reason']}")

    apply(stage, "web-v1.yaml")
    wait(stage, "30s", "v1 is complete again")
    drain(stage, "node-1", attempts=20)


if __name__ == "__main__":
    main()
