"""The same 15 minutes twice: once with the HPA's rules, once with those of ``trend.py``.

Run as ``python main.py``.
"""

import pathlib
from typing import Any

from trend import Trend

from kubestage.results.life.recorder import LifeRecorder
from kubestage.stage import Stage

HERE = pathlib.Path(__file__).parent
SECOND = 1_000_000_000


def simulate(autoscalers: dict[str, type[Trend]]) -> dict[str, Any]:
    """The summary of a run with these autoscalers."""
    stage = Stage(seed=0)
    stage.load((HERE / "cluster.yaml").read_text())
    stage.add_scheduler()
    stage.add_controllers(autoscalers=autoscalers)
    recorder = LifeRecorder(stage.store, stage.environment, 2 * SECOND, stage)
    recorder.start()
    for name in ("web.yaml", "traffic.yaml"):
        stage.apply((HERE / name).read_text())
    stage.run("15m")
    return recorder.end(version="example", seed=stage.seed).summary


print("AUTOSCALER   REQUESTS   FAILED   P50     P99     REPLICA-HOURS   RESCALES")
for name, autoscalers in {"HPA": {}, "Trend": {"default/web": Trend}}.items():
    summary = simulate(autoscalers)
    (requests,), (scaled,) = summary["traffic"], summary["autoscalers"]
    response_ms = requests["responseMs"]
    print(
        f"{name:<12} {requests['requests']:<10} {requests['failed']:<8} {response_ms['p50']:<7.0f}"
        f" {response_ms['p99']:<7.0f} {summary['replicaHours']:<15.2f} {scaled['rescales']}"
    )
