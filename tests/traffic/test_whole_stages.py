"""Whole stages come to the same, however requests are worked through and time is cut up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.traffic import stages, worlds

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json

EVENT = ("v1", "Event")


def outcome(stage: Stage) -> Json:
    assert stage.traffic is not None
    records = stage.traffic.records()
    kinds = (stages.POD, stages.DEPLOYMENT, stages.TRAFFIC, worlds.AUTOSCALER, EVENT)
    return {
        "tables": {title: record.table() for title, record in records.items()},
        "summaries": {title: record.summary() for title, record in records.items()},
        "responses": {title: record.responses() for title, record in records.items()},
        "replicas": {
            key: stream.requests.replicas() for key, stream in stage.traffic.streams.items()
        },
        "objects": {kind[1]: stage.store.read(kind) for kind in kinds},
    }


@pytest.mark.parametrize("seed", range(8))
def test_in_bulk_and_movement_by_movement_at_once_and_in_pieces(seed: int) -> None:
    expected = outcome(worlds.live(seed, traces=True, cuts=False))
    assert outcome(worlds.live(seed, traces=False, cuts=False)) == expected
    assert outcome(worlds.live(seed, traces=False, cuts=True)) == expected
    assert outcome(worlds.live(seed, traces=True, cuts=True)) == expected


@pytest.mark.parametrize("traces", [False, True])
def test_who_arrives_when_a_run_ends_has_arrived_and_changes_come_after(traces: bool) -> None:
    one_a_second = stages.traffic({"constant": {"rps": 1}}, request={"cpu": "0s", "io": "500ms"})
    stage = stages.living(stages.deployment(1), one_a_second, traces=traces)
    stage.run("10s")
    assert stage.traffic is not None
    record = stage.traffic.records()["default/load"]
    assert (record.arrived, record.in_flight) == (11, 1)
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.run("10s")
    record = stage.traffic.records()["default/load"]
    assert record.arrived == 11
    assert record.summary()["failed"]["Interrupted"] == 1


@pytest.mark.parametrize("traces", [False, True])
def test_so_it_is_when_somebody_else_runs_the_environment(traces: bool) -> None:
    one_a_second = stages.traffic({"constant": {"rps": 1}})
    stage = stages.living(stages.deployment(1), one_a_second, traces=traces)
    stage.environment.run(10 * worlds.SECOND)
    assert stage.traffic is not None
    assert stage.traffic.records()["default/load"].arrived == 11


@pytest.mark.parametrize("traces", [False, True])
def test_who_arrives_when_a_traffic_comes_up_waits_for_time_to_go_on(traces: bool) -> None:
    stage = stages.living(stages.deployment(1), traces=traces)
    stage.run("10s")
    stage.apply([stages.traffic({"constant": {"rps": 1}})])
    assert stage.traffic is not None
    assert stage.traffic.records()["default/load"].arrived == 0
    stage.run(0)
    assert stage.traffic.records()["default/load"].arrived == 1


@pytest.mark.parametrize("traces", [False, True])
def test_what_is_changed_at_an_instant_of_a_run_comes_before_its_arrivals(traces: bool) -> None:
    stage = stages.living(
        stages.deployment(1), stages.traffic({"constant": {"rps": 1}}), traces=traces
    )

    def delete() -> None:
        stage.store.delete(stages.TRAFFIC, "load", "default")

    stage.environment.timer("deletion", delete).set(10 * worlds.SECOND)
    stage.run("20s")
    assert stage.traffic is not None
    assert stage.traffic.records()["default/load"].arrived == 10


@pytest.mark.parametrize("traces", [False, True])
def test_the_record_of_a_traffic_ends_with_it(traces: bool) -> None:
    stage = stages.living(
        stages.deployment(1), stages.traffic({"constant": {"rps": 1}}), traces=traces
    )
    stage.run("20500ms")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.run("100s")
    assert stage.traffic is not None
    assert len(stage.traffic.records()["default/load"].table()["at_s"]) == 21
