"""One recorded sequence, replayed step by step."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
import yaml

from tests.golden.conformance_values import Bindings

POLLS = 40


class Result(NamedTuple):
    """One step and in what it differs, if it does."""

    topic: str
    where: str
    differences: list[str]
    recorded: dict[str, Any]
    status: int
    body: bytes


class Answer:
    """What came back, as it comes."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""
        self.started = asyncio.Event()

    async def receive_end(self) -> dict[str, Any]:
        """A client that never leaves."""
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: Any) -> None:
        """Take what the application sends."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message["headers"]
            self.started.set()
        else:
            self.body += message.get("body", b"")

    def header(self, name: str) -> list[str]:
        wanted = name.lower().encode()
        return [value.decode() for key, value in self.headers if key.lower() == wanted]


async def call(app: Any, request: dict[str, Any], answer: Answer) -> None:
    """One request, straight into the application."""
    headers = {"Accept": "application/json", "User-Agent": "conformance/1.0"}
    headers |= request.get("headers") or {}
    body = b""
    if "raw" in request:
        body = request["raw"].encode()
    elif request.get("body") is not None:
        # With spaces, as it was sent: some messages quote it.
        body = json.dumps(request["body"]).encode()
    query = urlencode(request.get("query") or {}, doseq=True)
    scope = {
        "type": "http",
        "method": request["method"],
        "path": request["path"],
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent or request["method"] == "GET":
            return await answer.receive_end()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    await app(scope, receive, answer.send)


class Replay:
    """A sequence on its way; values that were made up are bound when they are first met."""

    def __init__(self, app: Any, sequence: dict[str, Any]) -> None:
        self.app = app
        self.sequence = sequence
        self.bindings = Bindings()
        self.background: dict[str, tuple[Answer, asyncio.Task[None]]] = {}

    async def run(self) -> list[Result]:
        """All steps, each compared with the recording."""
        found = []
        for index, step in enumerate(self.sequence["steps"]):
            found.append(await self._step(index, step))
        return found

    async def _step(self, index: int, step: dict[str, Any]) -> Result:
        expected = step["response"]
        recorded = step.get("request")
        where = f"{self.sequence['name']}[{index}]"
        if recorded is None:
            answer, task = self.background.pop(step["collect"])
            await task
        else:
            request = self.bindings.substitute(recorded)
            where += f" {request['method']} {request['path']} {request.get('query') or ''}"
            where += f" {request.get('headers') or ''}"
            answer = await self._answer(request, step)
        differences = self._compare(expected, answer, is_open="background" in step)
        topic = self.sequence["topic"]
        return Result(topic, where, differences, expected, answer.status, answer.body)

    async def _answer(self, request: dict[str, Any], step: dict[str, Any]) -> Answer:
        answer = Answer()
        if "background" in step:
            task = asyncio.ensure_future(call(self.app, request, answer))
            await answer.started.wait()
            self.background[step["background"]] = answer, task
            return answer
        await call(self.app, request, answer)
        wanted = (step.get("poll") or {}).get("status")
        for _ in range(POLLS if wanted else 0):
            if answer.status == wanted:
                break
            await asyncio.sleep(0.02)
            answer = Answer()
            await call(self.app, request, answer)
        return answer

    def _compare(self, expected: dict[str, Any], answer: Answer, *, is_open: bool) -> list[str]:
        found = []
        if "status" in expected and answer.status != expected["status"]:
            found.append(f"status {answer.status}, recorded {expected['status']}: {answer.body!r}")
        for name in ("Content-Type", "Retry-After", "Warning"):
            wanted = (expected.get("headers") or {}).get(name) or []
            wanted = wanted if isinstance(wanted, list) else [wanted]
            if "headers" in expected:
                unlike = self.bindings.differences(wanted, answer.header(name))
                found += [f"header {name}{difference}" for difference in unlike]
        if is_open:
            return found
        if "events" in expected:
            return found + self.bindings.differences(expected["events"], _events(answer.body))
        if "text" in expected:
            return found + self.bindings.differences(expected["text"], answer.body.decode())
        if "yaml" in expected:
            return found + self.bindings.differences(expected["yaml"], _yaml(answer.body))
        if "body" in expected:
            return found + self.bindings.differences(expected["body"], _json(answer.body))
        return found


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return f"not JSON: {body!r}"


def _yaml(body: bytes) -> Any:
    return yaml.load(body, yaml.BaseLoader)


def _events(body: bytes) -> list[Any]:
    events = [_json(line) for line in body.splitlines()]
    return [event for event in events if _is_kept(event)]


def _is_kept(event: Any) -> bool:
    if not isinstance(event, dict) or event.get("type") != "BOOKMARK":
        return True
    notes = (event["object"].get("metadata") or {}).get("annotations") or {}
    return "k8s.io/initial-events-end" in notes
