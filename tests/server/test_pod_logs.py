from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.deadlines import HANG_S
from tests.server import calling, live_stage

PODS = "/api/v1/namespaces/default/pods"


def cluster(**annotations: str) -> Stage:
    stage = Stage(start="2026-05-01T00:00:00Z")
    stage.load([make_node("n1")])
    pod = make_pod("web")
    pod["metadata"]["annotations"] = annotations
    stage.store.create(pod)
    return stage


async def log(served: Any, name: str = "web", **query: Any) -> Any:
    return await calling.call(served.app, "GET", f"{PODS}/{name}/log", **query)


def test_a_log_tells_the_life_of_the_pod() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            answer = await log(served)
            assert answer.header("content-type") == ["text/plain"]
            lines = answer.body.decode().splitlines()
            told = [line.partition(":")[0] for line in lines]
            assert told[0] == "Scheduled"
            assert told[-2:] == ["Started", "Ready"]
            stamped = (await log(served, timestamps="true")).body.decode().splitlines()
            assert [line.partition(" ")[2] for line in stamped] == lines
            assert all(line.startswith("2026-05-01T00:00:0") for line in stamped)

    asyncio.run(story())


def test_a_part_of_a_log_is_told() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            whole = (await log(served)).body
            lines = whole.splitlines(keepends=True)
            assert (await log(served, tailLines=2)).body == b"".join(lines[-2:])
            assert (await log(served, tailLines=0)).body == b""
            assert (await log(served, tailLines=999)).body == whole
            assert (await log(served, limitBytes=10)).body == whole[:10]
            assert (await log(served, sinceSeconds=100_000)).body == whole
            assert (await log(served, sinceTime="2026-06-01T00:00:00Z")).body == b""
            await served.pacer.advance(3600 * 10**9)
            assert (await log(served, sinceSeconds=10)).body == b""

    asyncio.run(story())


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"tailLines": -1}, "tailLines: Invalid value: -1: must be greater than or equal to 0"),
        ({"limitBytes": 0}, "limitBytes: Invalid value: 0: must be greater than 0"),
        ({"sinceSeconds": 0}, "sinceSeconds: Invalid value: 0: must be greater than 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(query: dict[str, Any], problem: str) -> None:
    async def story() -> None:
        answer = await calling.call(
            calling.application(cluster()), "GET", f"{PODS}/web/log", **query
        )
        assert answer.status == 422
        assert answer.json["message"] == f'PodLogOptions "web" is invalid: {problem}'

    asyncio.run(story())


@pytest.mark.parametrize("query", [{"tailLines": "many"}, {"sinceTime": "soon"}])
def test_options_that_cannot_be_read_are_bad_requests(query: dict[str, Any]) -> None:
    async def story() -> None:
        app = calling.application(cluster())
        answer = await calling.call(app, "GET", f"{PODS}/web/log", **query)
        assert (answer.status, answer.json["reason"]) == (400, "BadRequest")

    asyncio.run(story())


def message(pod: dict[str, Any], **query: Any) -> str:
    async def story() -> Any:
        stage = Stage()
        stage.load([make_node("n1"), pod])
        app = calling.application(stage)
        return await calling.call(app, "GET", f"{PODS}/web/log", **query)

    answer = asyncio.run(story())
    assert answer.status == 400
    found: str = answer.json["message"]
    return found


def with_state(node: str = "n1", **state: Any) -> dict[str, Any]:
    pod = make_pod("web")
    name = pod["spec"]["containers"][0]["name"]
    pod["spec"]["nodeName"] = node
    told = {"name": name, "image": "i", "imageID": "", "ready": False, "restartCount": 0}
    pod["status"] = {"phase": "Pending", "containerStatuses": [{**told, **state}]}
    return pod


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("ContainerCreating", "ContainerCreating"),
        ("ErrImagePull", "image can't be pulled"),
        ("ImagePullBackOff", "trying and failing to pull image"),
    ],
)
def test_a_container_that_has_not_started_has_no_log(reason: str, told: str) -> None:
    pod = with_state(state={"waiting": {"reason": reason}})
    name = pod["spec"]["containers"][0]["name"]
    assert message(pod) == f'container "{name}" in pod "web" is waiting to start: {told}'


def test_there_is_no_life_before_the_first() -> None:
    pod = with_state(state={"running": {"startedAt": "2026-01-01T00:00:00Z"}})
    name = pod["spec"]["containers"][0]["name"]
    problem = f'previous terminated container "{name}" in pod "web" not found'
    assert message(pod, previous="true") == problem


def test_a_container_is_named_where_there_are_several() -> None:
    pod = with_state(state={"running": {"startedAt": "2026-01-01T00:00:00Z"}})
    first = pod["spec"]["containers"][0]
    pod["spec"]["containers"] = [first, {**first, "name": "side"}]
    pod["spec"]["initContainers"] = [{**first, "name": "setup"}]
    assert message(pod) == (
        "a container name must be specified for pod web, choose one of: "
        f"[setup {first['name']} side]"
    )
    assert message(pod, container="moon") == "container moon is not valid for pod web"
    assert message(pod, container="side") == 'container "side" in pod "web" is not available'


def test_a_pod_without_a_node_has_nothing_to_tell() -> None:
    async def story() -> None:
        app = calling.application(cluster())
        answer = await calling.call(app, "GET", f"{PODS}/web/log")
        assert (answer.status, answer.body) == (200, b"")
        gone = await calling.call(app, "GET", f"{PODS}/gone/log")
        assert gone.json["message"] == 'pods "gone" not found'

    asyncio.run(story())


def test_the_life_before_a_restart_is_told_on_demand() -> None:
    ended = {
        "containerID": "x://1",
        "exitCode": 3,
        "reason": "Error",
        "startedAt": "2026-01-01T00:00:00Z",
        "finishedAt": "2026-01-01T00:00:10Z",
    }
    pod = with_state(
        state={"running": {"startedAt": "2026-01-01T00:00:20Z"}},
        lastState={"terminated": ended},
        restartCount=1,
    )

    async def story() -> None:
        stage = Stage()
        stage.load([make_node("n1"), pod])
        app = calling.application(stage)
        whole = await calling.call(app, "GET", f"{PODS}/web/log")
        assert whole.body == b"Error: exit code 3\nRestarted: restart 1\n"
        before = await calling.call(app, "GET", f"{PODS}/web/log", previous="true")
        assert before.body == b"Error: exit code 3\n"

    asyncio.run(story())


def test_a_log_that_is_followed_goes_on_until_the_pod_ends() -> None:
    async def story() -> None:
        async with live_stage.served(stage=cluster()) as served:
            await served.quiet()
            already = (await log(served)).body
            following = asyncio.ensure_future(log(served, follow="true"))
            await asyncio.sleep(0.05)
            assert not following.done()
            merge = {"content-type": "application/merge-patch+json"}
            touched = {"metadata": {"labels": {"touched": "yes"}}}
            await calling.call(served.app, "PATCH", f"{PODS}/web", touched, headers=merge)
            await asyncio.sleep(0.5)
            assert not following.done()
            await calling.call(served.app, "DELETE", f"{PODS}/web")
            answer = await asyncio.wait_for(following, HANG_S)
            assert answer.body.startswith(already)
            lines = answer.body.splitlines()
            assert len(lines) == len(set(lines))

    asyncio.run(story())


def test_a_container_is_told_of_without_the_others() -> None:
    async def story() -> None:
        stage = Stage()
        stage.load([make_node("n1")])
        pod = make_pod("web")
        first = pod["spec"]["containers"][0]
        pod["spec"]["containers"] = [{**first, "image": "one"}, {"name": "side", "image": "two"}]
        stage.store.create(pod)
        async with live_stage.served(stage=stage) as served:
            await served.quiet()
            told = (await log(served, container="side")).body
            assert b'"two"' in told
            assert b'"one"' not in told

    asyncio.run(story())


def test_there_is_no_way_inside() -> None:
    async def story() -> None:
        app = calling.application(cluster())
        answer = await calling.call(app, "GET", f"{PODS}/web/proxy")
        assert answer.status == 400
        assert answer.json["message"] == "proxy is not possible: no kubelets are at work here"
        for action in ("attach", "portforward"):
            for method in ("GET", "POST"):
                answer = await calling.call(app, method, f"{PODS}/web/{action}")
                assert answer.status == 400
                assert answer.json["message"] == (
                    f"{action} is not possible: containers are simulated and run no processes"
                )
        assert (await calling.call(app, "POST", f"{PODS}/gone/exec")).status == 404
        assert (await calling.call(app, "DELETE", f"{PODS}/web/exec")).status == 405

    asyncio.run(story())
