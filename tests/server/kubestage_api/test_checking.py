"""Checks of texts, of configurations, and rehearsals, over our own API."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.server.kubestage_api import rehearsals
from kubestage.testing import make_node
from tests.runs.rehearse.test_autoscaling import objects
from tests.scenario.building import create, done, scenario
from tests.server.kubestage_api.asking import ask, names, refused, served, told
from tests.server.live_stage import NODES, SCENARIOS
from tests.server.test_pacing import tell

CONFIGURATION = "/scheduler/configuration"
HEAD = b"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
REHEARSAL = "/rehearsals/autoscaling"


def test_a_text_is_checked_and_nothing_is_changed() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1"))
            text = b"apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  lables: {}\n"
            found = await told(stage, "POST", "/check", text)
            (problem,) = found["problems"]
            assert (problem["line"], problem["path"]) == (5, "metadata.lables")
            assert problem["fix"] == "did you mean labels?"
            (obj,) = found["objects"]
            assert (obj["verb"], obj["path"]) == ("apply", "/api/v1/nodes/n1")
            found = await told(stage, "POST", "/check", text, existing="replace")
            assert found["objects"][0]["verb"] == "replace"
            assert names(stage) == {"Node": ["n1"]}

    tell(story())


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [(b"a\0b", 400, "not text"), (b"a: " + b"b" * (4 << 20), 413, "limit is 4194304")],
)
def test_what_is_no_text_is_refused(body: bytes, status: int, words: str) -> None:
    async def story() -> None:
        async with served() as stage:
            assert words in await refused(stage, status, "POST", "/check", body)

    tell(story())


def test_a_dry_run_of_a_configuration_changes_nothing() -> None:
    async def story() -> None:
        async with served() as stage:
            before = stage.stage.scheduler
            text = HEAD + b"profiles: [{schedulerName: other}]\n"
            answer = await told(stage, "PUT", CONFIGURATION, text, dryRun="true")
            assert [each["schedulerName"] for each in answer["profiles"]] == ["other"]
            assert stage.stage.scheduler is before
            said = await refused(stage, 400, "PUT", CONFIGURATION, text, dryRun="maybe")
            assert "use one of false, true" in said

    tell(story())


@pytest.mark.parametrize(
    ("text", "status", "line", "field"),
    [
        (HEAD + b"parallelism: -1\n", 422, 3, "parallelism"),
        (HEAD + b"# x\nparallel: 1\n", 400, 4, "parallel"),
        (HEAD + b"profiles: [\n", 400, 4, ""),
        (
            HEAD + b"profiles:\n- plugins:\n    score:\n      enabled:\n      - name: Nonsense\n",
            422,
            7,
            "",
        ),
    ],
)
def test_a_refused_configuration_names_lines(
    text: bytes, status: int, line: int, field: str
) -> None:
    async def story() -> None:
        async with served() as stage:
            dry = await ask(stage, "PUT", CONFIGURATION, text, dryRun="true")
            for answer in (dry, await ask(stage, "POST", "/scheduler/profiles", text)):
                assert answer.status == status
                (cause,) = answer.json["details"]["causes"]
                assert (cause["line"], cause["field"]) == (line, field)

    tell(story())


def test_profiles_show_what_runs_where() -> None:
    async def story() -> None:
        async with served() as stage:
            found = await told(stage, "GET", "/scheduler/profiles")
            (profile,) = found["profiles"]
            assert {"name": "TaintToleration", "weight": 3} in profile["plugins"]["score"]
            assert found["plugins"]["ImageLocality"] == ["score"]
            text = HEAD + (b"profiles: [{plugins: {score: {disabled: [{name: ImageLocality}]}}}]\n")
            other = await told(stage, "POST", "/scheduler/profiles", text)
            scored = [each["name"] for each in other["profiles"][0]["plugins"]["score"]]
            assert "ImageLocality" not in scored
            assert await told(stage, "GET", "/scheduler/profiles") == found

    tell(story())


def test_the_timeline_of_a_scenario_is_told_in_order() -> None:
    async def story() -> None:
        async with served() as stage:
            pod: dict[str, Any] = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "web", "namespace": "default"},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            }
            events = (create(pod), create(make_node("n1"), 1), done(2))
            await stage.call("POST", SCENARIOS, scenario(*events, name="first"))
            await stage.quiet()
            found = await told(stage, "GET", "/runs/first/timeline")
            rows = [(row["step"], row["operation"], row["object"]) for row in found["rows"]]
            assert rows == [
                (0, "Create", "Pod default/web"),
                (0, "PodUnscheduled", "Pod default/web"),
                (1, "Create", "Node n1"),
                (1, "PodScheduled", "Pod default/web"),
                (2, "Done", ""),
            ]
            assert found["rows"][3]["node"] == "n1"
            assert "no nodes available" in found["rows"][1]["message"]
            part = await told(stage, "GET", "/runs/first/timeline", step="1", limit="1")
            assert (len(part["rows"]), part["total"]) == (1, 2)
            said = await refused(stage, 400, "GET", "/runs/first/timeline", step="one")
            assert 'step: "one" is not a whole number' in said
            assert "no Scenario" in await refused(stage, 404, "GET", "/runs/other/timeline")

    tell(story())


def test_a_rehearsal_leaves_the_cluster_alone() -> None:
    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n1", cpu="1"))
            await stage.quiet()
            before = names(stage)
            body = {"objects": objects(40), "duration": "10m"}
            found = await told(stage, "POST", REHEARSAL, body)
            assert (found["isComplete"], found["seconds"]) == (True, 600)
            columns = found["tables"]["replicas"]["columns"]
            active = [row[columns.index("active")] for row in found["tables"]["replicas"]["rows"]]
            assert max(active) == 4
            copied = await told(stage, "POST", REHEARSAL, {**body, "cluster": "copy"})
            rows = copied["tables"]["replicas"]["rows"]
            assert max(row[columns.index("active")] for row in rows) == 2
            assert names(stage) == before

    tell(story())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration": "soon"}, "duration: invalid duration"),
        ({"duration": "48h"}, "duration: is more than a rehearsal takes"),
        ({"objects": []}, "objects: there is nothing to rehearse"),
        ({"objects": [{"kind": "Pood", "apiVersion": "v1"}]}, "objects[0].kind: unknown kind"),
        ({"settings": {"hpa.sync": "1s"}}, "hpa.sync"),
        ({"cluster": "mine"}, "cluster"),
        ({"where": 1}, 'unknown field "where"'),
    ],
)
def test_a_rehearsal_that_cannot_be_is_refused(change: dict[str, Any], words: str) -> None:
    async def story() -> None:
        async with served() as stage:
            body = {"objects": objects(), "duration": "1m", **change}
            assert words in await refused(stage, 400, "POST", REHEARSAL, body)

    tell(story())


def test_only_a_few_rehearsals_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with served() as stage:
            monkeypatch.setattr(rehearsals, "_MOST_WAITING", -1)
            body = {"objects": objects(), "duration": "1m"}
            assert "try again" in await refused(stage, 429, "POST", REHEARSAL, body)

    tell(story())
