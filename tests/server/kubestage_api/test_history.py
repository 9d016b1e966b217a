"""The past of a server: how far it is known, rows for a map, marks and decisions."""

from __future__ import annotations

import asyncio
import gzip
import logging
import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from kubestage.results.history.cluster_history import HistoryLimits
from kubestage.scenario import resource
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.journal import opening
from kubestage.server.pacing import Mode
from kubestage.testing import make_node, make_pod
from tests.deadlines import HANG_S
from tests.scenario.building import create, scenario
from tests.server.clusters import API, DEPLOYMENTS, NODES, PODS, Server, serving
from tests.server.live_stage import ENDED
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pathlib

SCENARIOS = f"/apis/{resource.API_VERSION}/scenarios"


def test_the_history_says_how_far_it_reaches_and_what_it_takes() -> None:
    async def story() -> None:
        async with serving() as server:
            before = await server.call("GET", f"{API}/history")
            assert before["begin"] == before["end"] == "2026-01-01T00:00:00Z"
            assert (before["changes"], before["sequence"], before["isWhole"]) == (0, 0, True)
            assert before["limits"] == {"changes": 200_000, "bytes": 256 << 20}
            await server.deploy(3)
            await server.advance("10.5s")
            found = await server.call("GET", f"{API}/history")
            assert (found["begin"], found["end"]) == (before["begin"], "2026-01-01T00:00:10.5Z")
            assert found["changes"] == found["sequence"] > 10
            assert found["bytes"] > 1000

    tell(story())


def test_rows_of_the_map_go_on_from_an_earlier_answer() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(2)
            await server.advance("5s")
            whole = await server.call("GET", f"{API}/history/map")
            assert [node["name"] for node in whole["nodes"]] == ["a", "b"]
            assert whole["pods"] == []
            (template,) = whole["templates"]
            assert template["owner"].startswith("ReplicaSet/web-")
            rows = [row for row in whole["changes"] if row[1] == "p"]
            assert [row[3:] for row in rows if row[2] == rows[0][2]] == [
                [0, "", "Pending"], [0, rows[-2][4], "Pending"], [0, rows[-2][4], "Running"],
            ]  # fmt: skip
            assert rows[0][0] < 1 < 2000 < rows[-1][0] < 2001
            await server.call("POST", NODES, make_node("c"))
            name = rows[0][2].partition("/")[2]
            await server.call("DELETE", f"/api/v1/namespaces/default/pods/{name}")
            await server.advance("40s")
            more = await server.call("GET", f"{API}/history/map", after=whole["sequence"])
            assert {"nodes", "pods"}.isdisjoint(more)
            assert more["templates"] == []
            assert more["changes"][0][1:3] == ["n", "c"]
            assert [rows[0][2]] in [row[2:] for row in more["changes"]]
            await server.refused(410, "GET", f"{API}/history/map", after=more["sequence"] + 1)
            await server.refused(400, "GET", f"{API}/history/map", after="x")

    tell(story())


@pytest.mark.parametrize("name", ["map", "marks"])
def test_what_is_forgotten_is_gone(name: str) -> None:
    async def story() -> None:
        async with serving(past=HistoryLimits(most_changes=40)) as server:
            first = await server.call("GET", f"{API}/history/{name}")
            await server.deploy(6)
            await server.advance("10s")
            found = await server.call("GET", f"{API}/history")
            assert found["forgotten"] > 0
            assert not found["isWhole"]
            path = f"{API}/history/{name}"
            message = await server.refused(410, "GET", path, after=first["sequence"])
            assert "begin without after" in message
            again = await server.call("GET", path)
            assert again["sequence"] == found["sequence"]

    tell(story())


def test_a_map_of_which_much_was_forgotten_has_the_pods_of_its_beginning() -> None:
    async def story() -> None:
        async with serving(past=HistoryLimits(most_changes=40)) as server:
            await server.deploy(9)
            await server.advance("10s")
            found = await server.call("GET", f"{API}/history/map")
            rows = {row[0]: row[1:] for row in found["pods"]}
            for row in found["changes"]:
                if row[1] == "p":
                    rows[row[2]] = row[3:]
            assert not found["isWhole"]
            assert len(rows) == 9
            assert {row[2] for row in rows.values()} == {"Running"}

    tell(story())


def test_large_answers_are_compressed_for_those_who_accept_that() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(100)
            await server.advance("10s")
            path = f"{API}/history/map"
            plain = await server.ask("GET", path)
            assert plain.header("content-encoding") == []
            packed = await server.ask("GET", path, headers={"accept-encoding": "gzip, br"})
            assert packed.header("content-encoding") == ["gzip"]
            assert packed.header("vary") == ["Accept-Encoding"]
            assert gzip.decompress(packed.body) == plain.body
            assert len(packed.body) * 5 < len(plain.body)
            small = await server.ask("GET", f"{API}/history", headers={"accept-encoding": "gzip"})
            assert small.header("content-encoding") == []
            text = await server.ask("GET", path, headers={"accept": "application/yaml"})
            found = yaml.safe_load(text.body)
            assert found["templates"] == plain.json["templates"]
            assert len(found["changes"]) == len(plain.json["changes"])

    tell(story())


def test_marks_have_what_clients_did_and_what_came_of_it() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(1)
            await server.advance("5s")
            headers = {"content-type": "application/merge-patch+json", "user-agent": "kubectl/v1"}
            body = {"spec": {"replicas": 2}}
            await server.call("PATCH", f"{DEPLOYMENTS}/web/scale", body, headers=headers)
            body = {"spec": {"unschedulable": True}}
            await server.call("PATCH", f"{NODES}/a", body, headers=headers)
            await server.call("PATCH", f"{NODES}/a", body, headers=headers, dryRun="All")
            sequence = (await server.call("GET", f"{API}/history"))["sequence"]
            found = (await server.call("GET", f"{API}/history/marks"))["marks"]
            assert [(each["at"][17:], each["kind"], each["text"]) for each in found] == [
                ("00Z", "action", "test created Deployment default/web"),
                ("05Z", "rescale", "Deployment default/web scaled from 1 to 2"),
                (
                    "05Z",
                    "action",
                    "kubectl scaled Deployment default/web; kubectl cordoned Node a",
                ),
            ]
            await server.advance("5s")
            later = await server.call("GET", f"{API}/history/marks", after=sequence)
            assert later["sequence"] > sequence
            assert all(each in found for each in later["marks"])

    tell(story())


def test_decisions_are_rows_in_order() -> None:
    async def story() -> None:
        async with serving() as server:
            for number in range(5):
                path = "/api/v1/namespaces/default/pods"
                await server.call("POST", path, make_pod(f"p{number}", cpu="500m"))
                await server.advance("1s")
            await server.call("POST", path, make_pod("big", cpu="9"))
            await server.advance("1s")
            path = f"{API}/history/decisions"
            found = await server.call("GET", path)
            rows = found["decisions"]
            assert [row["pod"] for row in rows] == [
                *(f"default/p{number}" for number in range(5)), "default/big",
            ]  # fmt: skip
            assert found["begin"] == rows[0]["at"]
            assert found["total"] == 6
            assert (rows[0]["result"], rows[0]["evaluated"], rows[0]["feasible"]) == (
                "scheduled", 2, 2,
            )  # fmt: skip
            assert rows[5]["result"] == "unschedulable"
            assert rows[5]["message"].startswith("0/2 nodes are available")
            after = await server.call("GET", path, after=rows[1]["at"], limit=2)
            assert after["decisions"] == rows[2:4]
            before = await server.call("GET", path, before=rows[4]["at"], limit=2)
            assert before["decisions"] == rows[2:4]
            await server.refused(400, "GET", path, limit=0)
            await server.refused(400, "GET", path, after="yesterday")
            both = {"after": rows[0]["at"], "before": rows[1]["at"]}
            assert "one of" in await server.refused(400, "GET", path, **both)

    tell(story())


async def until_ended(server: Server, name: str) -> None:
    await server.call("PUT", f"{API}/clock", {"mode": "jump"})
    async with asyncio.timeout(HANG_S):
        while True:
            found = await server.call("GET", f"{SCENARIOS}/{name}")
            if (found.get("status") or {}).get("phase") in ENDED:
                return
            await asyncio.sleep(0.001)


def test_a_scenario_and_a_reset_keep_the_history_going() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(2)
            await server.advance("5s")
            events = [create(make_node("n1"), 1), create(make_pod("p1"), 2)]
            await server.call("POST", SCENARIOS, scenario(*events, name="s"))
            await until_ended(server, "s")
            found = await server.call("GET", f"{API}/history")
            assert found["begin"] == "2026-01-01T00:00:00Z"
            assert found["isWhole"]
            assert await server.names("/at/2026-01-01T00:00:04Z/api/v1/nodes") == ["a", "b"]
            assert len(await server.names(f"/at/2026-01-01T00:00:04Z{PODS}")) == 2
            assert await server.names(f"/at/{found['end']}{PODS}") == ["p1"]
            marks = (await server.call("GET", f"{API}/history/marks"))["marks"]
            assert sum(each["count"] for each in marks if each["kind"] == "step") == 2
            decided = (await server.call("GET", f"{API}/history/decisions"))["decisions"]
            assert decided[-1]["pod"] == "default/p1"
            await server.call("PUT", f"{API}/clock", {"mode": "paused"})
            await server.advance("1s")
            await server.call("POST", f"{API}/reset")
            assert await server.names(PODS) == []
            assert await server.names(f"/at/{found['end']}{PODS}") == ["p1"]

    tell(story())


@pytest.mark.parametrize("path", ["/history", "/history/map", "/history/marks"])
def test_a_history_that_is_switched_off_says_so(path: str) -> None:
    async def story() -> None:
        async with serving(past=HistoryLimits(most_changes=0)) as server:
            await server.deploy(1)
            message = await server.refused(409, "GET", API + path)
            assert "--past-changes 0" in message
            assert message == await server.refused(409, "GET", f"/at/2026-01-01T00:00:00Z{PODS}")
            assert message == await server.refused(409, "POST", f"{API}/clusters", {})

    tell(story())


def test_what_could_not_be_stored_is_no_part_of_the_past(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        served = Served(stage, AssemblyOptions(scheduler="none", mode=Mode.PAUSED), journal)
        served.start()
        server = Server(served)
        await server.call("POST", NODES, make_node("stored"))
        before = await server.call("GET", f"{API}/history")
        shutil.rmtree(tmp_path / "data")
        assert (await server.ask("POST", NODES, make_node("lost"))).status == 500
        found = await server.call("GET", f"{API}/history/map")
        assert found["sequence"] == before["sequence"]
        assert [row[2] for row in found["changes"]] == ["stored"]
        assert await server.names(f"/at/{before['end']}{NODES}") == ["stored"]
        await served.close()

    with caplog.at_level(logging.CRITICAL):
        tell(story())
