"""What clients rely on besides objects: documents, media types, headers, lists and watches."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.server import calling

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.server.calling import Answer


MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
KUBECTL = f"{AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
SPEC = {"containers": [{"name": "c", "image": "busybox"}]}


def ask(
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
    app: Any = None,
    **query: Any,
) -> Answer:
    """One request to a server of its own, or to one that knows of earlier ones."""
    call = calling.call(app or calling.application(), method, path, body, headers, **query)
    return asyncio.run(call)


@pytest.mark.parametrize("path", ["/api", "/api/", "/apis", "/apis/"])
def test_aggregated_discovery_says_exactly_what_it_is(path: str) -> None:
    answer = ask("GET", path, headers={"accept": f"{KUBECTL},application/json"})
    assert answer.status == 200
    assert answer.header("content-type") == [AGGREGATED]
    assert answer.header("vary") == ["Accept"]
    assert answer.json["kind"] == "APIGroupDiscoveryList"
    (etag,) = answer.header("etag")
    again = ask("GET", path, headers={"accept": KUBECTL, "if-none-match": etag})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/", "APIVersions"),
        ("/apis/", "APIGroupList"),
        ("/api/v1/", "APIResourceList"),
        ("/apis/apps/", "APIGroup"),
        ("/apis/apps/v1/", "APIResourceList"),
        ("/apis/events.k8s.io/v1/", "APIResourceList"),
    ],
)
def test_legacy_discovery_ends_with_a_slash_or_not(path: str, kind: str) -> None:
    answers = [ask("GET", each) for each in (path, path.rstrip("/"))]
    assert [each.status for each in answers] == [200, 200]
    assert answers[0].json == answers[1].json
    assert answers[0].json["kind"] == kind
    assert answers[0].header("content-type") == ["application/json"]


def test_drain_evicts_because_legacy_discovery_says_how() -> None:
    resources = {each["name"]: each for each in ask("GET", "/api/v1").json["resources"]}
    eviction = resources["pods/eviction"]
    assert (eviction["group"], eviction["version"], eviction["kind"]) == (
        "policy",
        "v1",
        "Eviction",
    )
    assert resources["pods"]["shortNames"] == ["po"]
    assert resources["pods"]["categories"] == ["all"]
    assert resources["pods"]["singularName"] == "pod"


@pytest.mark.parametrize("path", ["/version", "/version/"])
def test_the_version_has_two_paths(path: str) -> None:
    answer = ask("GET", path, timeout="5s")
    assert (answer.json["major"], answer.json["minor"]) == ("1", "36")


def test_a_document_of_the_index_is_never_fetched_twice() -> None:
    app = calling.application()
    index = ask("GET", "/openapi/v3", app=app).json["paths"]
    url = index["api/v1"]["serverRelativeURL"]
    path, _, query = url.partition("?hash=")
    assert path == "/openapi/v3/api/v1"
    answer = ask("GET", path, app=app, hash=query)
    assert answer.status == 200
    assert answer.header("cache-control") == ["public, immutable"]
    assert answer.header("etag") == [f'"{query}"']
    assert len(answer.header("expires")) == 1
    older = ask("GET", path, app=app, hash="0" * len(query))
    assert older.status == 301
    assert older.header("location") == [url]


UNKNOWN = {"metadata": {"name": "m"}, "data": {"a": "b"}, "unknown": 1}


def test_an_unknown_field_is_refused_only_if_one_is_strict() -> None:
    answer = ask("POST", MAPS, UNKNOWN, fieldValidation="Strict")
    assert answer.status == 400
    assert 'strict decoding error: unknown field "unknown"' in answer.json["message"]
    assert ask("POST", MAPS, UNKNOWN, fieldValidation="Ignore").header("warning") == []


def test_an_unknown_field_is_warned_of_even_if_the_request_fails() -> None:
    warning = ['299 - "unknown field \\"unknown\\""']
    assert ask("POST", MAPS, UNKNOWN, fieldValidation="Warn").header("warning") == warning
    wrong = {**UNKNOWN, "metadata": {"name": "Not A Name"}}
    failed = ask("POST", MAPS, wrong, fieldValidation="Warn")
    assert failed.status == 422
    assert failed.header("warning") == warning


def test_a_value_of_another_type_is_a_bad_request() -> None:
    answer = ask("POST", MAPS, {"metadata": {"name": "m"}, "data": {"a": 1}})
    assert (answer.status, answer.json["reason"]) == (400, "BadRequest")


@pytest.mark.parametrize(
    ("media_type", "body", "status"),
    [
        ("", b'{"metadata":{"name":"m"}}', 201),
        ("application/json", b'{"metadata":{"name":"m"}}', 201),
        ("application/json; charset=utf-8", b'{"metadata":{"name":"m"}}', 201),
        ("application/yaml", b"metadata:\n  name: m\n", 201),
        ("application/cbor", b"\xd9\xd9\xf7\xa0", 415),
        ("text/plain", b"metadata", 415),
    ],
)
def test_bodies_are_json_unless_they_say_otherwise(
    media_type: str, body: bytes, status: int
) -> None:
    answer = ask("POST", MAPS, body, {"content-type": media_type} if media_type else None)
    assert answer.status == status
    if status == 415:
        assert answer.json["reason"] == "UnsupportedMediaType"


def test_tables_have_the_columns_of_the_real_server() -> None:
    accept = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
    found = ask("GET", PODS, headers=accept).json
    assert [each["name"] for each in found["columnDefinitions"]] == [
        "Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node",
        "Readiness Gates",
    ]  # fmt: skip
    assert [each["priority"] for each in found["columnDefinitions"]] == [0] * 5 + [1] * 4


@pytest.mark.parametrize("size", [100, 500])
def test_lists_come_in_pages_of_the_size_that_clients_ask_for(size: int) -> None:
    app = calling.application()
    for number in range(size + 1):
        ask("POST", MAPS, {"metadata": {"name": f"m{number:04}"}}, app=app)
    first = ask("GET", MAPS, app=app, limit=size).json
    assert len(first["items"]) == size
    assert first["metadata"]["remainingItemCount"] == 1
    token = first["metadata"]["continue"]
    ask("POST", MAPS, {"metadata": {"name": "zz"}}, app=app)
    rest = ask("GET", MAPS, app=app, limit=size, **{"continue": token}).json
    assert [each["metadata"]["name"] for each in rest["items"]] == [f"m{size:04}"]
    assert rest["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_versions_of_lists_are_numbers_that_have_been() -> None:
    future = ask("GET", MAPS, resourceVersion="999999999999")
    assert (future.status, future.json["reason"]) == (504, "Timeout")
    (cause,) = future.json["details"]["causes"]
    assert cause["reason"] == "ResourceVersionTooLarge"
    assert ask("GET", MAPS, resourceVersion="one").status == 400
    token: Json = {"continue": "one"}
    assert ask("GET", MAPS, **token).status == 400
    for version in ("", "0"):
        assert ask("GET", MAPS, resourceVersion=version).status == 200


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"labelSelector": "a=b,c!=d,e in (f,g),h notin (i),j,!k"}, 200),
        ({"labelSelector": "a in"}, 400),
        ({"fieldSelector": "metadata.name=a,metadata.name=a"}, 200),
        ({"fieldSelector": "spec.hostNetwork=false,status.nominatedNodeName="}, 200),
        ({"fieldSelector": "spec.priority=1"}, 400),
    ],
)
def test_selectors_are_parsed_or_refused(query: Json, status: int) -> None:
    answer = ask("GET", PODS, **query)
    assert answer.status == status
    if "spec.priority" in str(query):
        assert "field label not supported: spec.priority" in answer.json["message"]


@pytest.mark.parametrize(
    ("media_type", "body", "status"),
    [
        ("application/json-patch+json", b'[{"op":"remove","path":"/data/none"}]', 422),
        ("application/merge-patch+json", b'{"data":{"a":null}}', 200),
        ("application/strategic-merge-patch+json", b'{"data":{"$patch":"replace"}}', 200),
        ("application/json", b"{}", 415),
        ("application/apply-patch+yaml", b'{"apiVersion":"v1","kind":"ConfigMap"}', 422),
    ],
)
def test_patches_are_of_four_kinds(media_type: str, body: bytes, status: int) -> None:
    app = calling.application()
    ask("POST", MAPS, {"metadata": {"name": "m"}, "data": {"a": "b"}}, app=app)
    assert ask("PATCH", f"{MAPS}/m", body, {"content-type": media_type}, app=app).status == status


def test_custom_resources_know_no_strategic_merge() -> None:
    app = calling.application()
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "widgets", "kind": "Widget"}
    spec = {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]}
    body = {"metadata": {"name": "widgets.example.com"}, "spec": spec}
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert ask("POST", path, body, app=app).status == 201
    headers = {"content-type": "application/strategic-merge-patch+json"}
    answer = ask("PATCH", "/apis/example.com/v1/widgets/none", b"{}", headers, app)
    assert (answer.status, answer.json["reason"]) == (415, "UnsupportedMediaType")


def test_metadata_alone_may_be_asked_for() -> None:
    app = calling.application()
    ask("POST", MAPS, {"metadata": {"name": "m"}, "data": {"a": "b"}}, app=app)
    form = "application/json;as={};v=v1;g=meta.k8s.io"
    accept = {"accept": form.format("PartialObjectMetadata")}
    found = ask("GET", f"{MAPS}/m", headers=accept, app=app).json
    assert (found["kind"], found["metadata"]["name"]) == ("PartialObjectMetadata", "m")
    assert "data" not in found
    accept = {"accept": form.format("PartialObjectMetadataList")}
    listed = ask("GET", MAPS, headers=accept, app=app).json
    assert listed["kind"] == "PartialObjectMetadataList"
    assert "data" not in listed["items"][0]


def test_a_watch_of_one_object_tells_of_its_end_with_a_version_of_its_own() -> None:
    async def story() -> None:
        app = calling.application()
        for name in ("a", "b"):
            await calling.call(app, "POST", MAPS, {"metadata": {"name": name}})
        watch = await calling.watch(app, MAPS, fieldSelector="metadata.name=b")
        added = (await watch.next())["object"]["metadata"]
        await calling.call(app, "DELETE", f"{MAPS}/a")
        await calling.call(app, "DELETE", f"{MAPS}/b")
        event = await watch.next()
        assert (event["type"], event["object"]["metadata"]["name"]) == ("DELETED", "b")
        assert int(event["object"]["metadata"]["resourceVersion"]) > int(added["resourceVersion"])
        await watch.leave()

    asyncio.run(story())


@pytest.mark.parametrize("path", ["healthz", "livez", "readyz", "livez/ping", "readyz/ping"])
def test_health_is_plain_text(path: str) -> None:
    answer = ask("GET", f"/{path}")
    assert (answer.status, answer.body) == (200, b"ok")
    assert answer.header("content-type")[0].startswith("text/plain")


@pytest.mark.parametrize("action", ["exec", "attach", "portforward"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nobody_is_to_be_talked_to_and_is_told_so(action: str, method: str) -> None:
    app = calling.application()
    ask("POST", PODS, {"metadata": {"name": "p"}, "spec": SPEC}, app=app)
    spdy = {"upgrade": "SPDY/3.1", "connection": "Upgrade"}
    answer = ask(method, f"{PODS}/p/{action}", headers=spdy, app=app)
    assert (answer.status, answer.json["kind"]) == (400, "Status")


def test_a_path_is_taken_as_it_is_written() -> None:
    app = calling.application()
    assert "paths" in asyncio.run(calling.call(app, "GET", "/")).json
    for path in ("//api/v1/nodes", "//"):
        assert asyncio.run(calling.call(app, "GET", path)).status == 404
