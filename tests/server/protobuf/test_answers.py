"""Answers in protobuf, read back by the reader of request bodies."""

from __future__ import annotations

import asyncio

from kubestage.server.protobuf import envelope, messages, responses, table
from tests.golden import vectors
from tests.server import calling
from tests.server.protobuf.answers import fields, read, unpacked
from tests.server.protobuf.test_round_trip import without_null

ONLY = {"accept": "application/vnd.kubernetes.protobuf"}
_AS = "as=PartialObjectMetadata{};g=meta.k8s.io;v=v1"
BOTH = "application/vnd.kubernetes.protobuf;{0},application/json;{0},application/json"
MAPS = "/api/v1/namespaces/default/configmaps"


def frames(body: bytes) -> list[tuple[str, bytes]]:
    """The events of a watch: their types, and the bodies of their objects."""
    found = []
    while body:
        size = int.from_bytes(body[:4], "big")
        event = fields(body[4 : 4 + size])
        found.append((event[1][0].decode(), fields(event[2][0])[1][0]))
        body = body[4 + size :]
    return found


def test_every_recorded_object_is_written_as_it_is_read() -> None:
    for entry in vectors.load("defaulting"):
        obj = entry["out"].get("defaulted")
        if obj and table.message_of(obj["apiVersion"], obj["kind"]):
            assert envelope.decode(responses.body(obj)) == without_null(obj), entry["id"]


def test_schemas_of_definitions_survive() -> None:
    nested = {"type": "object", "additionalProperties": {"type": "string"}, "default": {"a": 1}}
    schema = {"type": "array", "items": nested, "maximum": 1.5, "nullable": True}
    versions = [{"name": "v1", "served": True, "storage": True}]
    versions[0]["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {"a": schema}}}
    obj = {
        "kind": "CustomResourceDefinition",
        "apiVersion": "apiextensions.k8s.io/v1",
        "spec": {"group": "g", "versions": versions},
    }
    found = envelope.decode(responses.body(obj))["spec"]["versions"][0]["schema"]
    assert found["openAPIV3Schema"]["properties"]["a"] == schema


def test_who_accepts_nothing_else_gets_objects_lists_and_refusals() -> None:
    async def story() -> None:
        app = calling.application()
        await calling.call(app, "POST", MAPS, {"metadata": {"name": "a"}, "data": {"k": "v"}})
        one = await calling.call(app, "GET", f"{MAPS}/a", headers=ONLY)
        assert one.header("content-type") == ["application/vnd.kubernetes.protobuf"]
        assert envelope.decode(one.body)["data"] == {"k": "v"}
        several = await calling.call(app, "GET", MAPS, headers=ONLY)
        api_version, kind, message = unpacked(several.body)
        assert (api_version, kind) == ("v1", "ConfigMapList")
        (item,) = fields(message)[2]
        assert messages.decode("core.v1.ConfigMap", item)["metadata"]["name"] == "a"
        missing = await calling.call(app, "GET", f"{MAPS}/b", headers=ONLY)
        assert missing.status == 404
        assert unpacked(missing.body)[:2] == ("v1", "Status")
        assert fields(unpacked(missing.body)[2])[6] == [404]

    asyncio.run(story())


def test_metadata_is_sent_so_to_those_who_prefer_it() -> None:
    async def story() -> None:
        app = calling.application()
        body = {"metadata": {"name": "a", "labels": {"x": "y"}}, "data": {"k": "v"}}
        await calling.call(app, "POST", MAPS, body)
        accept = {"accept": BOTH.format(_AS.format(""))}
        one = await calling.call(app, "GET", f"{MAPS}/a", headers=accept)
        assert unpacked(one.body)[:2] == ("meta.k8s.io/v1", "PartialObjectMetadata")
        metadata = fields(unpacked(one.body)[2])[1][0]
        assert messages.decode("meta.v1.ObjectMeta", metadata)["labels"] == {"x": "y"}
        accept = {"accept": BOTH.format(_AS.format("List"))}
        several = await calling.call(app, "GET", MAPS, headers=accept)
        assert unpacked(several.body)[1] == "PartialObjectMetadataList"
        whole = await calling.call(app, "GET", MAPS, headers={"accept": f"{ONLY['accept']},*/*"})
        assert whole.json["kind"] == "ConfigMapList"

    asyncio.run(story())


def test_a_watch_begins_with_what_is_there_and_marks_its_end() -> None:
    async def story() -> None:
        app = calling.application()
        await calling.call(app, "POST", MAPS, {"metadata": {"name": "a"}})
        options = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        accept = {"accept": BOTH.format(_AS.format(""))}
        answer = await calling.call(
            app, "GET", MAPS, headers=accept, watch="1", timeoutSeconds="1",
            allowWatchBookmarks="true", **options,
        )  # fmt: skip
        types = answer.header("content-type")
        assert types == ["application/vnd.kubernetes.protobuf;stream=watch"]
        (added, obj), (bookmark, end), *_ = frames(answer.body)
        assert (added, bookmark) == ("ADDED", "BOOKMARK")
        assert unpacked(obj)[1] == unpacked(end)[1] == "PartialObjectMetadata"
        metadata = messages.decode("meta.v1.ObjectMeta", fields(unpacked(end)[2])[1][0])
        assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}

    asyncio.run(story())


def test_what_has_no_message_is_not_acceptable() -> None:
    async def story() -> None:
        app = calling.application()
        table_form = {"accept": f"{ONLY['accept']};as=Table;g=meta.k8s.io;v=v1"}
        assert (await calling.call(app, "GET", MAPS, headers=table_form)).status == 406
        for query in ({}, {"watch": "1"}):
            traffics = "/apis/kubestage.dev/v1alpha1/traffics"
            answer = await calling.call(app, "GET", traffics, headers=ONLY, **query)
            assert answer.status == 406
            assert unpacked(answer.body)[1] == "Status"

    asyncio.run(story())


def test_a_status_is_whole() -> None:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {"continue": "t"},
        "status": "Failure",
        "details": {"name": "n", "causes": [{"reason": "r", "field": "f"}]},
        "code": 410,
    }
    assert read(responses.body(status)) == status
