"""The record from a history: what a recorder would have seen, and never too much of it."""

from __future__ import annotations

import bisect
import pathlib
import pickle
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage.results.history.cluster_history import ClusterHistory, HistoryLimits
from kubestage.results.life import replay as replays
from kubestage.results.life import served_life, thinning
from kubestage.results.life.recorder import LifeRecorder
from kubestage.results.life.replay import LifeReplay
from kubestage.results.life.usage_series import UsageSeries
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node, make_pod
from tests.controllers.karpenter.lifecycle import stages
from tests.objects.kinds.karpenter_samples import stage_node_class
from tests.results.life import living
from tests.results.life.test_node_lives import group

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/22-hpa-and-nodes"


def staged(**limits: Any) -> tuple[Stage, ClusterHistory]:
    stage = Stage(1)
    stage.add_scheduler()
    history = ClusterHistory(stage.store, stage.clock, HistoryLimits(**limits))
    history.start()
    stage.add_controllers()
    return stage, history


def replayed(stage: Stage, history: ClusterHistory) -> LifeReplay:
    found = LifeReplay(history, stage.store.kinds)
    catch_up(found)
    return found


def catch_up(replay: LifeReplay) -> None:
    for _ in replay.steps():
        pass
    assert replay.behind == 0


def life_of(stage: Stage, replay: LifeReplay) -> Life:
    return replay.life(stage.clock.unix_ns)


def last_until(rows: list[Json], at: float) -> Json:
    moments = [row["atSeconds"] for row in rows]
    return rows[bisect.bisect_right(moments, at + 1e-6) - 1]


@pytest.fixture(scope="module")
def both() -> tuple[Life, Life]:
    """The same half hour with an HPA, node groups and requests: recorded, and replayed."""
    stage, history = staged()
    documents = [
        each
        for path in sorted(EXAMPLE.glob("*.yaml"))
        for each in yaml.safe_load_all(path.read_text())
    ]
    recorder = LifeRecorder(stage.store, stage.environment, living.SECOND_NS, stage)
    recorder.start()
    stage.apply(documents)
    stage.run("30m")
    replay = replayed(stage, history)
    replay.decided = recorder.node_decisions
    life = life_of(stage, replay)
    assert stage.traffic is not None
    offset_ns = replay.begin_ns - stage.clock.epoch_ns
    life = served_life.with_requests(life, stage.traffic.records(), replay.targets(), offset_ns)
    return living.ended(recorder), life


@pytest.mark.parametrize(
    ("table", "subject", "fields"),
    [
        ("replicas", "workload", ("desired", "launching", "active", "terminating")),
        ("nodes", "group", ("ready", "provisioning", "total")),
        ("cost", "group", ("perHour", "idlePerHour")),
        ("cluster", "", ("active", "nodes", "readyNodes", "requestedCpu", "allocatableCpu")),
    ],
)
def test_it_has_what_a_recorder_saw_at_every_second(
    both: tuple[Life, Life], table: str, subject: str, fields: tuple[str, ...]
) -> None:
    recorded, replayed_life = both
    rows = replayed_life.rows(table)
    compared = 0
    for row in recorded.rows(table):
        mine = [each for each in rows if not subject or each[subject] == row[subject]]
        # In the second in which something changes, a sample may be on either side of it.
        near = [last_until(mine, row["atSeconds"] + shift) for shift in (-0.1, 0.0, 0.1)]
        assert {name: row[name] for name in fields} in [
            {name: each[name] for name in fields} for each in near
        ], row
        compared += 1
    assert compared > 1000


def test_decisions_cost_and_requests_are_the_same(both: tuple[Life, Life]) -> None:
    recorded, replayed_life = both
    mine = [row for row in replayed_life.rows("decisions") if row["decision"] == "rescale"]
    theirs = [row for row in recorded.rows("decisions") if row["decision"] == "rescale"]
    assert mine == theirs
    assert len(mine) >= 3
    assert replayed_life.summary["cost"] == recorded.summary["cost"]
    assert replayed_life.rows("marks") == recorded.rows("marks")
    for name in ("arrived", "completed", "failed"):
        sums = [sum(row[name] for row in each.rows("requests")) for each in both]
        assert sums[0] == sums[1] > 0 or name == "failed"


def test_node_groups_say_why_they_grow(both: tuple[Life, Life]) -> None:
    reasons = [row["reason"] for row in both[1].rows("decisions") if row["by"] == "small"]
    assert any("group small size set to 2" in each for each in reasons)


def test_percentiles_of_neighbouring_rows_lie_between_theirs(both: tuple[Life, Life]) -> None:
    bands = both[1].rows("percentiles")
    assert 100 < len(bands) <= 150
    for band in bands:
        end = band["atSeconds"] + band["seconds"]
        inside = [
            row["responseP50Ms"]
            for row in both[1].rows("requests")
            if band["atSeconds"] <= row["atSeconds"] < end and row["responseP50Ms"] is not None
        ]
        assert min(inside) * 0.99 <= band["p50Ms"] <= max(inside) * 1.01
        assert band["p50Ms"] <= band["p95Ms"] <= band["p99Ms"]


def test_pods_that_wait_for_an_instant_are_seen_and_gone_again() -> None:
    stage, history = staged()
    stage.load([make_node("a", cpu="64")])
    stage.run("1m")
    stage.apply([make_deployment("web", replicas=9, cpu="1")])
    stage.run("5m")
    pending = [row["pending"] for row in life_of(stage, replayed(stage, history)).rows("cluster")]
    assert max(pending) == 9
    assert pending[-1] == 0


def test_it_goes_on_where_it_stopped() -> None:
    stage, history = staged()
    stage.load([make_node("a", cpu="4")])
    replay = replayed(stage, history)
    for replicas in (1, 3, 2):
        stage.apply([make_deployment("web", replicas=replicas, cpu="1")])
        stage.run("10m")
        catch_up(replay)
        life_of(stage, replay)
    fresh = life_of(stage, replayed(stage, history))
    stepwise = life_of(stage, replay)
    assert stepwise.rows("replicas") == fresh.rows("replicas")
    assert stepwise.rows("marks") == fresh.rows("marks")
    assert stepwise.summary == fresh.summary


def test_what_the_history_forgot_leaves_a_right_state() -> None:
    stage, history = staged(most_changes=20)
    stage.load([make_node("a", cpu="8")])
    replay = replayed(stage, history)
    stage.apply([make_deployment("gone", replicas=4, cpu="1")])
    stage.run("5m")
    stage.store.delete(("apps/v1", "Deployment"), "gone", "default")
    stage.apply([make_deployment("web", replicas=3, cpu="1")])
    stage.run("10m")
    assert history.forgotten > replay.next
    catch_up(replay)
    last = life_of(stage, replay).rows("cluster")[-1]
    assert (last["active"], last["pending"], last["requestedCpu"]) == (3, 0, 3000)


def test_an_interrupted_beginning_goes_on() -> None:
    """A client may go away while what is there is taken in."""
    stage = Stage(1)
    stage.add_scheduler()
    stage.load([make_node(f"node-{number}", cpu="4") for number in range(9)])
    history = ClusterHistory(stage.store, stage.clock)
    history.start()
    replay = LifeReplay(history, stage.store.kinds)
    for _ in range(4):
        steps = replay.steps()
        next(iter(steps))
        del steps
    catch_up(replay)
    last = life_of(stage, replay).rows("cluster")[-1]
    assert (last["nodes"], last["allocatableCpu"]) == (9, 36_000)


def test_a_long_life_has_few_samples_and_keeps_its_peaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MOST_MOMENTS", 40)
    stage, history = staged()
    stage.load([make_node("a", cpu="4")])
    replay = replayed(stage, history)
    for turn in range(60):
        stage.apply([make_deployment("web", replicas=1 + turn % 3, cpu="1")])
        stage.apply([make_deployment("huge", replicas=7 * (turn == 30), cpu="64")])
        stage.run("10m")
        catch_up(replay)
    life = life_of(stage, replay)
    moments = life.observation_times()
    assert len(moments) <= 41
    assert life.resolution_seconds > 60
    assert moments[0] == 0
    assert moments[-1] == life.seconds
    # One of the other workload waits in the same instant.
    assert max(row["pending"] for row in life.rows("cluster")) == 8
    assert {row["atSeconds"] for row in life.rows("replicas")} <= set(moments)


def test_nothing_grows_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MOST_DECISIONS", 20)
    monkeypatch.setattr(replays, "_TIDY_EVERY", 50)
    stage, history = staged()
    stage.load([make_node("a", cpu="4")])
    replay = replayed(stage, history)
    for turn in range(60):
        name = f"web-{turn}"
        stage.apply([make_deployment(name, replicas=2, cpu="1")])
        stage.run("1m")
        stage.apply([make_deployment(name, replicas=1, cpu="1")])
        stage.run("1m")
        stage.store.delete(("apps/v1", "Deployment"), name, "default")
        stage.run("2m")
        catch_up(replay)
    assert len(replay.workloads.all) < 10
    assert len(replay.marks.all) < 60
    assert len(replay.health.in_short()["workloads"]) < 10
    assert life_of(stage, replay).rows("marks")[0]["atSeconds"] < 600


def test_changes_that_were_taken_back_are_noticed() -> None:
    stage, history = staged()
    stage.load([make_node("a", cpu="4")])
    replay = replayed(stage, history)
    assert not replay.is_lost
    history.take_back(history.changes[0].revision - 1)
    assert replay.is_lost


def test_a_part_begins_with_the_state_of_its_moment(both: tuple[Life, Life]) -> None:
    whole = both[1]
    part = served_life.between(whole, 600.0, 900.0)
    assert part.seconds == 300
    assert part.start == "2026-01-01T00:10:00Z"
    for name in ("replicas", "cluster", "nodes", "cost"):
        first, rows = part.rows(name)[0], whole.rows(name)
        subject = next(iter(set(first) & {"workload", "group"}), None)
        mine = [each for each in rows if subject is None or each[subject] == first[subject]]
        held = last_until(mine, 600.0)
        assert {**first, "atSeconds": 0} == {**held, "atSeconds": 0}
        assert first["atSeconds"] == 0
        assert all(0 <= row["atSeconds"] <= 300 for row in part.rows(name))
    assert all(0 <= row["atSeconds"] <= 300 for row in part.rows("requests"))
    for each in part.summary["health"]["workloads"]:
        assert all(0 <= begin < end <= 300 for begin, end in each["windows"])


def test_thinning_keeps_first_and_last_and_the_most_that_waited() -> None:
    moments = [0.0, 0.1, 0.2, 0.3, 0.4, 5.0]
    kept = thinning.kept_moments(moments, 0.2)
    assert [each for each in moments if kept[each] == each] == [0.0, 0.2, 0.4, 5.0]
    waits = zip(moments, (0, 5, 1, 0, 0, 2), strict=True)
    rows = [(at, waiting, 0, 0, 0, 0, 0, 0, 0) for at, waiting in waits]
    assert [row[1] for row in thinning.thinned("cluster", kept, rows)] == [0, 5, 0, 2]


def test_usage_is_recorded_and_not_copied() -> None:
    stage, _ = staged()
    stage.load([make_node("a", cpu="4"), make_pod("web", cpu="1")])
    usage = UsageSeries()
    usage.follow(stage.metrics)
    usage.follow(stage.metrics)
    assert stage.metrics is not None
    stage.metrics.require()
    stage.run("2m")
    count = len(usage.rows)
    assert count >= 2
    copied: Stage = pickle.loads(pickle.dumps(stage))
    copied.run("2m")
    assert len(usage.rows) == count
    stage.run("2m")
    assert len(usage.rows) > count


def test_machines_without_a_node_cost_the_same() -> None:
    stage, history = staged()
    recorder = LifeRecorder(stage.store, stage.environment, living.SECOND_NS, stage)
    recorder.start()
    never = {"available": 0, "shortage": "never"}
    stage.apply([
        stages.catalog(), stage_node_class(registrationDelay="100s"), stages.on_demand(),
        stages.make_web(6), group("stuck", **never),
    ])  # fmt: skip
    stage.run("5m")
    stages.scale(stage, 0)
    stage.run("5m")
    life = life_of(stage, replayed(stage, history))
    recorded = living.ended(recorder)
    assert recorded.summary["cost"] > 0.05
    for name in ("cost", "costs"):
        assert life.summary[name] == recorded.summary[name]
