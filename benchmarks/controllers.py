"""Living clusters: a large Deployment, a week of CronJobs, an idle week.

Run it with ``python benchmarks/controllers.py``; each case says what it must stay under.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from typing import TYPE_CHECKING, Any

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_node

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json


def _stage(nodes: int, launch_delay: str = "1s") -> Stage:
    stage = Stage()
    stage.load(
        make_node(f"node-{number:04}", cpu="32", memory="128Gi", pods=110)
        for number in range(nodes)
    )
    stage.add_scheduler()
    settings = Settings(kubelet=KubeletSettings(launch_delay=launch_delay))
    stage.add_controllers(settings)
    stage.run("1s")
    return stage


def _deployment(replicas: int) -> Json:
    container = {"name": "c", "image": "web:v1", "resources": {"requests": {"cpu": "100m"}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [container]},
            },
        },
    }


def _cron_job(number: int, schedule: str) -> Json:
    container = {"name": "c", "image": "job:v1", "resources": {"requests": {"cpu": "500m"}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": f"cron-{number:03}"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": {"template": template}}},
    }


def _ready(stage: Stage) -> int:
    found = stage.store.get(("apps/v1", "Deployment"), "web")
    count: int = found["status"].get("readyReplicas", 0)
    return count


def rollout(launch_delay: str) -> Callable[[], str]:
    """10,000 replicas on 1,000 nodes, from the manifest to the last one Ready."""

    def case() -> str:
        stage = _stage(1_000, launch_delay)
        began = time.perf_counter()
        stage.apply([_deployment(10_000)])
        stage.run("5m")
        took = time.perf_counter() - began
        assert _ready(stage) == 10_000
        return f"{took:5.2f} s"

    return case


def _count_jobs(stage: Stage) -> Callable[[], int]:
    seen = 0

    def count(change: Any) -> None:
        nonlocal seen
        seen += change.type == "ADDED" and change.kind.kind == "Job"

    stage.store.subscribe(count)
    return lambda: seen


def week_of_cron_jobs() -> str:
    """A week of 1,000 nodes and 100 CronJobs that run every hour."""
    stage = _stage(1_000)
    jobs = _count_jobs(stage)
    began = time.perf_counter()
    stage.apply([_cron_job(number, f"{number % 60} * * * *") for number in range(100)])
    stage.run("168h")
    took = time.perf_counter() - began
    return f"{took:5.2f} s for {jobs():,} jobs"


def idle_week() -> str:
    """A week in which nothing happens, on 1,000 nodes with 10,000 pods."""
    stage = _stage(1_000)
    stage.apply([_deployment(10_000)])
    stage.run("5m")
    before = stage.environment.completed_count
    began = time.perf_counter()
    stage.run("168h")
    took = time.perf_counter() - began
    moved = stage.environment.completed_count - before
    return f"{took * 1000:5.2f} ms, {moved} movements"


CASES: dict[str, tuple[Callable[[], str], str]] = {
    "rollout-10000": (rollout("1s"), "under 5 s"),
    "rollout-10000-spread": (rollout("normal(60s,20s)"), "under 5 s"),
    "week-100-cronjobs": (week_of_cron_jobs, "under 60 s"),
    "idle-week": (idle_week, "nothing"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="all by default")
    parser.add_argument("--profile", action="store_true", help="where the time goes")
    arguments = parser.parse_args()
    for name in arguments.cases or CASES:
        case, bound = CASES[name]
        if arguments.profile:
            profile = cProfile.Profile()
            figure = profile.runcall(case)
            pstats.Stats(profile).sort_stats("tottime").print_stats(35)
        else:
            figure = case()
        print(f"{name:24} {figure:32} ({bound})", flush=True)


if __name__ == "__main__":
    main()
