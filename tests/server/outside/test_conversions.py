"""Custom resources in another version than they are stored in, converted by a real webhook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.server import calling
from tests.server.outside import conversion_webhook as hosts
from tests.server.outside.conversion_webhook import GROUP, V1, V2, host

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.app import Application

MERGE = {"content-type": "application/merge-patch+json"}
APPLY = {"content-type": "application/apply-patch+yaml"}


async def create(app: Application, path: str, obj: Json) -> Json:
    made = await calling.call(app, "POST", path, obj)
    assert made.status == 201, made.json
    found: Json = made.json
    return found


def stored(app: Application, name: str) -> Json:
    found = app.live.store.read((f"{GROUP}/v1", "Host"))[f"default/{name}"]
    return {key: part for key, part in found.items() if key != "metadata"}


def shown(obj: Json) -> tuple[str, ...]:
    """What tells the versions apart."""
    names = ("hostPort", "host", "port")
    return (obj["apiVersion"].rpartition("/")[2], *(obj[each] for each in names if each in obj))


def test_an_object_is_read_in_the_other_version() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            made = await create(app, V1, host("a"))
            assert hook.sent() == []
            found = await calling.call(app, "GET", f"{V2}/a")
            assert found.status == 200
            assert shown(found.json) == ("v2", "here", "80")
            assert found.json["metadata"] == made["metadata"]
            (review,) = hook.reviews
            assert (review["kind"], review["apiVersion"]) == (
                "ConversionReview",
                "apiextensions.k8s.io/v1",
            )
            assert review["request"]["desiredAPIVersion"] == f"{GROUP}/v2"
            assert shown(review["request"]["objects"][0]) == ("v1", "here:80")
            assert shown((await calling.call(app, "GET", f"{V1}/a")).json) == ("v1", "here:80")
            assert hook.sent() == [["a"]]

    hosts.run(story)


def test_what_is_written_in_the_other_version_is_stored_converted() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            made = await create(app, V2, host("a", "v2"))
            assert shown(made) == ("v2", "here", "80")
            assert shown(stored(app, "a")) == ("v1", "here:80")
            assert [each["request"]["desiredAPIVersion"] for each in hook.reviews] == [
                f"{GROUP}/v1",
                f"{GROUP}/v2",
            ]
            changed = await calling.call(app, "PUT", f"{V2}/a", {**made, "port": "81"})
            assert (changed.status, shown(changed.json)) == (200, ("v2", "here", "81"))
            assert shown(stored(app, "a")) == ("v1", "here:81")
            patched = await calling.call(app, "PATCH", f"{V2}/a", {"host": "there"}, MERGE)
            assert (patched.status, shown(patched.json)) == (200, ("v2", "there", "81"))
            assert shown(stored(app, "a")) == ("v1", "there:81")
            same = await calling.call(app, "PATCH", f"{V2}/a", {"host": "there"}, MERGE)
            assert same.json["metadata"] == patched.json["metadata"]
            invalid = await calling.call(app, "PATCH", f"{V2}/a", {"port": 5}, MERGE)
            assert invalid.status == 422
            assert "port: Invalid value" in invalid.json["message"]

    hosts.run(story)


def test_server_side_apply_in_both_versions() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            first = await calling.call(
                app, "PATCH", f"{V2}/a", host("a", "v2"), APPLY, fieldManager="one"
            )
            assert (first.status, shown(first.json)) == (201, ("v2", "here", "80"))
            assert shown(stored(app, "a")) == ("v1", "here:80")
            other = await calling.call(
                app, "PATCH", f"{V1}/a", host("a", hostPort="x:1"), APPLY, fieldManager="two"
            )
            assert other.status == 409, other.json
            forced = await calling.call(
                app, "PATCH", f"{V1}/a", host("a", hostPort="x:1"), APPLY, fieldManager="two",
                force="true",
            )  # fmt: skip
            assert (forced.status, shown(forced.json)) == (200, ("v1", "x:1"))
            entries = forced.json["metadata"]["managedFields"]
            assert [each["manager"] for each in entries] == ["two"]

    hosts.run(story)


def test_a_list_of_both_versions_is_one_review_of_those_that_need_it() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            for name in ("a", "b"):
                await create(app, V1, host(name))
            await hosts.store_version(app, "v2")
            await create(app, V2, host("c", "v2"))
            assert shown(stored(app, "a")) == ("v1", "here:80")
            assert shown(stored(app, "c")) == ("v2", "here", "80")
            assert hook.sent() == []
            for path, expected, sent in (
                (V2, ("v2", "here", "80"), ["a", "b"]),
                (V1, ("v1", "here:80"), ["c"]),
            ):
                found = await calling.call(app, "GET", path)
                assert [shown(each) for each in found.json["items"]] == [expected] * 3
                assert hook.sent() == [sent]
                again = await calling.call(app, "GET", path)
                assert again.json == found.json
                assert hook.sent() == []
            patched = await calling.call(app, "PATCH", f"{V1}/a", {"hostPort": "x:1"}, MERGE)
            assert shown(patched.json) == ("v1", "x:1")
            assert shown(stored(app, "a")) == ("v2", "x", "1")

    hosts.run(story)


def test_tables_and_metadata_are_of_the_version() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await create(app, V1, host("a"))

            def label(answer: Json) -> Json:
                for each in answer["response"]["convertedObjects"]:
                    each["metadata"]["labels"] = {"by": "webhook"}
                return answer

            hook.spoil = label
            partial = {"accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
            found = await calling.call(app, "GET", V2, headers=partial)
            assert found.json["items"][0]["metadata"]["labels"] == {"by": "webhook"}
            table = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
            found = await calling.call(app, "GET", V2, headers=table, includeObject="Object")
            assert shown(found.json["rows"][0]["object"]) == ("v2", "here", "80")

    hosts.run(story)


def test_deletions_need_the_webhook_too() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            for name in ("a", "b", "c"):
                await create(app, V1, host(name))
            removed = await calling.call(app, "DELETE", f"{V2}/a")
            assert (removed.status, hook.sent()) == (200, [["a"]])
            gone = await calling.call(app, "DELETE", V2)
            assert gone.status == 200
            assert [shown(each) for each in gone.json["items"]] == [("v2", "here", "80")] * 2
            assert hook.sent() == [["b", "c"]]
            await create(app, V1, host("d"))
        failed = await calling.call(app, "DELETE", f"{V2}/d")
        assert failed.status == 500
        assert (await calling.call(app, "DELETE", f"{V1}/d")).status == 200

    hosts.run(story)


def test_a_watch_has_the_version_that_it_asks_for() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await create(app, V1, host("a"))
            watches = [await calling.watch(app, V2), await calling.watch(app, V1)]
            for watch, expected in zip(watches, (("v2", "here", "80"), ("v1", "here:80")),
                                       strict=True):  # fmt: skip
                event = await watch.next()
                assert (event["type"], shown(event["object"])) == ("ADDED", expected)
            await calling.call(app, "PATCH", f"{V1}/a", {"hostPort": "x:1"}, MERGE)
            event = await watches[0].next()
            assert (event["type"], shown(event["object"])) == ("MODIFIED", ("v2", "x", "1"))
            event = await watches[1].next()
            assert (event["type"], shown(event["object"])) == ("MODIFIED", ("v1", "x:1"))
            hook.spoil = lambda answer: {**answer, "response": None}
            await calling.call(app, "PATCH", f"{V1}/a", {"hostPort": "y:2"}, MERGE)
            event = await watches[0].next()
            assert (event["type"], event["object"]["code"]) == ("ERROR", 500)
            assert event["object"]["message"] == (
                f"conversion webhook for {GROUP}/v1, Kind=Host failed: no response provided"
            )
            assert await watches[0].next() is None
            event = await watches[1].next()
            assert shown(event["object"]) == ("v1", "y:2")
            await watches[1].leave()

    hosts.run(story)


def test_defaults_are_those_of_the_version_that_is_stored() -> None:
    async def story() -> None:
        zone = {"type": "string", "default": "z1"}
        other = {"type": "string", "default": "z2"}
        async with hosts.listening() as hook:
            app = await hosts.served(hook, v1={"zone": zone}, v2={"zone": other, "only": other})
            await create(app, V2, host("a", "v2", host="here", port="80", unknown="x"))
            assert stored(app, "a")["zone"] == "z2"
            await create(app, V1, host("b"))
            found = await calling.call(app, "GET", f"{V2}/b")
            assert (found.json["zone"], "only" in found.json) == ("z1", False)

    hosts.run(story)
