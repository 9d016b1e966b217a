"""A Stage that would stop the server for ever is set aside, also after a restart."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kubestage.controllers.kwok import jq_process
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.journal.opening import open_directory
from tests import deadlines
from tests.server import calling

if TYPE_CHECKING:
    import pathlib

    import pytest

LOCAL = {"host": "localhost"}
STAGES = "/apis/kwok.x-k8s.io/v1alpha1/stages"
TEMPLATE = '{{ repeat 2000000000 "abcdefgh" }}'


def _stage(name: str, expression: str, template: str) -> dict[str, Any]:
    key = {"key": expression, "operator": "Exists"}
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Node"},
            "selector": {"matchExpressions": [key]},
            "next": {"statusTemplate": template},
        },
    }


async def _get(served: Served, path: str) -> Any:
    return await calling.call(served.application, "GET", path, headers=LOCAL)


async def _set_aside(served: Served) -> list[str]:
    """The Stages of which an Event says that they are not played, once there are two."""
    for _ in deadlines.attempts(0):
        answer = await _get(served, "/api/v1/events")
        found = {
            each["involvedObject"]["name"]
            for each in answer.json["items"]
            if each["reason"] == "StageSetAside"
        }
        if len(found) == 2:
            return sorted(found)
        await asyncio.sleep(0.01)
    raise AssertionError


def test_the_server_answers_with_bad_stages_and_after_a_restart(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jq_process, "_CPU_S", 0.5)

    async def once(is_first: bool) -> None:
        stage, journal = open_directory(tmp_path / "data").stage()
        stage.add_controllers()
        served = Served(stage, AssemblyOptions(scheduler="none"), journal)
        served.start()
        if is_first:
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
            for path, body in (
                (STAGES, _stage("endless", "def f: f; f", "{}")),
                (STAGES, _stage("huge", ".metadata.name", TEMPLATE)),
                ("/api/v1/nodes", node),
            ):
                answer = await calling.call(served.application, "POST", path, body, headers=LOCAL)
                assert answer.status == 201, answer.body
        assert await _set_aside(served) == ["endless", "huge"]
        assert (await _get(served, "/readyz")).status == 200
        assert (await _get(served, "/api/v1/nodes/n")).status == 200
        # The next server has to find out by itself.
        events = "/api/v1/namespaces/default/events"
        await calling.call(served.application, "DELETE", events, headers=LOCAL)
        await served.close()

    asyncio.run(once(True))
    asyncio.run(once(False))
