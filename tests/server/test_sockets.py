"""WebSockets, straight into the application."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

from kubestage import Stage
from kubestage.testing import make_pod
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.containers.containers import cluster

PODS = "/api/v1/namespaces/default/pods"
V5 = "v5.channel.k8s.io"
TEXT = "v4.base64.channel.k8s.io"


@pytest.fixture(scope="module")
def stage() -> Stage:
    return cluster()


def connect(
    stage: Stage, path: str, *subprotocols: str, **query: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What comes first, and all that follows."""
    sent: list[dict[str, Any]] = []

    async def story() -> None:
        to_come = [{"type": "websocket.connect"}]

        async def receive() -> dict[str, Any]:
            return to_come.pop() if to_come else await asyncio.Future()

        async def send(message: Any) -> None:
            sent.append(dict(message))

        scope = calling.scope("GET", path, **query)
        del scope["method"]
        scope |= {"type": "websocket", "subprotocols": list(subprotocols)}
        await calling.application(stage)(scope, receive, send)

    asyncio.run(story())
    return sent[0], sent[1:]


def streams(messages: list[dict[str, Any]]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for each in messages:
        if each["type"] == "websocket.send":
            if "text" in each:
                channel, data = int(each["text"][0]), base64.b64decode(each["text"][1:])
            else:
                channel, data = each["bytes"][0], each["bytes"][1:]
            found[channel] = found.get(channel, b"") + data
    return found


def execute(stage: Stage, *words: str, protocol: str = V5, **more: Any) -> dict[int, bytes]:
    asked = {"command": words, "stdout": "true", "stderr": "true", **more}
    accepted, messages = connect(stage, f"{PODS}/web/exec", protocol, **asked)
    assert accepted == {"type": "websocket.accept", "subprotocol": protocol}
    assert messages[-1] == {"type": "websocket.close", "code": 1000}
    return streams(messages)


@pytest.mark.parametrize("protocol", [V5, "v4.channel.k8s.io", TEXT])
def test_output_and_success_have_channels_of_their_own(stage: Stage, protocol: str) -> None:
    told = execute(stage, "cat", "colour", protocol=protocol)
    assert told[1] == b"blue"
    assert json.loads(told[3]) == {"metadata": {}, "status": "Success"}


def test_errors_and_exit_codes_are_told(stage: Stage) -> None:
    told = execute(stage, "foo", "bar")
    assert b"the command foo is not modelled" in told[2]
    status = json.loads(told[3])
    assert status["reason"] == "NonZeroExitCode"
    assert status["details"]["causes"] == [{"reason": "ExitCode", "message": "127"}]


def test_a_terminal_is_one_stream(stage: Stage) -> None:
    told = execute(stage, "cat", "app.conf", "nope", tty="true")
    assert told[1].startswith(b"a=1\r\nb=2\r\ncat: nope: No such file")
    assert 2 not in told


def test_only_the_streams_that_are_asked_for_are_sent(stage: Stage) -> None:
    assert 2 not in execute(stage, "foo", stderr="false")
    assert 1 not in execute(stage, "hostname", stdout="false")


def test_the_first_subprotocol_that_is_known_is_spoken(stage: Stage) -> None:
    path = f"{PODS}/web/exec"
    accepted, _ = connect(stage, path, "v9", "v4.channel.k8s.io", V5, command="true")
    assert accepted["subprotocol"] == "v4.channel.k8s.io"


def refused(stage: Stage, path: str, *subprotocols: str, **query: Any) -> tuple[int, str]:
    start, (body,) = connect(stage, path, *subprotocols, **query)
    assert start["type"] == "websocket.http.response.start"
    status = json.loads(body["body"])
    assert status["kind"] == "Status"
    return start["status"], status["message"]


def test_what_cannot_be_is_refused_before_there_is_a_websocket(stage: Stage) -> None:
    path = f"{PODS}/web/exec"
    assert refused(stage, f"{PODS}/gone/exec", V5, command="ls")[0] == 404
    assert refused(stage, path, V5)[1].startswith("you must specify at least one command")
    code, said = refused(stage, path, "v3.channel.k8s.io", command="ls")
    assert (code, said.split(":")[0]) == (400, "no subprotocol in common")
    assert refused(stage, path, command="ls")[0] == 400
    said = refused(stage, path, V5, command="ls", container="nope")[1]
    assert said == "container nope is not valid for pod web"
    code, said = refused(stage, "/api/v1/pods", V5, watch="true")
    assert (code, "plain HTTP" in said) == (400, True)
    assert refused(stage, "/version", V5)[0] == 400
    assert refused(stage, "/api/v1/nothing", V5)[0] == 404


@pytest.mark.parametrize("offered", ["", "binary.k8s.io", "base64.binary.k8s.io"])
def test_a_log_is_one_stream(stage: Stage, offered: str) -> None:
    protocols = ["v9", offered] if offered else []
    accepted, messages = connect(stage, f"{PODS}/web/log", *protocols)
    assert accepted == {"type": "websocket.accept", "subprotocol": offered or None}
    sent = messages[:-1]
    assert messages[-1] == {"type": "websocket.close", "code": 1000}
    if offered.startswith("base64"):
        text = b"".join(base64.b64decode(each["text"]) for each in sent)
    else:
        text = b"".join(each["bytes"] for each in sent)
    assert text.startswith(b"Scheduled: ")


def test_a_log_that_cannot_be_is_refused(stage: Stage) -> None:
    assert refused(stage, f"{PODS}/gone/log")[0] == 404
    code, said = refused(stage, f"{PODS}/web/log", "v9")
    assert (code, said.split(":")[0]) == (400, "no subprotocol in common")


def test_who_leaves_a_log_that_is_followed_ends_it(stage: Stage) -> None:
    async def story() -> None:
        is_open = asyncio.Event()
        to_come = [{"type": "websocket.connect"}]

        async def receive() -> dict[str, Any]:
            if to_come:
                return to_come.pop()
            await is_open.wait()
            return {"type": "websocket.disconnect"}

        async def send(message: Any) -> None:
            if message.get("bytes"):
                is_open.set()

        scope = calling.scope("GET", f"{PODS}/web/log", follow="true")
        del scope["method"]
        scope |= {"type": "websocket", "subprotocols": []}
        await calling.application(stage)(scope, receive, send)
        assert is_open.is_set()

    asyncio.run(asyncio.wait_for(story(), HANG_S))


@pytest.mark.parametrize("action", ["attach", "portforward", "proxy"])
def test_what_needs_a_process_is_refused(stage: Stage, action: str) -> None:
    code, said = refused(stage, f"{PODS}/web/{action}", V5)
    assert code == 400
    assert said == f"{action} is not possible: containers are simulated and run no processes"


def test_a_pod_that_does_not_run_answers_nothing() -> None:
    stage = Stage()
    stage.apply([make_pod("web"), make_pod("early", node_name="n1")])
    said = refused(stage, f"{PODS}/web/exec", V5, command="ls")[1]
    assert said == "pod web does not have a host assigned"
    code, said = refused(stage, f"{PODS}/early/exec", V5, command="ls")
    assert code == 500
    assert "container not found" in said


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_whoever_speaks_spdy_is_told_what_to_use(stage: Stage, method: str) -> None:
    async def story() -> None:
        app = calling.application(stage)
        spdy = {"upgrade": "SPDY/3.1", "connection": "Upgrade"}
        answer = await calling.call(app, method, f"{PODS}/web/exec", headers=spdy, command="ls")
        assert answer.status == 400
        assert "over WebSockets only; use kubectl 1.31 or newer" in answer.json["message"]
        gone = await calling.call(app, method, f"{PODS}/gone/exec", headers=spdy, command="ls")
        assert gone.status == 404

    asyncio.run(story())
