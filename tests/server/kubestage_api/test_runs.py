"""Scenarios of a server: how they stand, and why pods went where they went."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from kubestage.results import analysis
from kubestage.server.kubestage_api import recorders
from kubestage.testing import make_node, make_pod, make_priority_class
from tests.scenario.building import create, done, scenario
from tests.server import live_stage
from tests.server.kubestage_api.asking import refused, served, told
from tests.server.live_stage import NODES, PODS, SCENARIOS
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pathlib


EVENTS = (
    create(make_node("n1")),
    create(make_node("n2")),
    create(make_pod("a", cpu="1")),
    create(make_pod("big", cpu="99")),
)


def test_a_run_is_told_in_numbers_as_the_analysis_has_them() -> None:
    async def story() -> None:
        async with served() as stage:
            assert await told(stage, "GET", "/runs") == {"items": []}
            await stage.call("POST", SCENARIOS, scenario(*EVENTS, done(1)))
            await stage.scenario()
            (row,) = (await told(stage, "GET", "/runs"))["items"]
            assert (row["name"], row["phase"], row["step"]) == ("it", "Succeeded", 1)
            found = await told(stage, "GET", "/runs/it")
            run = await stage.call("GET", f"{SCENARIOS}/it")
            assert found["summary"]["pending"] == 1
            assert found["steps"] == list(analysis.table(run, "steps").records())
            for path in found["tables"]:
                rows = (await stage.call("GET", path))["items"]
                assert isinstance(rows, list)
            pods = await told(stage, "GET", "/runs/it/tables/pods")
            assert [each["node"] for each in pods["items"]][1] is None
            said = await refused(stage, 404, "GET", "/runs/it/tables/pod")
            assert said == 'no table "pod": did you mean pods?'
            await refused(stage, 404, "GET", "/runs/other")

    tell(story())


def test_every_attempt_of_a_run_is_explained_also_when_the_scenario_is_gone() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(*EVENTS, done(1)))
            await stage.scenario()
            big = await told(stage, "GET", "/runs/it/pods/default/big")
            assert (big["status"], big["node"]) == ("Pending", None)
            assert len(big["attempts"]) > 1
            for attempt in big["attempts"]:
                verdicts = attempt["explanation"]["filter"]
                assert set(verdicts) == {"n1", "n2"}
                assert verdicts["n1"]["NodeResourcesFit"]["reasons"] == ["Insufficient cpu"]
            a = await told(stage, "GET", "/runs/it/pods/default/a")
            story_of_a = a["attempts"][0]["explanation"]
            assert set(story_of_a["totals"]) == {"n1", "n2"}
            assert story_of_a["selected"] == a["node"]
            said = await refused(stage, 404, "GET", "/runs/it/pods/default/nobody")
            assert said == 'Scenario "it" has had no pod "default/nobody"'
            await stage.call("DELETE", f"{SCENARIOS}/it")
            (row,) = (await told(stage, "GET", "/runs"))["items"]
            assert (row["phase"], row["isThere"]) == ("Deleted", False)
            again = await told(stage, "GET", "/runs/it/pods/default/big")
            told_before = [each["explanation"] for each in big["attempts"]]
            assert [each["explanation"] for each in again["attempts"]] == told_before

    tell(story())


def test_a_run_that_waits_for_more_events_is_explained_already() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(*EVENTS))
            await stage.scenario()
            big = await told(stage, "GET", "/runs/it/pods/default/big")
            assert all(each["explanation"] for each in big["attempts"])

    tell(story())


def test_records_are_there_after_a_restart(tmp_path: pathlib.Path) -> None:
    async def first() -> None:
        async with live_stage.served() as stage:
            recorders.start_recording(stage.live, tmp_path / "runs")
            await stage.call("POST", SCENARIOS, scenario(*EVENTS, done(1)))
            await stage.scenario()
            recorders.close(stage.live)

    async def second() -> None:
        async with live_stage.served() as stage:
            recorders.start_recording(stage.live, tmp_path / "runs")
            big = await told(stage, "GET", "/runs/it/pods/default/big")
            assert all(each["explanation"] for each in big["attempts"])
            recorders.close(stage.live)

    tell(first())
    assert stat.S_IMODE((tmp_path / "runs").stat().st_mode) == 0o700
    (tmp_path / "runs" / "broken.sqlite").write_bytes(b"nothing")
    (tmp_path / "runs" / ".half.partial").write_bytes(b"nothing")
    tell(second())
    assert not (tmp_path / "runs" / ".half.partial").exists()


def test_after_a_scenario_attempts_are_those_of_the_living_cluster_again() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(*EVENTS, done(1)))
            await stage.scenario()
            for name in ("one", "two"):
                await stage.call("POST", PODS, make_pod(name))
                await stage.quiet()
                found = await told(stage, "GET", f"/explanations/default/{name}")
                assert found["status"] == "Scheduled"
                assert len(found["attempts"]) == 1
                assert found["attempts"][0]["explanation"]["selected"] == found["node"]
            assert (await told(stage, "GET", "/runs/it"))["summary"]["pods"] == 2

    tell(story())


def test_a_pod_of_the_cluster_is_explained_also_when_it_is_gone() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", PODS, make_pod("big", cpu="99"))
            await stage.quiet()
            path = "/explanations/default/big"
            found = await told(stage, "GET", path)
            assert (found["status"], found["notes"]) == ("Pending", [])
            verdicts = found["attempts"][0]["explanation"]["filter"]["n1"]
            assert verdicts["NodeResourcesFit"]["reasons"] == ["Insufficient cpu"]
            await stage.call("DELETE", f"{PODS}/big")
            await stage.quiet()
            assert (await told(stage, "GET", path))["status"] == "Deleted"
            await refused(stage, 404, "GET", "/explanations/default/nobody")

    tell(story())


def test_a_pod_that_waits_has_what_would_make_it_fit() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1", cpu="4"))
            await stage.call("POST", PODS, make_pod("big", cpu="6"))
            await stage.call("POST", PODS, make_pod("small", cpu="1"))
            await stage.quiet()
            before = stage.live.store.revision
            found = await told(stage, "GET", "/explanations/default/big")
            assert found["nodes"] == 1
            advice = found["advice"]
            assert advice["numbers"] == [
                "needs 6 cpu; node n1 has 3 free (none is that large: 4 at most)"
            ]
            (change,) = advice["changes"]
            assert (change["kind"], change["provedOn"]) == ("lower-request", "n1")
            assert advice["lines"][-1].strip() == f"1. {change['text']} (then it is on n1)"
            assert stage.live.store.revision == before
            found = await told(stage, "GET", "/explanations/default/big", advice="false")
            assert found["advice"] is None
            assert (await told(stage, "GET", "/explanations/default/small"))["advice"] is None

    tell(story())


def test_the_preemptor_of_a_pod_that_is_gone_is_named() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1", cpu="4"))
            classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
            await stage.call("POST", classes, make_priority_class("high", 100))
            await stage.call("POST", PODS, make_pod("fixed", node_name="n1"))
            await stage.call("POST", PODS, make_pod("low", cpu="4"))
            await stage.quiet()
            await stage.call("POST", PODS, make_pod("urgent", cpu="4", priority_class_name="high"))
            await stage.quiet()
            low = await told(stage, "GET", "/explanations/default/low")
            assert (low["status"], low["reason"]) == (
                "Deleted",
                "preempted by default/urgent on n1",
            )
            fixed = await told(stage, "GET", "/explanations/default/fixed")
            assert fixed["reason"].startswith("no attempt is remembered: it was created on n1")
            assert (await told(stage, "GET", "/explanations/default/urgent"))["reason"] == ""

    tell(story())


def test_of_pods_that_come_by_the_thousand_outcomes_are_kept_and_some_are_explained() -> None:
    async def story() -> None:
        async with served() as stage:
            for number in range(20):
                stage.live.store.create(make_node(f"n{number}", cpu="64"))
            for number in range(2000):
                stage.live.store.create(make_pod(f"p{number}"))
            stage.pacer.wake()
            await stage.quiet()
            kept = stage.live.state.attempts
            assert kept is not None
            rows = [next(kept.attempts_at(f"default/p{number}")) for number in range(2000)]
            explained = sum(row.packed is not None for row in rows)
            assert 0 < explained < 2000
            unexplained = next(row for row in rows if row.packed is None)
            found = await told(stage, "GET", f"/explanations/{unexplained.decision.pod}")
            assert found["attempts"][0]["explanation"] is None
            assert "not kept" in found["notes"][0]

    tell(story())
