"""The clock goes on to the next event, or to the next decision of the scheduler."""

from __future__ import annotations

import asyncio

from kubestage.objects import kinds
from kubestage.server import next_moment
from kubestage.stage import Stage
from kubestage.store.log import ADDED, MODIFIED, Change
from kubestage.testing import make_node, make_pod
from tests.server.clusters import API, NODES, Server, serving
from tests.server.test_pacing import tell

POD_PATH = "/api/v1/namespaces/default/pods"
ADVANCE = f"{API}/clock/advance"


async def go(server: Server, to: str, prefix: str = "") -> tuple[str, str]:
    await server.call("POST", prefix + ADVANCE, {"to": to})
    history = await server.call("GET", f"{prefix}{API}/history")
    clock = await server.call("GET", f"{prefix}{API}/clock")
    assert clock["mode"] == "paused"
    return history["end"][11:], history["sequence"]


def test_it_stops_at_each_moment_at_which_something_changes() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.advance("10s")
            await server.call("POST", POD_PATH, make_pod("p", cpu="1"))
            before = (await server.call("GET", f"{API}/history"))["sequence"]
            times = []
            while (await server.call("GET", f"{POD_PATH}/p"))["status"]["phase"] != "Running":
                end, sequence = await go(server, "event")
                assert sequence > before
                before = sequence
                times.append(end)
            assert times == sorted(set(times))
            assert len(times) > 1
            assert times[0].startswith("00:00:10")
            # The very next moment, and all of it.
            found = await server.call("GET", f"{API}/history/map")
            assert [row[5] for row in found["changes"] if row[1] == "p"][-1] == "Running"

    tell(story())


def test_it_stops_at_each_decision() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.call("POST", POD_PATH, make_pod("p", cpu="1"))
            await server.call("POST", POD_PATH, make_pod("big", cpu="9"))
            path = f"{API}/history/decisions"
            await go(server, "decision")
            first = (await server.call("GET", path))["total"]
            assert first >= 1
            await server.call("POST", NODES, make_node("c"))
            end, _ = await go(server, "decision")
            found = await server.call("GET", path)
            assert found["total"] > first
            last = found["decisions"][-1]
            assert (last["pod"], last["at"][11:]) == ("default/big", end)

    tell(story())


def test_after_a_day_without_one_it_says_so() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.advance("1s")
            found = await server.call("POST", ADVANCE, {"to": "decision"})
            assert found["now"] == "2026-01-02T00:00:01Z"
            assert found["message"] == "no decision within 24h of virtual time"

    tell(story())


def test_time_that_is_requested_meanwhile_passes_afterwards() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.call("POST", POD_PATH, make_pod("p", cpu="1"))
            first = asyncio.ensure_future(server.call("POST", ADVANCE, {"to": "event"}))
            second = asyncio.ensure_future(server.advance("5s"))
            await first
            end = (await second)["now"]
            assert end == "2026-01-01T00:00:05Z"

    tell(story())


def test_what_cannot_come_is_refused() -> None:
    async def story() -> None:
        async with serving(Stage(), scheduler="none") as server:
            message = await server.refused(409, "POST", ADVANCE, {"to": "decision"})
            assert "no scheduler" in message
            both = {"to": "event", "duration": "1s"}
            assert "give one of" in await server.refused(400, "POST", ADVANCE, both)
            await server.refused(400, "POST", ADVANCE, {"to": "midnight"})
            await server.refused(400, "POST", ADVANCE, {})

    tell(story())


def test_a_pause_ends_the_wait() -> None:
    async def story() -> None:
        async with serving() as server:
            # Events of pods that wait are held back, so that nothing changes for a while.
            waiting = await server.ask("POST", ADVANCE, {"to": "decision"}, wait="false")
            assert waiting.status in (200, 202)
            await server.call("POST", f"{API}/clock/pause")
            now = (await server.call("GET", f"{API}/clock"))["now"]
            await asyncio.sleep(0.01)
            assert (await server.call("GET", f"{API}/clock"))["now"] == now

    tell(story())


def test_a_heartbeat_is_no_event() -> None:
    table = kinds.KindTable()
    row = next(each for each in table if (each.group, each.kind) == ("", "Node"))
    lease = next(each for each in table if each.kind == "Lease")

    def node(version: int, beat: str, status: str = "True") -> dict[str, object]:
        ready = {"type": "Ready", "status": status, "lastHeartbeatTime": beat}
        metadata = {"name": "a", "resourceVersion": str(version)}
        return {"metadata": metadata, "spec": {}, "status": {"conditions": [ready]}}

    beat = Change(2, MODIFIED, row, "a", node(2, "y"), node(1, "x"))
    failed = Change(3, MODIFIED, row, "a", node(3, "z", "False"), node(2, "y"))
    new = Change(1, ADDED, row, "a", node(1, "x"), None)
    assert next_moment.is_heartbeat(beat)
    assert not next_moment.is_heartbeat(failed)
    assert not next_moment.is_heartbeat(new)

    async def story() -> None:
        async with serving() as server:
            for change, has_come in (
                (beat, False),
                (Change(4, MODIFIED, lease, "a", {}, {}), False),
                (failed, True),
                (new, True),
            ):
                found = next_moment.NextChange(server.served.live)
                found.on_change(change)
                found.close()
                assert found.has_come is has_come

    tell(story())
