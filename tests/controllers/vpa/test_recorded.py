"""What the real recommender said, entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.vpa.aggregate_state import AggregateContainerState
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.errors import InputError
from tests.controllers.vpa import recorded
from tests.golden import vectors

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _entries(kind: str) -> list[Json]:
    return [each for each in vectors.load("vpa-histogram") if each["in"]["kind"] == kind]


@pytest.mark.parametrize("entry", _entries("buckets"), ids=lambda _: "")
def test_values_fall_into_the_recorded_buckets(entry: Json) -> None:
    asked, told = entry["in"], entry["out"]
    if "error" in told:
        with pytest.raises(InputError) as refusal:
            recorded.buckets_of(asked["options"])
        assert told["error"] in str(refusal.value)
        return
    buckets = recorded.buckets_of(asked["options"])
    starts = [buckets.start(bucket) for bucket in range(buckets.count)]
    assert buckets.count == told["numBuckets"]
    assert not recorded.same(list(map(float, told["starts"])), starts)
    assert [buckets.find(value) for value in asked["values"]] == told["findBucket"]


@pytest.mark.parametrize("entry", _entries("histogram"), ids=lambda _: "")
def test_histograms_answer_as_recorded(entry: Json) -> None:
    histogram = recorded.histogram_of(entry["in"])
    got = [recorded.operate(histogram, entry["in"], each) for each in entry["in"]["ops"]]
    assert not recorded.same(entry["out"]["results"], got)


@pytest.mark.parametrize("entry", _entries("estimator"), ids=lambda _: "")
def test_estimators_estimate_as_recorded(entry: Json) -> None:
    asked, told = entry["in"], entry["out"]
    state = AggregateContainerState(VpaSettings(), 0)
    for at, resource, amount in asked["samples"]:
        add = state.add_cpu if resource == "cpu" else state.add_peak
        add(amount, recorded.nanos(at))
    got = [
        {
            resource: recorded.estimator_of(each, resource).estimate(state, resource)
            for resource in ("cpu", "memory")
        }
        for each in asked["estimators"]
    ]
    assert got == told["estimations"]
    assert recorded.seconds(state.first_sample_ns) == told["firstSampleStart"]
    assert recorded.seconds(state.last_sample_ns) == told["lastSampleStart"]
    assert state.total_samples == told["totalSamplesCount"]


@pytest.mark.parametrize("entry", _entries("recommender"), ids=lambda _: "")
def test_recommendations_and_checkpoints_are_the_recorded_ones(entry: Json) -> None:
    replay = recorded.Replay(entry["in"])
    replay.play(entry["in"]["events"])
    assert not recorded.same(entry["out"]["results"], replay.results)
    assert replay.dropped == (entry["out"]["droppedEvents"] or [])
