"""The scheduler's configuration over our own API."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import InputError
from kubestage.scenario.controller import RECONFIGURED
from kubestage.scheduler import config
from kubestage.scheduler.framework import unschedulable
from kubestage.server.app import Application
from kubestage.server.external_scheduler import ExternalSchedulerSettings
from kubestage.server.journal.opening import open_directory
from kubestage.server.kubestage_api import configuration
from kubestage.server.live import Live
from kubestage.testing import make_node, make_pod
from tests.scenario.building import create, scenario
from tests.server import calling
from tests.server.kubestage_api.asking import ROOT, refused, served, told
from tests.server.live_stage import NODES, PODS, SCENARIOS
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.scheduler.framework import Status


PATH = "/scheduler/configuration"
HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


class Nowhere:
    """A plugin of the user's own that rejects everything, and takes no arguments."""

    name = "Nowhere"

    def __init__(self, args: Json, handle: object) -> None:
        del handle
        if args:
            raise InputError("takes no arguments", path="Nowhere")

    def filter_node(self, *_: Any) -> Status:
        return unschedulable("nowhere is good enough")


def test_what_is_at_work_is_told_with_all_defaults() -> None:
    async def story() -> None:
        async with served() as stage:
            assert await told(stage, "GET", PATH) == config.default().to_dict()

    tell(story())


def test_another_scheduler_takes_over_and_explains_itself() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", PODS, make_pod("early", scheduler_name="other"))
            await stage.quiet()
            profile = b"profiles: [{schedulerName: other}]\n"
            text = b"".join(f"{key}: {value}\n".encode() for key, value in HEAD.items()) + profile
            answer = await told(stage, "PUT", PATH, text)
            assert [each["schedulerName"] for each in answer["profiles"]] == ["other"]
            assert await told(stage, "GET", PATH) == answer
            await stage.quiet()
            found = await told(stage, "GET", "/explanations/default/early")
            assert (found["node"], found["attempts"][0]["profile"]) == ("n1", "other")
            assert found["attempts"][0]["explanation"]["selected"] == "n1"

    tell(story())


def test_what_cannot_be_used_is_refused_and_changes_nothing() -> None:
    async def story() -> None:
        async with served() as stage:
            before = stage.stage.scheduler
            said = await refused(stage, 400, "PUT", PATH, {**HEAD, "profles": []})
            assert 'unknown field "profles" (did you mean profiles?)' in said
            answer = await calling.call(
                stage.app,
                "PUT",
                ROOT + PATH,
                {**HEAD, "parallelism": -1, "podMaxBackoffSeconds": -1},
            )
            assert answer.status == 422
            causes = answer.json["details"]["causes"]
            assert "parallelism" in [each["field"] for each in causes]
            wanted = {"schedulerName": "x", "plugins": {"filter": {"enabled": [{"name": "Nope"}]}}}
            said = await refused(stage, 422, "PUT", PATH, {**HEAD, "profiles": [wanted]})
            assert "Nope" in said
            assert "not text" in await refused(stage, 400, "PUT", PATH, b"\xff\xfe")
            assert "empty" in await refused(stage, 400, "PUT", PATH)
            assert stage.stage.scheduler is before

    tell(story())


def test_a_scenario_that_is_running_fails_by_it() -> None:
    async def story() -> None:
        async with served() as stage:
            events = [create(make_node("n1")), *(create(make_pod(f"p{i}")) for i in range(300))]
            await stage.call("POST", SCENARIOS, scenario(*events))
            while not stage.pacer.state()["scenario"]:
                await asyncio.sleep(0)
            await told(stage, "PUT", PATH, HEAD)
            status = await stage.scenario()
            assert (status["phase"], status["message"]) == (
                "Failed",
                RECONFIGURED.format("running"),
            )

    tell(story())


def test_where_nobody_of_ours_schedules_there_is_nothing_to_configure() -> None:
    async def story() -> None:
        async with served(scheduler=False, external=ExternalSchedulerSettings()) as stage:
            assert "external" in await refused(stage, 409, "GET", PATH)
            assert "--scheduler built-in" in await refused(stage, 409, "PUT", PATH, HEAD)

    tell(story())


def test_plugins_of_the_users_own_are_handed_on_and_may_refuse_their_arguments() -> None:
    async def story() -> None:
        async with served() as stage:
            stage.live.state.plugins = {"Nowhere": Nowhere}
            profile: Json = {"plugins": {"multiPoint": {"enabled": [{"name": "Nowhere"}]}}}
            await told(stage, "PUT", PATH, {**HEAD, "profiles": [profile]})
            await stage.call("POST", NODES, make_node("n1"))
            await stage.call("POST", PODS, make_pod("p"))
            await stage.quiet()
            found = await told(stage, "GET", "/explanations/default/p")
            assert "nowhere is good enough" in found["attempts"][0]["message"]
            before = stage.stage.scheduler
            profile["pluginConfig"] = [{"name": "Nowhere", "args": {"size": 1}}]
            said = await refused(stage, 400, "PUT", PATH, {**HEAD, "profiles": [profile]})
            assert said == "Nowhere: takes no arguments"
            assert stage.stage.scheduler is before

    tell(story())


def test_a_journal_remembers_it(tmp_path: pathlib.Path) -> None:
    async def story() -> None:
        stage, journal = open_directory(tmp_path).stage()
        stage.add_scheduler()
        live = Live(stage)
        journal.start(live)
        body = {**HEAD, "podMaxBackoffSeconds": 77}
        answer = await calling.call(Application(live), "PUT", ROOT + PATH, body)
        assert answer.status == 200
        journal.close()

    asyncio.run(story())
    opened = open_directory(tmp_path)
    kept = msgspec.json.decode(opened.remembered[configuration.REMEMBERED])
    opened.close()
    assert config.from_dict(kept).pod_max_backoff_seconds == 77
