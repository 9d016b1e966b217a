"""The real kube-controller-manager and kube-scheduler on simulated nodes, by their own requests.

The requests were recorded from the real programs v1.36.4: one of each shape, with its bytes. Each
is sent again to a stage on which its object is there; versions and uids in it become the present
ones, which have the same length.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import pytest

from kubestage.controllers import leases, registry
from kubestage.server import assembly, outside_controllers
from kubestage.server.assembly import AssemblyOptions
from kubestage.server.outside_controllers import LeaseRenewals
from kubestage.server.pacing import Mode
from kubestage.server.protobuf import envelope
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.golden import vectors
from tests.server.calling import Watching, call
from tests.server.protobuf import encoding

if TYPE_CHECKING:
    from kubestage.aliases import Json

KCM = {"user-agent": "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/1/deployment"}
PODS = "/api/v1/namespaces/default/pods"
_UID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_VERSION = re.compile(rb"17\d{11}")
# The newest version of the recorded cluster had as many digits.
FIRST_REVISION = 1_794_900_000_000


def kubelets_only() -> Stage:
    stage = Stage(implicit_namespaces=False, garbage="manual", first_revision=FIRST_REVISION)
    stage.apply([make_node(f"node-{number}") for number in range(5)])
    stage.add_controllers(loops=registry.MACHINES)
    stage.run(1_000_000_000)
    return stage


def served(
    stage: Stage, controllers: Literal["built-in", "outside"] = "outside"
) -> assembly.Served:
    options = AssemblyOptions(mode=Mode.PAUSED, controllers=controllers, scheduler="none")
    return assembly.Served(stage, options)


def recorded() -> list[Json]:
    found: list[Json] = vectors.load("outside-requests")
    return found


def reads(*, watches: bool) -> list[Any]:
    return [
        pytest.param(each, id=f"{each['program']} {each['path']} {each['accept'][:60]}")
        for each in recorded()
        if each["method"] == "GET" and ("watch" in each["query"]) is watches
    ]


def writes() -> list[Any]:
    return [
        pytest.param(each, id=f"{each['program']} {each['method']} {each['path']}")
        for each in recorded()
        if each["method"] != "GET"
    ]


@functools.cache
def known_objects() -> dict[str, Json]:
    """An object of each resource, from the body of a request that created or replaced one."""
    found: dict[str, Json] = {}
    for each in sorted(recorded(), key=lambda each: each["method"] != "POST"):
        data = base64.b64decode(each["body"])
        if each["method"] in ("POST", "PUT") and data.startswith(envelope.MAGIC):
            obj = envelope.decode(data)
            if obj["kind"] not in ("Binding", "Scale", "DeleteOptions"):
                found.setdefault(collection_of(each["path"])[0], obj)
    return found


def collection_of(path: str) -> tuple[str, str]:
    """The path of a collection without its namespace, and the name that is requested in it."""
    shape = r"(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/[^/]+(?=/(?!status|finalize)))?/([^/]+)"
    found = re.match(shape, path)
    assert found is not None
    rest = path[found.end() :].strip("/").split("/")
    return f"{found[1]}/{found[2]}", rest[0]


async def prepare(app: Any, request: Json) -> Json | None:
    """Have the namespace and the object of a request; the object, if it has to be there."""
    namespace = re.search("/namespaces/([^/]+)", request["path"])
    if namespace is not None:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace[1]}}
        await call(app, "POST", "/api/v1/namespaces", body)
    resource, name = collection_of(request["path"])
    if not name:
        return None
    if resource == "/api/v1/namespaces":
        return await read(app, f"/api/v1/namespaces/{name}")
    place = request["path"].rpartition(f"/{name}")[0]
    if (await call(app, "GET", f"{place}/{name}")).status == 404:
        await create(app, place, name, known_objects()[resource])
    return await read(app, f"{place}/{name}")


async def read(app: Any, path: str) -> Json:
    found: Json = (await call(app, "GET", path)).json
    return found


async def create(app: Any, place: str, name: str, obj: Json) -> None:
    metadata = {
        key: value
        for key, value in obj["metadata"].items()
        if key in ("labels", "annotations", "finalizers")
    }
    body = {**obj, "metadata": {**metadata, "name": name}}
    if "involvedObject" in obj:
        body["involvedObject"] = {**obj["involvedObject"], "namespace": "default"}
    answer = await call(app, "POST", place, body)
    assert answer.status == 201, answer.body


def present(request: Json, obj: Json | None) -> bytes:
    """The body of a request with the uid and the version of the object that is there."""
    body = base64.b64decode(request["body"])
    if obj is not None and "deletionTimestamp" in obj["metadata"]:
        return encoding.envelope({**envelope.decode(body), "metadata": obj["metadata"]})
    if obj is None:
        return _VERSION.sub(b"", body) if body[:1] == b"{" else body
    metadata = obj["metadata"]
    if request["method"] in ("PUT", "PATCH", "DELETE"):
        body = _VERSION.sub(metadata["resourceVersion"].encode(), body)
    own = _own_uid(body)
    return body if own is None else body.replace(own, metadata["uid"].encode())


def _own_uid(body: bytes) -> bytes | None:
    """The uid by which a request means its object: not one of an owner."""
    if not body.startswith(envelope.MAGIC):
        found = _UID.search(body)
        return None if found is None else found[0]
    obj = envelope.decode(body)
    uid = obj.get("metadata", {}).get("uid") or (obj.get("preconditions") or {}).get("uid")
    return None if uid is None else uid.encode()


@pytest.mark.parametrize("request_", reads(watches=False))
def test_a_recorded_read_is_answered(request_: Json) -> None:
    async def scenario() -> None:
        app = served(kubelets_only()).clusters.first.application
        if "/apis/metrics.k8s.io" not in request_["path"]:
            await prepare_read(app, request_)
        answer = await call(
            app,
            "GET",
            request_["path"],
            headers={"accept": request_["accept"], "user-agent": request_["program"]},
            **request_["query"],
        )
        assert answer.status == 200, answer.body[:300]

    asyncio.run(scenario())


async def prepare_read(app: Any, request: Json) -> None:
    if re.match(r"/api/v1/|/apis/[^/]+/[^/]+/", request["path"]):
        await prepare(app, request)


@pytest.mark.parametrize("request_", reads(watches=True))
def test_a_recorded_watch_begins_with_all_that_there_is(request_: Json) -> None:
    async def scenario() -> None:
        app = served(kubelets_only()).clusters.first.application
        query = {key: value for key, value in request_["query"].items() if key != "watch"}
        accept = f"{request_['accept']}, application/json"
        headers = {"accept": accept.replace("application/vnd.kubernetes.protobuf, */*", "*/*")}
        watching = Watching(app, request_["path"], headers, query)
        event = await watching.next()
        while event["type"] == "ADDED":
            event = await watching.next()
        assert event["type"] == "BOOKMARK", event
        marks = event["object"]["metadata"]["annotations"]
        assert marks == {"k8s.io/initial-events-end": "true"}
        await watching.leave()

    asyncio.run(scenario())


@pytest.mark.parametrize("request_", writes())
def test_a_recorded_write_succeeds(request_: Json) -> None:
    async def scenario() -> None:
        app = served(kubelets_only()).clusters.first.application
        obj = await prepare(app, request_)
        if request_["path"].startswith("/api/v1/namespaces/tmp/") and obj is not None:
            # Both are about a namespace that is being deleted.
            place = f"/api/v1/namespaces/{obj['metadata']['name']}"
            await call(app, "DELETE", place)
            obj = await read(app, place)
        answer = await call(
            app,
            request_["method"],
            request_["path"],
            present(request_, obj),
            headers={
                "accept": request_["accept"],
                "content-type": request_["contentType"],
                "user-agent": KCM["user-agent"],
            },
            **request_["query"],
        )
        assert answer.status in (200, 201), answer.body[:400]

    asyncio.run(scenario())


def test_the_recording_covers_what_the_real_programs_do() -> None:
    found = {(each["program"], each["method"]) for each in recorded()}
    assert {method for program, method in found if program == "kube-controller-manager"} == {
        "GET", "POST", "PUT", "PATCH", "DELETE",
    }  # fmt: skip
    assert ("kube-scheduler", "POST") in found
    assert len(recorded()) > 100


def test_beside_built_in_controllers_the_real_ones_are_refused_with_the_reason() -> None:
    async def scenario() -> None:
        stage = Stage(implicit_namespaces=False)
        stage.add_controllers()
        app = served(stage, "built-in").clusters.first.application
        refused = await call(app, "POST", PODS, make_pod("p"), headers=KCM)
        assert refused.status == 403
        assert refused.json["message"] == outside_controllers.REFUSAL
        assert (await call(app, "GET", PODS, headers=KCM)).status == 200
        assert (await call(app, "POST", PODS, make_pod("p"))).status == 201

    asyncio.run(scenario())


def test_with_kubelets_alone_garbage_and_namespaces_are_left_to_others() -> None:
    stage = kubelets_only()
    store = stage.store
    stage.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}}])
    uid = store.get(("v1", "ConfigMap"), "owner", "default")["metadata"]["uid"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
    pod = make_pod("p", node_name="node-1")
    pod["metadata"]["ownerReferences"] = [reference]
    stage.apply([pod])
    stage.run(60_000_000_000)
    assert store.get(("v1", "Pod"), "p", "default")["status"]["phase"] == "Running"
    store.delete(("v1", "ConfigMap"), "owner", "default")
    stage.run(60_000_000_000)
    assert store.get(("v1", "Pod"), "p", "default")["status"]["phase"] == "Running"


def renewed(stage: Stage, name: str) -> str:
    found = stage.store.read(leases.LEASE).get(f"{leases.NAMESPACE}/{name}")
    assert found is not None
    time: str = found["spec"]["renewTime"]
    return time


def test_leases_are_renewed_even_where_time_stands_still() -> None:
    async def scenario() -> None:
        stage = kubelets_only()
        server = served(stage)
        before = {name: renewed(stage, name) for name in ("node-0", "node-4")}
        renewals = LeaseRenewals(server.live)
        for share in range(10):
            renewals.renew(share)
        after = {name: renewed(stage, name) for name in before}
        assert all(after[name] > before[name] for name in before)
        for share in range(10):
            renewals.renew(share)
        assert all(renewed(stage, name) > after[name] for name in before)

    asyncio.run(scenario())


def test_a_server_renews_leases_by_itself() -> None:
    async def scenario() -> None:
        stage = kubelets_only()
        server = served(stage)
        renewals = LeaseRenewals(server.live, interval_s=0.01)
        before = renewed(stage, "node-0")
        renewals.start()
        while renewed(stage, "node-0") == before:
            await asyncio.sleep(0.001)
        await renewals.close()

    asyncio.run(scenario())


def test_bodies_of_the_recording_are_read() -> None:
    sent = [each for each in recorded() if each["body"]]
    assert sent
    for each in sent:
        body = base64.b64decode(each["body"])
        assert body.startswith((envelope.MAGIC, b"{")), each["path"]
        if body.startswith(b"{"):
            msgspec.json.decode(body)
