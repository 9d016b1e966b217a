"""Several clusters in one server: forks, kept runs, and the paths below their prefixes."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any

import pytest

from kubestage.results.history.attempt_rows import AttemptRow
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.server.clusters import MOST_FORKS, ClusterEntry
from kubestage.server.security.settings import SecuritySettings
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.clusters import API, DEPLOYMENTS, LOCAL, NODES, PODS, Server, serving, stage
from tests.server.test_pacing import tell

CLUSTERS = f"{API}/clusters"
FORK = "/clusters/fork-1"
CONFIGURATION = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"schedulerName": "other"}],
}


async def rows(server: Server, prefix: str = "") -> dict[str, Any]:
    found = await server.call("GET", prefix + CLUSTERS)
    return {each["name"]: each for each in found["clusters"]}


def test_a_fork_begins_at_a_moment_and_goes_its_own_way() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(2)
            await server.advance("10s")
            body = {"at": "2026-01-01T00:00:00.5Z", "title": "What if?"}
            answer = await server.ask("POST", CLUSTERS, body)
            assert answer.status == 201
            made = answer.json
            assert (made["name"], made["path"], made["title"]) == ("fork-1", FORK, "What if?")
            assert (made["kind"], made["isReadOnly"]) == ("fork", False)
            assert made["origin"] == {"cluster": "", "at": body["at"]}
            assert (made["now"], made["nodes"], made["pods"]) == (body["at"], 2, 2)
            before = await server.call("GET", PODS)
            phases = {each["status"]["phase"] for each in before["items"]}
            then = await server.call("GET", FORK + PODS)
            assert phases == {"Running"}
            assert {each["status"]["phase"] for each in then["items"]} == {"Pending"}
            await server.call("POST", FORK + NODES, make_node("c"))
            await server.deploy(3, "more", FORK)
            found = await server.advance("20s", FORK)
            assert found["now"] == "2026-01-01T00:00:20Z"
            after = await server.call("GET", FORK + PODS)
            assert {each["status"]["phase"] for each in after["items"]} == {"Running"}
            assert len(after["items"]) == 5
            # The original has stayed as it was, and so has its clock.
            assert await server.call("GET", PODS) == before
            found = await rows(server)
            assert (found[""]["now"], found[""]["nodes"]) == ("2026-01-01T00:00:10Z", 2)
            assert (found["fork-1"]["nodes"], found["fork-1"]["pods"]) == (3, 5)
            assert await rows(server, FORK) == found

    tell(story())


def test_what_a_fork_makes_has_names_and_uids_of_its_own() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(3)
            await server.advance("10s")
            for seed in (None, None, 7):
                await server.call("POST", CLUSTERS, {} if seed is None else {"seed": seed})
            made = []
            for prefix in ("", FORK, "/clusters/fork-2", "/clusters/fork-3"):
                await server.deploy(3, "more", prefix)
                await server.advance("10s", prefix)
                found = await server.call("GET", prefix + PODS)
                uids = [each["metadata"]["uid"] for each in found["items"]]
                assert len(set(uids)) == 6
                made.append([each["metadata"]["name"] for each in found["items"]])
            assert made[1] == made[2]
            assert len({tuple(each) for each in made}) == 3

    tell(story())


def test_a_fork_has_its_own_past_and_can_be_forked() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(1)
            await server.advance("10s")
            await server.call("POST", CLUSTERS, {"name": "one"})
            await server.call("POST", f"/clusters/one{NODES}", make_node("c"))
            await server.advance("10s", "/clusters/one")
            found = await server.call("GET", f"/clusters/one{API}/history")
            assert found["begin"] == "2026-01-01T00:00:10Z"
            assert found["end"] == "2026-01-01T00:00:20Z"
            marks = (await server.call("GET", f"/clusters/one{API}/history/marks"))["marks"]
            assert ("node-group", "node c added") in {
                (each["kind"], each["text"]) for each in marks
            }
            at = "/clusters/one/at/2026-01-01T00:00:15Z"
            assert await server.names(at + NODES) == ["a", "b", "c"]
            await server.refused(404, "GET", f"/clusters/one/at/2026-01-01T00:00:05Z{NODES}")
            body = {"from": "one", "at": "2026-01-01T00:00:12Z", "name": "two"}
            made = await server.call("POST", CLUSTERS, body)
            assert made["origin"] == {"cluster": "one", "at": body["at"]}
            decided = await server.call("GET", f"/clusters/one{API}/history/decisions")
            assert [each["result"] for each in decided["decisions"]] == ["scheduled"]

    tell(story())


def test_a_fork_has_another_configuration_and_other_settings() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.call("POST", CLUSTERS, {"configuration": CONFIGURATION})
            path = f"{API}/scheduler/configuration"
            found = await server.call("GET", FORK + path)
            assert [each["schedulerName"] for each in found["profiles"]] == ["other"]
            found = await server.call("GET", path)
            assert [each["schedulerName"] for each in found["profiles"]] == ["default-scheduler"]
            text = "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\n"
            body = {"configuration": text, "settings": {"launch_delay": "90s"}, "name": "slow"}
            await server.call("POST", CLUSTERS, body)
            await server.deploy(1, prefix="/clusters/slow")
            for seconds, phase in (("60s", "Pending"), ("40s", "Running")):
                await server.advance(seconds, "/clusters/slow")
                (pod,) = (await server.call("GET", f"/clusters/slow{PODS}"))["items"]
                assert pod["status"]["phase"] == phase
            found = await server.call("GET", f"/clusters/slow{API}/settings")
            assert found["components"] == {"launch_delay": "90s"}
            await server.call("POST", CLUSTERS, {"from": "slow", "name": "also-slow"})
            found = await server.call("GET", f"/clusters/also-slow{API}/settings")
            assert found["components"] == {"launch_delay": "90s"}

    tell(story())


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"from": "nope"}, 404, 'no cluster "nope"'),
        ({"at": "2030-01-01T00:00:00Z"}, 404, "lies in the future"),
        ({"at": "soon"}, 400, "write it as"),
        ({"name": "A b"}, 400, "lower case letters"),
        ({"name": "taken"}, 409, "choose another name"),
        ({"configuration": {"apiVersion": "v1", "kind": "Pod"}}, 400, '"Pod"'),
        ({"configuration": {**CONFIGURATION, "profile": []}}, 400, "profile"),
        ({"settings": {"launch_dely": "5s"}}, 400, "did you mean kubelet.launch-delay?"),
        ({"settings": {"launch_delay": "soon"}}, 400, "soon"),
        ({"sed": 1}, 400, "did you mean seed?"),
    ],
)
def test_a_fork_that_cannot_be_is_refused(body: Any, status: int, message: str) -> None:
    async def story() -> None:
        async with serving() as server:
            await server.call("POST", CLUSTERS, {"name": "taken"})
            assert message in await server.refused(status, "POST", CLUSTERS, body)
            assert set(await rows(server)) == {"", "taken"}

    tell(story())


def test_there_is_room_for_so_many_forks_and_one_makes_room_by_going() -> None:
    async def story() -> None:
        async with serving() as server:
            made = await asyncio.gather(
                *(server.ask("POST", CLUSTERS, {}) for _ in range(MOST_FORKS + 2))
            )
            assert sorted(each.status for each in made) == [201] * MOST_FORKS + [409] * 2
            assert "remove one" in await server.refused(409, "POST", CLUSTERS, {})
            left = await server.call("DELETE", f"{CLUSTERS}/fork-3")
            assert len(left["clusters"]) == MOST_FORKS
            await server.refused(404, "GET", "/clusters/fork-3/api/v1/pods")
            assert (await server.call("POST", CLUSTERS, {}))["name"] == "fork-3"
            await server.refused(404, "DELETE", f"{CLUSTERS}/none")

    tell(story())


def test_a_fork_that_is_removed_is_freed_and_its_watches_end() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.deploy(2)
            await server.advance("5s")
            await server.call("POST", CLUSTERS, {})
            application = server.served.application
            opened = await calling.watch(application, FORK + PODS, LOCAL)
            for _ in range(2):
                assert (await opened.next())["type"] == "ADDED"
            await server.advance("5s", FORK)
            await server.call("GET", f"{FORK}/at/2026-01-01T00:00:07Z{PODS}")
            await server.call("GET", f"{FORK}{API}/history/map")
            gone = weakref.ref(server.served.clusters.find("fork-1").live.stage)
            await server.call("DELETE", f"{CLUSTERS}/fork-1")
            while (event := await opened.next()) is not None:
                assert event["type"] in ("MODIFIED", "BOOKMARK")
            await opened.leave()
            del opened
            async with asyncio.timeout(HANG_S):
                while gone() is not None:
                    await asyncio.sleep(0.01)

    tell(story())


def kept_run(name: str = "run-1") -> ClusterEntry:
    """A run that has ended, with its history and attempts."""
    made = stage()
    history = ClusterHistory(made.store, made.clock)
    history.start()
    assert made.scheduler is not None
    rows: list[AttemptRow] = []

    class Listener:
        def attempted(self, decision: Any, attempt: Any, explained: Any) -> None:
            rows.append(AttemptRow(decision, attempt.pod.uid, made.clock.unix_ns))

    made.scheduler.record.hand_on(Listener())
    made.apply([make_deployment("web", replicas=2)])
    made.run("10s")
    history.note("step", "", "the load begins")
    made.run("1m")
    history.close()
    made.scheduler.record.hand_on(None)
    return ClusterEntry(
        stage=made,
        name=name,
        title=f"The run {name}",
        kind="living",
        history=history,
        attempts=rows,
        is_read_only=True,
    )


@pytest.mark.parametrize("prefix", ["", "/clusters/run-1", "/clusters/run-2"])
def test_a_kept_run_can_be_read_and_not_changed(prefix: str) -> None:
    async def story() -> None:
        async with serving(kept_run(), (kept_run("run-2"),)) as server:
            assert len(await server.names(prefix + PODS)) == 2
            clock = await server.call("GET", f"{prefix}{API}/clock")
            assert (clock["mode"], clock["now"]) == ("paused", "2026-01-01T00:01:10Z")
            refusal = "this is a kept run: fork it to change it"
            for method, path, body in (
                ("POST", NODES, make_node("c")),
                ("DELETE", f"{DEPLOYMENTS}/web", None),
                ("PUT", f"{API}/clock", {"mode": "jump"}),
                ("POST", f"{API}/clock/advance", {"duration": "1s"}),
            ):
                assert await server.refused(403, method, prefix + path, body) == refusal
            review = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
            path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
            assert (await server.call("POST", prefix + path, review))["status"]["allowed"]
            assert await server.names(f"{prefix}/at/2026-01-01T00:00:00Z{NODES}") == ["a", "b"]
            marks = (await server.call("GET", f"{prefix}{API}/history/marks"))["marks"]
            assert "the load begins" in {each["text"] for each in marks}
            decided = await server.call("GET", f"{prefix}{API}/history/decisions")
            assert [each["result"] for each in decided["decisions"]] == ["scheduled"] * 2
            name = (await server.names(prefix + PODS))[0]
            why = await server.call("GET", f"{prefix}{API}/explanations/default/{name}")
            assert [each["result"] for each in why["attempts"]] == ["scheduled"]

    tell(story())


def test_a_kept_run_is_forked_to_go_on() -> None:
    async def story() -> None:
        async with serving(kept_run(), (kept_run("run-2"),)) as server:
            found = await rows(server)
            assert [each["title"] for each in found.values()] == ["The run run-1", "The run run-2"]
            assert {each["isReadOnly"] for each in found.values()} == {True}
            made = await server.call("POST", CLUSTERS, {"from": "run-1", "name": "first"})
            assert made["origin"]["cluster"] == ""
            await server.call("DELETE", f"{CLUSTERS}/first")
            body = {"from": "run-2", "at": "2026-01-01T00:00:01Z"}
            made = await server.call("POST", f"/clusters/run-2{CLUSTERS}", body)
            assert made["origin"]["cluster"] == "run-2"
            await server.call("POST", FORK + NODES, make_node("c"))
            await server.deploy(2, "more", FORK)
            await server.advance("20s", FORK)
            pods = await server.call("GET", FORK + PODS)
            assert [each["status"]["phase"] for each in pods["items"]] == ["Running"] * 4
            assert "as long as its server is" in await server.refused(
                409, "DELETE", f"{CLUSTERS}/run-1"
            )
            await server.call("DELETE", f"{CLUSTERS}/run-2")
            assert set(await rows(server)) == {"", "fork-1"}

    tell(story())


def test_forks_of_a_recorded_cluster_may_have_controllers_that_it_has_not() -> None:
    async def story() -> None:
        bare = stage(controllers=False)
        entry = ClusterEntry(
            stage=bare, name="load", kind="load", is_read_only=True, forks_have_controllers=True
        )
        async with serving(entry) as server:
            await server.call("POST", CLUSTERS, {"settings": {"launch_delay": "1s"}})
            await server.deploy(1, prefix=FORK)
            await server.advance("10s", FORK)
            (pod,) = (await server.call("GET", FORK + PODS))["items"]
            assert pod["status"]["phase"] == "Running"

    tell(story())


def test_a_cluster_without_controllers_has_forks_without_them() -> None:
    async def story() -> None:
        async with serving(stage(controllers=False)) as server:
            await server.call("POST", CLUSTERS, {})
            await server.deploy(1, prefix=FORK)
            await server.advance("10s", FORK)
            assert await server.names(FORK + PODS) == []
            body = {"settings": {"launch_delay": "1s"}}
            assert "no controllers" in await server.refused(400, "POST", CLUSTERS, body)

    tell(story())


def test_the_guard_holds_for_all_clusters() -> None:
    async def story() -> None:
        security = SecuritySettings(token="secret")
        async with serving(security=security) as server:
            bearer = {"authorization": "Bearer secret"}
            await server.call("POST", CLUSTERS, {}, headers=bearer)
            for path in (FORK + PODS, f"{FORK}{API}/clock", f"/at/2026-01-01T00:00:00Z{PODS}"):
                assert (await server.ask("GET", path)).status == 401
                assert (await server.ask("GET", path, headers=bearer)).status == 200
            origin = {"origin": "http://evil.example", **bearer}
            body = make_node("c")
            assert (await server.ask("POST", FORK + NODES, body, headers=origin)).status == 403
            large = {"content-length": str(1 << 30), **bearer}
            assert (await server.ask("POST", FORK + NODES, b"{}", headers=large)).status == 413

    tell(story())


def test_metrics_discovery_and_the_page_below_a_prefix() -> None:
    async def story() -> None:
        async with serving() as server:
            await server.call("POST", CLUSTERS, {})
            await server.call("POST", FORK + NODES, make_node("c"))
            metrics = (await server.ask("GET", f"{FORK}/metrics")).body.decode()
            assert 'apiserver_storage_objects{resource="nodes"} 3' in metrics
            counted = [line for line in metrics.splitlines() if 'resource="nodes"' in line]
            assert any('verb="POST"' in line for line in counted)
            assert (await server.call("GET", f"{FORK}/api/v1"))["kind"] == "APIResourceList"
            assert (await server.call("GET", f"{FORK}/version"))["gitVersion"]
            visit = {"accept": "text/html"}
            answer = await server.ask("GET", f"{FORK}/", headers=visit)
            assert (answer.status, answer.header("location")) == (302, ["/ui/?cluster=fork-1"])
            answer = await server.ask("GET", "/at/2026-01-01T00:00:00Z/ui/", headers=visit)
            assert answer.header("location") == ["/ui/#/map?at=2026-01-01T00%3A00%3A00Z"]
            assert "there are fork-1" in await server.refused(404, "GET", "/clusters/x/api")

    tell(story())


def test_an_application_alone_has_no_other_clusters() -> None:
    async def story() -> None:
        application = calling.application(Stage())
        answer = await calling.call(application, "GET", CLUSTERS)
        assert answer.status == 404

    tell(story())
