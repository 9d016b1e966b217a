"""Snapshots: what leaves a cluster, and what comes in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import yaml

from kubestage.scenario import kss_export
from kubestage.testing import make_deployment, make_node, make_pod, make_replica_set
from tests.scenario.building import scenario
from tests.server.kubestage_api.asking import DEPLOYMENTS, ask, names, refused, served, told
from tests.server.live_stage import NODES, PODS, Served
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "lamps.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Lamp", "plural": "lamps"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"watts": {"type": "integer"}},
                                "required": ["watts"],
                            }
                        },
                    }
                },
            }
        ],
    },
}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LAMPS = "/apis/example.com/v1/namespaces/default/lamps"
LAMP = {
    "apiVersion": "example.com/v1",
    "kind": "Lamp",
    "metadata": {"name": "desk", "namespace": "default"},
    "spec": {"watts": 5},
}


async def _filled(stage: Served) -> None:
    await stage.call("POST", NODES, make_node("n1"))
    await stage.call("POST", DEPLOYMENTS, make_deployment("web", replicas=2))
    await stage.call("POST", PODS, make_pod("big", cpu="99"))
    await stage.quiet()


def _uids(stage: Served) -> dict[str, str]:
    return {
        key: pod["metadata"]["uid"] for key, pod in stage.live.store.read(("v1", "Pod")).items()
    }


def _recorded(obj: Json, uid: Any = "u-1") -> Json:
    return {**obj, "metadata": {**obj["metadata"], "uid": uid}}


def test_a_cluster_comes_back_as_it_was_exported() -> None:
    for alive in (True, False):

        async def story(alive: bool = alive) -> None:
            async with served(alive=alive) as stage:
                await _filled(stage)
                exported, there, uids = await told(stage, "GET", "/export"), names(stage), None
                uids = _uids(stage)
                kinds = {each["kind"] for each in exported["items"]}
                assert not kinds & {"Event", "Lease", "Scenario"}
                assert not any("resourceVersion" in x["metadata"] for x in exported["items"])
                await stage.call("POST", PODS, make_pod("later"))
                found = await told(stage, "POST", "/import", exported, mode="replace")
                assert found["created"] == len(exported["items"])
                assert found["removed"] >= len(uids) + 1
                await stage.quiet()
                assert names(stage) == there
                assert _uids(stage) == uids

        tell(story())


def test_an_import_may_be_yaml_and_what_is_new_is_admitted() -> None:
    async def story() -> None:
        async with served() as stage:
            objects = [make_node("n1"), make_pod("p"), LAMP, DEFINITION]
            found = await told(stage, "POST", "/import", yaml.safe_dump_all(objects).encode())
            assert found["created"] == 4
            assert {"apiVersion": "v1", "kind": "Pod", "count": 1} in found["kinds"]
            await stage.quiet()
            pod = await stage.call("GET", f"{PODS}/p")
            assert (pod["spec"]["priority"], pod["spec"]["nodeName"]) == (0, "n1")
            await stage.call("GET", "/apis/example.com/v1/namespaces/default/lamps/desk")

    tell(story())


def test_what_is_owned_may_come_before_its_owner() -> None:
    async def story() -> None:
        async with served(alive=False) as stage:
            owner = _recorded(make_replica_set("web"), "u-2")
            pod = _recorded(make_pod("web-1"))
            reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u-2"}
            pod["metadata"]["ownerReferences"] = [reference]
            await told(stage, "POST", "/import", {"kind": "List", "items": [pod, owner]})
            assert names(stage) == {"Pod": ["default/web-1"], "ReplicaSet": ["default/web"]}
            exported = await told(stage, "GET", "/export")
            kinds = [each["kind"] for each in exported["items"]]
            assert kinds.index("ReplicaSet") < kinds.index("Pod")

    tell(story())


def test_nothing_has_happened_if_anything_is_wrong() -> None:
    async def story() -> None:
        async with served() as stage:
            await _filled(stage)
            there, version = names(stage), stage.live.store.revision
            good = make_pod("good")
            wrong: list[tuple[int, Json, str]] = [
                (422, make_pod("bad", image=""), "items[1] (Pod bad)"),
                (400, {**make_pod("bad"), "sepc": {}}, "did you mean spec?"),
                (409, make_pod("big"), "items[1] (Pod big): is there already"),
                (422, make_pod("bad", namespace="nowhere"), 'namespaces "nowhere" not found'),
                (400, {"kind": "Pod"}, "apiVersion is missing"),
                (400, {"apiVersion": "v1", "kind": "Pod", "metadata": {}}, "metadata.name"),
                (400, {**LAMP, "kind": "Lmap"}, "items[1]"),
                (400, scenario(), "no part of a snapshot"),
                (400, {**make_pod("bad"), "spec": 5}, "items[1].spec: must be an object"),
                (
                    422,
                    _recorded(make_pod("bad", namespace="nowhere")),
                    "its namespace is not there",
                ),
                (400, _recorded(make_pod("bad"), ["x"]), "uid must be a string"),
            ]
            for status, bad, said in wrong:
                body = {"apiVersion": "v1", "kind": "List", "items": [good, bad]}
                assert said in await refused(stage, status, "POST", "/import", body), said
            assert "line" not in await refused(stage, 400, "POST", "/import", b"")
            await refused(stage, 400, "POST", "/import", b"{]")
            huge = _recorded(make_pod("bad"))
            huge["spec"] = {**huge["spec"], "priority": 1e30}
            assert "cannot be handled as a Pod" in await refused(
                stage, 400, "POST", "/import", huge
            )
            body = {"kind": "List", "items": [good, make_pod("bad", image="")]}
            await refused(stage, 422, "POST", "/import", body, mode="replace")
            assert names(stage) == there
            assert stage.live.store.revision == version
            assert stage.pacer.mode.value == "jump"

    tell(story())


def test_nothing_is_left_of_an_import_whose_names_somebody_takes_meanwhile() -> None:
    async def story() -> None:
        async with served() as stage:
            pods = [_recorded(make_pod(f"p{number:03}"), f"u-{number}") for number in range(400)]
            body = {"kind": "List", "items": pods}
            answer = asyncio.ensure_future(ask(stage, "POST", "/import", body))
            while not stage.live.state.operation:
                await asyncio.sleep(0)
            stage.live.store.create(make_pod("p399"))
            found = await answer
            assert (found.status, found.json["reason"]) == (409, "AlreadyExists")
            assert "items[399] (Pod p399)" in found.json["message"]
            assert names(stage) == {"Pod": ["default/p399"]}
            assert stage.pacer.mode.value == "jump"

    tell(story())


def test_a_replacement_that_fails_brings_back_what_was_there() -> None:
    async def story() -> None:
        async with served() as stage:
            await _filled(stage)
            await stage.call("POST", DEFINITIONS, DEFINITION)
            await stage.call("POST", LAMPS, LAMP)
            there, uids = names(stage), _uids(stage)
            pods = [_recorded(make_pod(f"p{number:03}"), f"u-{number}") for number in range(400)]
            body = {"kind": "List", "items": pods}
            store = stage.live.store

            def interfere(change: Change) -> None:
                if change.key == "default/p000":
                    store.unsubscribe(interfere)
                    store.create(make_pod("p399"))

            store.subscribe(interfere, {("", "Pod")})
            found = await ask(stage, "POST", "/import", body, mode="replace")
            assert (found.status, found.json["reason"]) == (409, "AlreadyExists")
            assert names(stage) == {**there, "Pod": sorted([*there["Pod"], "default/p399"])}
            await stage.call("DELETE", f"{PODS}/p399")
            await stage.quiet()
            assert _uids(stage) == uids
            await stage.call("GET", f"{LAMPS}/desk")

    tell(story())


def test_what_kube_scheduler_simulator_exports_goes_out_and_comes_in() -> None:
    async def story() -> None:
        async with served() as stage:
            await _filled(stage)
            exported = await told(stage, "GET", "/export", format="kss")
            assert set(exported) == kss_export.KEYS
            assert not exported["namespaces"]
            assert len(exported["pods"]) == 3
            exported["schedulerConfig"]["podMaxBackoffSeconds"] = 44
            body = yaml.safe_dump(exported).encode()
            found = await told(stage, "POST", "/import", body, mode="replace")
            assert (found["created"], found["schedulerConfiguration"]) == (4, "applied")
            settings = await told(stage, "GET", "/scheduler/configuration")
            assert settings["podMaxBackoffSeconds"] == 44
            assert len(names(stage)["Pod"]) == 3
            again = await told(
                stage, "POST", "/import", body, mode="replace", configuration="ignore"
            )
            assert again["schedulerConfiguration"] == "ignored"
            exported["schedulerConfig"]["parallelism"] = -1
            body = yaml.safe_dump(exported).encode()
            await refused(stage, 422, "POST", "/import", body, mode="replace")
            answer = await ask(stage, "POST", "/import", {"pods": [], "nods": []})
            assert answer.status == 400

    tell(story())
