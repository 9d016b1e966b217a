"""The same quarter of an hour twice: once with the HPA's rules, once with those of ``trend.py``.

Run as ``python main.py``.
"""

import pathlib
from typing import Any

from trend import Trend

from kubestage.results.life.recorder import LifeRecorder
from kubestage.stage import Stage

HERE = pathlib.Path(__file__).parent
SECOND = 1_000_000_000


def lived(autoscalers: dict[str, type[Trend]]) -> dict[str, Any]:
    """What came of it, in a few numbers."""
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
for who, brought in {"HPA": {}, "Trend": {"default/web": Trend}}.items():
    summary = lived(brought)
    (requests,), (scaled,) = summary["traffic"], summary["autoscalers"]
    took = requests["responseMs"]
    print(
        f"{who:<12} {requests['requests']:<10} {requests['failed']:<8} {took['p50']:<7.0f}"
        f" {took['p99']:<7.0f} {summary['replicaHours']:<15.2f} {scaled['rescales']}"
    )
