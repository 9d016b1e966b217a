"""The settings of Scenarios and of scheduling over our own API."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.scenario.kss_annotations import SELECTED
from kubestage.scenario.settings import Detail, Settings, Strategy
from kubestage.server.app import Application
from kubestage.server.journal.opening import open_directory
from kubestage.server.kubestage_api import settings
from kubestage.server.live import Live
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario
from tests.server import calling
from tests.server.kubestage_api.asking import ROOT, refused, served, told
from tests.server.live_stage import NODES, PODS, SCENARIOS
from tests.server.test_pacing import tell
from tests.server.test_scenarios import MERGE

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json


FULL = {"allCandidateNodes", "allFilteredNodes", "pluginResults"}
EVENTS = (
    create(make_node("n1")),
    create(make_node("n2")),
    create(make_pod("a", cpu="1")),
    create(make_pod("big", cpu="99")),
)


def _rows(run: Json) -> list[Json]:
    timeline = run["status"]["scenarioResult"]["timeline"]
    events = [each for step in timeline.values() for each in step]
    return [
        row
        for event in events
        for field in ("podScheduled", "podUnscheduled")
        if event.get(field)
        for row in event[field]["scheduleResult"]
    ]


def test_settings_of_components_are_told_and_not_changed() -> None:
    async def story() -> None:
        async with served() as stage:
            stage.live.state.component_settings = {"hpa.sync-period": "30s"}
            found = await told(stage, "GET", "/settings")
            assert found["components"] == {"hpa.sync-period": "30s"}
            assert "components" in await refused(
                stage, 400, "PATCH", "/settings", {"components": {}}
            )

    asyncio.run(story())


def test_settings_are_told_and_changed() -> None:
    async def story() -> None:
        async with served(settings=Settings(strategy=Strategy.ON_DONE)) as stage:
            before = {
                "detail": "decisions", "resultStrategy": "OnDone", "resultAnnotations": False,
            }  # fmt: skip
            assert await told(stage, "GET", "/settings") == before
            found = await told(stage, "PATCH", "/settings", {"detail": "full"})
            assert found == {**before, "detail": "full"}
            found = await told(stage, "PUT", "/settings", {"resultStrategy": "OnPause"})
            assert (found["detail"], found["resultStrategy"]) == ("full", "OnPause")
            assert await told(stage, "GET", "/settings") == found

    tell(story())


def test_what_is_wrong_is_refused_and_changes_nothing() -> None:
    async def story() -> None:
        async with served() as stage:
            before = await told(stage, "GET", "/settings")
            said = await refused(stage, 400, "PATCH", "/settings", {"detail": "ful"})
            assert said.startswith("detail: Invalid enum value 'ful'")
            said = await refused(stage, 400, "PUT", "/settings", {"details": "full"})
            assert said == 'unknown field "details": did you mean detail?'
            said = await refused(stage, 400, "PATCH", "/settings", {})
            assert said == (
                "the request sets nothing: give one or more of detail, resultStrategy, "
                "resultAnnotations"
            )
            assert await told(stage, "GET", "/settings") == before

    tell(story())


def test_in_full_the_status_has_candidates_and_every_verdict() -> None:
    async def story() -> None:
        async with served() as stage:
            await told(stage, "PATCH", "/settings", {"detail": "full"})
            await stage.call("POST", SCENARIOS, scenario(*EVENTS, done(1)))
            await stage.scenario()
            run = await stage.call("GET", f"{SCENARIOS}/it")
            rows = _rows(run)
            assert rows
            assert all(set(row) >= FULL for row in rows)
            assert all(row["allCandidateNodes"] == ["n1", "n2"] for row in rows)
            scores = next(row for row in rows if row["result"] == "scheduled")["pluginResults"]
            assert set(scores["score"]) == {"n1", "n2"}
            # It is what a run says, and explanations are kept as ever.
            plain = building.stage_with(
                scenario(*EVENTS, done(1)), alive=True, settings=Settings(detail=Detail.FULL)
            )
            plain.run_scenarios()
            assert rows == _rows({"status": building.status(plain)})
            big = await told(stage, "GET", "/runs/it/pods/default/big")
            assert all(each["explanation"] for each in big["attempts"])

    tell(story())


@pytest.mark.parametrize(("detail", "has"), [("summary", None), ("decisions", False)])
def test_a_scenario_chooses_for_itself(detail: str, has: bool | None) -> None:
    async def story() -> None:
        async with served(settings=Settings(detail=Detail.FULL)) as stage:
            own = scenario(*EVENTS, done(1))
            own["spec"] |= {"detail": detail, "resultStrategy": "OnDone"}
            await stage.call("POST", SCENARIOS, own)
            await stage.scenario()
            rows = _rows(await stage.call("GET", f"{SCENARIOS}/it"))
            assert bool(rows) is (has is not None)
            assert not any(FULL & set(row) for row in rows)

    tell(story())


def test_a_scenario_with_a_choice_that_is_none_is_refused() -> None:
    async def story() -> None:
        async with served() as stage:
            own = scenario(*EVENTS)
            own["spec"]["detail"] = "everything"
            answer = await calling.call(stage.app, "POST", SCENARIOS, own)
            assert answer.status == 422
            assert "spec.detail: Unsupported value" in answer.json["message"]

    tell(story())


def test_a_scenario_under_way_keeps_the_settings_it_was_begun_with() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", SCENARIOS, scenario(*EVENTS))
            await stage.scenario(phases=("Paused",))
            await told(stage, "PATCH", "/settings", {"detail": "full"})
            more = {"spec": {"events": [*EVENTS, done(3)]}}
            await stage.call("PATCH", f"{SCENARIOS}/it", more, headers=MERGE)
            await stage.scenario(phases=("Succeeded",))
            rows = _rows(await stage.call("GET", f"{SCENARIOS}/it"))
            assert not any(FULL & set(row) for row in rows)

    tell(story())


def test_results_are_written_on_pods_when_asked_for() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", PODS, make_pod("plain"))
            await stage.quiet()
            await told(stage, "PATCH", "/settings", {"resultAnnotations": True})
            await stage.call("POST", PODS, make_pod("told"))
            await stage.quiet()
            pod = await stage.call("GET", f"{PODS}/told")
            assert pod["metadata"]["annotations"][SELECTED] == "n1"
            plain = await stage.call("GET", f"{PODS}/plain")
            assert SELECTED not in (plain["metadata"].get("annotations") or {})

    tell(story())


def test_a_journal_remembers_what_was_changed(tmp_path: pathlib.Path) -> None:
    async def story() -> None:
        stage, journal = open_directory(tmp_path).stage()
        stage.add_scheduler()
        stage.add_scenarios()
        live = Live(stage)
        journal.start(live)
        for body in ({"detail": "full"}, {"resultAnnotations": True}):
            path = f"{ROOT}/settings"
            answer = await calling.call(Application(live), "PATCH", path, body)
            assert answer.status == 200
        journal.close()

    asyncio.run(story())
    opened = open_directory(tmp_path)
    kept = msgspec.json.decode(opened.remembered[settings.REMEMBERED])
    opened.close()
    assert kept == {"detail": "full", "resultAnnotations": True}


def test_where_nobody_schedules_there_are_no_settings() -> None:
    async def story() -> None:
        live = Live(Stage())
        answer = await calling.call(Application(live), "GET", f"{ROOT}/settings")
        assert answer.status == 409

    tell(story())
