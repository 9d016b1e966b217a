"""Events, which two groups serve, and other kinds that a PUT creates."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.server import calling

NEW = "/apis/events.k8s.io/v1/namespaces/default/events"
OLD = "/api/v1/namespaces/default/events"


def event(**more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "a"},
        "eventTime": "2024-01-01T00:00:00.000000Z",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reason": "R",
        "type": "Normal",
        "action": "Act",
        "reportingController": "x.io/c",
        "reportingInstance": "i",
        **more,
    }


def test_a_put_creates_an_event_in_either_group() -> None:
    async def story() -> None:
        app = calling.application()
        created = await calling.call(app, "PUT", f"{NEW}/a", event())
        assert created.status == 201
        assert (await calling.call(app, "PUT", f"{NEW}/a", event())).status == 200
        old = (await calling.call(app, "GET", f"{OLD}/a")).json
        assert old["involvedObject"]["name"] == "p"
        old["metadata"] = {"name": "b"}
        assert (await calling.call(app, "PUT", f"{OLD}/b", old)).status == 201

    asyncio.run(story())


def test_an_event_that_a_put_creates_obeys_the_rules_of_new_ones() -> None:
    async def story() -> None:
        app = calling.application()
        answer = await calling.call(app, "PUT", f"{NEW}/a", event(eventTime=None, type="Odd"))
        assert answer.status == 422
        assert answer.json["details"]["kind"] == "Event"
        assert "group" not in answer.json["details"]
        found = [cause["field"] for cause in answer.json["details"]["causes"]]
        assert found == ["eventTime", "type"]
        answer = await calling.call(app, "PUT", f"{NEW}/b", event())
        assert answer.status == 400

    asyncio.run(story())


def test_a_precondition_names_the_stored_kind() -> None:
    async def story() -> None:
        app = calling.application()
        await calling.call(app, "POST", NEW, event())
        body = {"preconditions": {"uid": "00000000-0000-0000-0000-000000000009"}}
        answer = await calling.call(app, "DELETE", f"{NEW}/a", body)
        assert answer.status == 409
        assert answer.json["details"] == {"name": "a", "kind": "Event"}
        assert answer.json["message"].startswith('Operation cannot be fulfilled on Event "a": the')

    asyncio.run(story())


def test_deleting_no_jobs_is_warned_of_as_well() -> None:
    async def story() -> None:
        app = calling.application()
        path = "/apis/batch/v1/namespaces/default/jobs"
        (warning,) = (await calling.call(app, "DELETE", path)).header("warning")
        assert "child pods are preserved by default" in warning
        quiet = await calling.call(app, "DELETE", path, propagationPolicy="Background")
        assert quiet.header("warning") == []

    asyncio.run(story())
