"""What ClusterLoader2's own tuning sets did on a fake clock, ours do."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.clusterloader import config
from kubestage.golang import durations
from tests.clusterloader.tuning.paced import DrawnStreams, Paced
from tests.golden import vectors

RECORDED = [
    entry for entry in vectors.load("cl2-percentiles") if entry["in"]["kind"] == "tuningSet"
]


def tuning_set(spec: dict[str, Any]) -> config.TuningSet:
    """A recorded tuning set as ours."""
    kind, told = next((key, each) for key, each in spec.items() if key.endswith("Load") and each)
    loads: dict[str, config.Load] = {}
    if kind == "qpsLoad":
        loads[kind] = config.QpsLoad(told["qps"])
    elif kind == "randomizedLoad":
        loads[kind] = config.RandomizedLoad(told["averageQps"])
    elif kind == "steppedLoad":
        delay_ns = durations.parse_duration(told["stepDelay"])
        loads[kind] = config.SteppedLoad(told["burstSize"], delay_ns)
    elif kind == "timeLimitedLoad":
        loads[kind] = config.TimeLimitedLoad(durations.parse_duration(told["timeLimit"]))
    elif kind == "randomizedTimeLimitedLoad":
        loads[kind] = config.RandomizedTimeLimitedLoad(durations.parse_duration(told["timeLimit"]))
    elif kind == "parallelismLimitedLoad":
        loads[kind] = config.ParallelismLimitedLoad(told["parallelismLimit"])
    elif kind == "globalQPSLoad":
        loads[kind] = config.GlobalQpsLoad(told["qps"], told["burst"])
    elif kind == "poissonLoad":
        loads[kind] = config.PoissonLoad(told["expectedActionsPerSecond"])
    return config.TuningSet(spec["name"], loads[kind])


@pytest.mark.parametrize("index", range(len(RECORDED)))
def test_actions_begin_and_phases_end_when_they_did(index: int) -> None:
    given, wanted = RECORDED[index]["in"], RECORDED[index]["out"]
    paced = Paced([tuning_set(given["tuningSet"])], DrawnStreams(given.get("randoms") or []))
    took_ns = given.get("durationsNs") or [0] * given["actions"]
    # The limiter of the original computes with the time since year 1.
    tolerance_ns = 2_000 if given["tuningSet"]["globalQPSLoad"] else 0
    for starts, end_ns in zip(wanted["startOffsetsNs"], wanted["returnNs"], strict=True):
        paced.begun.clear()
        paced.execute("ts", took_ns)
        paced.run()
        assert paced.starts == pytest.approx(starts, rel=0, abs=tolerance_ns)
        assert paced.finished[-1] == pytest.approx(end_ns, rel=0, abs=tolerance_ns)
