"""A session with a served cluster, saved as a Scenario that does the same again."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage import Stage
from kubestage.errors import InputError
from kubestage.scenario import resource
from kubestage.scenario.resource import SCENARIO
from kubestage.server.recording import SessionRecorder
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario.building import create, done, scenario
from tests.server import calling
from tests.server.live_stage import NODES, PODS, SCENARIOS, Served, served
from tests.server.sessions import DEPLOYMENTS, MERGE, play
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json


OWN = "/kubestage/v1"
MADE_BY_OTHERS = ("Event", "Lease", "Scenario", "ControllerRevision", "EndpointSlice")


def _seen(stage: Stage) -> Json:
    """What people asked for, as it is: names and specs. And how many pods came of it."""
    found: Json = {}
    for collection in stage.store.collections():
        for key, obj in collection.objects.items():
            kind, metadata = collection.kind.kind, obj["metadata"]
            if kind in MADE_BY_OTHERS:
                continue
            if metadata.get("ownerReferences"):
                images = str([each["image"] for each in obj["spec"].get("containers", ())])
                found[f"{kind} {images}"] = found.get(f"{kind} {images}", 0) + 1
                continue
            said = {name: metadata.get(name) for name in ("labels", "annotations")}
            rest = {name: obj.get(name) for name in obj if name not in ("metadata", "status")}
            if kind == "Pod":
                rest["spec"] = {**obj["spec"], "nodeName": None}
            found[f"{kind} {key}"] = (said, rest)
    return found


def _replayed(path: pathlib.Path) -> Stage:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply(path.read_text())
    stage.run_scenarios()
    status = stage.store.read(SCENARIO)["session"]["status"]
    assert status["phase"] == "Succeeded", status.get("message")
    return stage


def _events(path: pathlib.Path) -> list[Json]:
    events: list[Json] = yaml.safe_load(path.read_text())["spec"]["events"]
    return events


@pytest.mark.parametrize("seed", range(4))
def test_a_session_that_is_played_again_leads_to_the_same(
    tmp_path: pathlib.Path, seed: int
) -> None:
    path = tmp_path / "session.yaml"

    async def story() -> Json:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n0"))
            await stage.quiet()
            recorder = SessionRecorder(stage.live, path)
            await play(stage, random.Random(seed))
            recorder.close()
            return _seen(stage.stage)

    seen: list[Json] = []

    async def kept() -> None:
        seen.append(await story())

    tell(kept())
    assert len(_events(path)) > 10
    assert _seen(_replayed(path)) == seen[0]


def _record(path: pathlib.Path, story: Any) -> list[Json]:
    """What is recorded of a story."""

    async def told() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n0"))
            await stage.quiet()
            recorder = SessionRecorder(stage.live, path)
            await story(stage)
            recorder.close()

    tell(told())
    return _events(path)


def test_what_is_there_comes_first_and_what_was_asked_comes_when_it_came(
    tmp_path: pathlib.Path,
) -> None:
    async def story(stage: Served) -> None:
        await stage.call("POST", f"{OWN}/clock/advance", {"duration": "90s"})
        await stage.call("POST", PODS, {**make_pod("p"), "metadata": {"generateName": "p-"}})

    node, pod, end = _record(tmp_path / "s.yaml", story)
    assert (node["step"], node["createOperation"]["asRecorded"]) == (0, True)
    assert node["createOperation"]["object"]["metadata"]["uid"]
    made = pod["createOperation"]["object"]
    assert pod["step"] == 90_000
    assert made["metadata"]["name"].startswith("p-")
    assert "generateName" not in made["metadata"]
    assert "asRecorded" not in pod["createOperation"]
    assert end["doneOperation"] == {"done": True}
    assert end["step"] > 90_000


def test_what_was_asked_after_others_had_done_something_is_in_a_later_step(
    tmp_path: pathlib.Path,
) -> None:
    async def story(stage: Served) -> None:
        await stage.call("POST", f"{OWN}/clock/pause")
        for name in ("a", "b"):
            await stage.call("POST", PODS, make_pod(name))
        stage.live.store.create(make_pod("by-others"))
        stage.live.store.create(make_pod("by-others-too"))
        await stage.call("POST", PODS, make_pod("c"))

    _, a, b, c, _ = _record(tmp_path / "s.yaml", story)
    assert a["step"] == b["step"] < c["step"]


def test_a_session_lasts_until_its_end(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.yaml"

    async def story(stage: Served) -> None:
        await stage.call("POST", PODS, make_pod("a"))
        await stage.call("POST", f"{OWN}/clock/advance", {"duration": "90s"})

    assert _record(path, story)[-1]["step"] >= 90_000


def test_kubestage_run_plays_it_with_the_workloads_that_were_there(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.yaml"

    async def story() -> None:
        async with served() as stage:
            await stage.call("POST", NODES, make_node("n0"))
            await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=2))
            await stage.quiet()
            recorder = SessionRecorder(stage.live, path)
            scale = f"{DEPLOYMENTS}/web/scale"
            await stage.call("PATCH", scale, {"spec": {"replicas": 5}}, headers=MERGE)
            await stage.quiet()
            recorder.close()

    tell(story())
    made = [
        each["createOperation"]["object"] for each in _events(path) if "createOperation" in each
    ]
    assert [each["kind"] for each in made] == ["Node", "Deployment"]
    # What was there at the start is up before anything is asked of it.
    assert [each["step"] for each in _events(path)[:3]] == [0, 0, 1]
    code = "import kubestage.cli; kubestage.cli.main()"
    command = [sys.executable, "-c", code, "run", str(path), "-o", "json"]
    found = subprocess.run(command, capture_output=True, check=True, text=True, cwd=tmp_path)
    status = json.loads(found.stdout)["status"]
    assert (status["phase"], status["pods"]["scheduled"]) == ("Succeeded", 5)


def test_changes_of_every_form_are_recorded_as_the_difference_they_made(
    tmp_path: pathlib.Path,
) -> None:
    async def story(stage: Served) -> None:
        await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=1))
        path = f"{DEPLOYMENTS}/web"
        await stage.call("PATCH", f"{path}/scale", {"spec": {"replicas": 2}}, headers=MERGE)
        whole = await stage.call("GET", path)
        await stage.call("PUT", path, {**whole, "spec": {**whole["spec"], "paused": True}})
        patch = [{"op": "remove", "path": "/spec/paused"}]
        form = {"content-type": "application/json-patch+json"}
        await stage.call("PATCH", path, patch, headers=form)
        await stage.call("PATCH", path, {"spec": {"replicas": 2}}, headers=MERGE)

    events = _record(tmp_path / "s.yaml", story)
    patches = [each["patchOperation"]["patch"] for each in events if "patchOperation" in each]
    assert patches == [
        '{"spec":{"replicas":2}}', '{"spec":{"paused":true}}', '{"spec":{"paused":null}}',
    ]  # fmt: skip


def test_what_others_decide_and_what_did_not_happen_is_left_out(tmp_path: pathlib.Path) -> None:
    async def story(stage: Served) -> None:
        await stage.call("POST", f"{OWN}/clock/pause")
        await stage.call("POST", PODS, make_pod("p"))
        await stage.call("POST", PODS, make_pod("dry"), dryRun="All")
        body = {"status": {"conditions": [{"type": "Mine", "status": "True"}]}}
        await stage.call("PATCH", f"{PODS}/p/status", body, headers=MERGE)
        target = {"target": {"kind": "Node", "name": "n0"}, "metadata": {"name": "p"}}
        binding = {"apiVersion": "v1", "kind": "Binding", **target}
        await stage.call("POST", f"{PODS}/p/binding", binding)
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
        leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
        await stage.call("POST", leases, {**lease, "metadata": {"name": "mine"}})
        refused = await calling.call(stage.app, "POST", PODS, make_pod("p"))
        assert refused.status == 409
        await stage.call("DELETE", f"{PODS}/p", dryRun="All")

    events = _record(tmp_path / "s.yaml", story)
    assert [each["operation"] for each in events] == ["Create", "Create", "Done"]


def test_what_a_node_offers_is_recorded(tmp_path: pathlib.Path) -> None:
    async def story(stage: Served) -> None:
        body = {"status": {"capacity": {"cpu": "64"}, "allocatable": {"cpu": "64"}}}
        await stage.call("PATCH", f"{NODES}/n0/status", body, headers=MERGE)

    path = tmp_path / "s.yaml"
    _record(path, story)
    node = _replayed(path).store.read(("v1", "Node"))["n0"]
    assert node["status"]["allocatable"]["cpu"] == "64"


def test_many_objects_that_are_deleted_at_once_are_deleted_one_by_one(
    tmp_path: pathlib.Path,
) -> None:
    async def story(stage: Served) -> None:
        for name in ("a", "b", "c"):
            await stage.call("POST", PODS, make_pod(name, labels={"keep": str(name == "b")}))
        await stage.quiet()
        await stage.call("DELETE", PODS, labelSelector="keep=False", gracePeriodSeconds=0)

    events = _record(tmp_path / "s.yaml", story)
    deleted = [each["deleteOperation"] for each in events if "deleteOperation" in each]
    assert [each["objectMeta"]["name"] for each in deleted] == ["a", "c"]
    assert [each["deleteOptions"] for each in deleted] == [{"gracePeriodSeconds": 0}] * 2


def test_after_a_scenario_or_a_reset_the_recording_begins_anew(tmp_path: pathlib.Path) -> None:
    async def run(stage: Served) -> None:
        await stage.call("POST", PODS, make_pod("before"))
        await stage.call("POST", SCENARIOS, scenario(create(make_node("n9")), done(1)))
        await stage.scenario()
        await stage.call("POST", PODS, make_pod("after"))
        await stage.call("POST", PODS, make_pod("last"))

    async def reset(stage: Served) -> None:
        await stage.call("POST", PODS, make_pod("before"))
        await stage.call("POST", f"{OWN}/reset")
        await stage.call("POST", f"{OWN}/import", make_node("n5"))
        await stage.call("POST", PODS, make_pod("last"))

    for story, names in ((run, ["n9", "after", "last"]), (reset, ["n5", "last"])):
        events = _record(tmp_path / "s.yaml", story)[:-1]
        made = [each["createOperation"]["object"]["metadata"]["name"] for each in events]
        assert made == names


def test_the_file_is_a_scenario_at_every_moment(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.yaml"

    async def story(stage: Served) -> None:
        assert resource.is_scenario(yaml.safe_load(path.read_text()))
        for number in range(1100):
            data = {"text": f"a: b\n{number}\n\u2028 \x85 'x' \"y\" #z\ttab"}
            made = {"apiVersion": "v1", "kind": "ConfigMap", "data": data}
            maps = "/api/v1/namespaces/default/configmaps"
            await stage.call("POST", maps, {**made, "metadata": {"name": f"c{number}"}})

    events = _record(path, story)
    assert len(events) == 1102
    for number in (0, 1099):
        data = events[number + 1]["createOperation"]["object"]["data"]
        assert data == {"text": f"a: b\n{number}\n\u2028 \x85 'x' \"y\" #z\ttab"}
    assert [each.name for each in tmp_path.iterdir()] == ["s.yaml"]
    assert len(_replayed(path).store.read(("v1", "ConfigMap"))) >= 1100


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: pathlib.Path) -> None:
    async def story() -> None:
        async with served() as stage:
            with pytest.raises(InputError, match="--record: cannot be written"):
                SessionRecorder(stage.live, tmp_path / "nowhere" / "s.yaml")
            assert not any(isinstance(each, SessionRecorder) for each in stage.live.listeners)

    tell(story())


def test_only_another_recording_is_replaced(tmp_path: pathlib.Path) -> None:
    path, mine = tmp_path / "s.yaml", tmp_path / "mine.yaml"
    mine.write_text("kind: Secret\n")
    os.mkfifo(tmp_path / "pipe")

    async def story() -> None:
        async with served() as stage:
            for _ in range(2):
                SessionRecorder(stage.live, path).close()
            for taken in (mine, tmp_path / "pipe"):
                with pytest.raises(InputError, match="there already, and is no recording"):
                    SessionRecorder(stage.live, taken)

    tell(story())
    assert mine.read_text() == "kind: Secret\n"
    assert _events(path)
