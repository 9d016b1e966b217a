"""Conversion webhooks and the other parts of a request: subresources, admission, many watches."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from aiohttp import web

from kubestage.objects.conversion import webhook_versions
from tests.server import calling
from tests.server.outside import conversion_webhook as hosts
from tests.server.outside import test_webhooks
from tests.server.outside.conversion_webhook import GROUP, V1, V2, host

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from kubestage.aliases import Json
    from kubestage.server.app import Application

MERGE = {"content-type": "application/merge-patch+json"}
PATHS = {"v1": "count", "v2": "replicas"}
HOOKS = test_webhooks.HOOKS.format("validating")


async def scaled(hook: hosts.Webhook) -> Application:
    """A server whose versions keep their replicas at different places."""

    def rename(answer: Json) -> Json:
        for each in answer["response"]["convertedObjects"]:
            version = each["apiVersion"].rpartition("/")[2]
            other = PATHS["v1" if version == "v2" else "v2"]
            each["spec"] = {PATHS[version]: each["spec"][other]}
        return answer

    hook.spoil = rename
    app = calling.application()
    app.live.outside.urls["shop/convert"] = hook.url
    whole = hosts.definition(hosts.by_webhook())
    for version in whole["spec"]["versions"]:
        field = PATHS[version["name"]]
        del version["selectableFields"]
        version["schema"]["openAPIV3Schema"]["properties"] = {
            "spec": {"type": "object", "properties": {field: {"type": "integer"}}},
            "status": {"type": "object", "properties": {"ready": {"type": "integer"}}},
        }
        scale = {"specReplicasPath": f".spec.{field}", "statusReplicasPath": ".status.ready"}
        version["subresources"] = {"status": {}, "scale": scale}
    made = await calling.call(app, "POST", hosts.DEFINITIONS, whole)
    assert made.status == 201, made.json
    return app


def stored(app: Application) -> Json:
    found: Json = app.live.store.read((f"{GROUP}/v1", "Host"))["default/a"]
    return found


def test_status_and_scale_in_the_other_version() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await scaled(hook)
            await calling.call(app, "POST", V1, host("a", spec={"count": 2}))
            found = await calling.call(app, "GET", f"{V2}/a/scale")
            assert found.status == 200, found.json
            assert (found.json["kind"], found.json["spec"]) == ("Scale", {"replicas": 2})
            assert hook.sent() == [["a"]]
            change = {"spec": {"replicas": 5}}
            found = await calling.call(app, "PATCH", f"{V2}/a/scale", change, MERGE)
            assert (found.status, found.json["spec"]) == (200, {"replicas": 5})
            assert (stored(app)["apiVersion"], stored(app)["spec"]) == (f"{GROUP}/v1", {"count": 5})
            change = {"status": {"ready": 3}}
            found = await calling.call(app, "PATCH", f"{V2}/a/status", change, MERGE)
            assert (found.status, found.json["spec"]) == (200, {"replicas": 5})
            assert (stored(app)["status"], stored(app)["spec"]) == ({"ready": 3}, {"count": 5})

    hosts.run(story)


def test_components_scale_an_object_in_the_version_that_it_is_stored_in() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await scaled(hook)
            await calling.call(app, "POST", V1, host("a", spec={"count": 2}))
            hook.reviews.clear()
            store, kind = app.live.store, (f"{GROUP}/v2", "Host")
            assert not webhook_versions.can_convert()
            scale = store.get(kind, "a", "default", subresource="scale")
            assert scale["spec"] == {"replicas": 2}
            store.patch(kind, "a", {"spec": {"replicas": 4}}, "default", subresource="scale")
            assert (stored(app)["apiVersion"], stored(app)["spec"]) == (f"{GROUP}/v1", {"count": 4})
            assert hook.sent() == []

    hosts.run(story)


def test_admission_sees_the_version_of_its_rule() -> None:
    async def story() -> None:
        seen: list[Json] = []

        def check(request: Json) -> Json:
            seen.append(request)
            return {"allowed": True}

        rule = {
            "apiGroups": [GROUP],
            "apiVersions": ["v1"],
            "resources": ["hosts"],
            "operations": ["*"],
        }
        config = {"service": {"namespace": "shop", "name": "policy", "path": "/hook"}}
        validating: Json = {
            "name": "a.example.com",
            "clientConfig": config,
            "rules": [rule],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        async with hosts.listening() as hook, test_webhooks.listening(check) as url:
            app = await hosts.served(hook)
            app.live.outside.urls["shop/policy"] = url
            body = {"metadata": {"name": "a"}, "webhooks": [validating]}
            assert (await calling.call(app, "POST", HOOKS, body)).status == 201
            made = await calling.call(app, "POST", V2, host("a", "v2"))
            assert (made.status, made.json["port"]) == (201, "80")
            await calling.call(app, "DELETE", f"{V2}/a")
        created, deleted = seen
        assert created["requestKind"]["version"] == "v2"
        assert (created["object"]["apiVersion"], created["object"]["hostPort"]) == (
            f"{GROUP}/v1",
            "here:80",
        )
        assert deleted["oldObject"]["hostPort"] == "here:80"

    hosts.run(story)


def test_watches_share_one_review() -> None:
    async def story() -> None:
        asked, is_over = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            asked.set()
            await is_over.wait()

        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))
            hook.wait = wait
            watches = [await calling.watch(app, V2) for _ in range(3)]
            listed = asyncio.ensure_future(calling.call(app, "GET", V2))
            await asked.wait()
            # One that leaves does not spoil it for the others.
            await watches.pop(0).leave()
            is_over.set()
            events: list[Any] = [await watch.next() for watch in watches]
            assert [each["object"]["host"] for each in events] == ["here"] * 2
            assert (await listed).json["items"][0]["host"] == "here"
            assert hook.sent() == [["a"]]
            for watch in watches:
                await watch.leave()

    hosts.run(story)


def test_a_long_list_is_one_review() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            names = [f"h{number:04}" for number in range(1200)]
            for name in names:
                app.live.store.create(host(name))
            found = await calling.call(app, "GET", V2)
            assert found.status == 200, found.json
            assert [each["metadata"]["name"] for each in found.json["items"]] == names
            assert all(each["host"] == "here" for each in found.json["items"])
            assert hook.sent() == [names]
            page = await calling.call(app, "GET", V2, limit=5)
            assert (len(page.json["items"]), page.json["items"][4]["port"]) == (5, "80")

    hosts.run(story)


def test_the_stored_version_need_not_be_served() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            versions = hosts.versions("v1")
            versions[0]["served"] = False
            patch = {"spec": {"versions": versions}}
            changed = await calling.call(app, "PATCH", hosts.DEFINITION, patch, MERGE)
            assert changed.status == 200, changed.json
            made = await calling.call(app, "POST", V2, host("a", "v2"))
            assert (made.status, made.json["port"]) == (201, "80")
            stored = app.live.store.read((f"{GROUP}/v2", "Host"))["default/a"]
            assert (stored["apiVersion"], stored["hostPort"]) == (f"{GROUP}/v1", "here:80")
            found = await calling.call(app, "GET", V2)
            assert found.json["items"] == [made.json]
            assert (await calling.call(app, "GET", V1)).status == 404

    hosts.run(story)


def test_a_definition_that_goes_while_its_webhook_is_awaited() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)

            async def remove() -> None:
                gone = await calling.call(app, "DELETE", hosts.DEFINITION)
                assert gone.status == 200

            hook.wait = remove
            made = await calling.call(app, "POST", V2, host("a", "v2"))
            assert made.status == 404

    hosts.run(story)


def test_no_answer_whatsoever_breaks_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    version = {"kind": "Host", "apiVersion": f"{GROUP}/v2"}
    objects = [None, 5, {}, {"kind": "Host"}, version, {**version, "metadata": []}, {"kind": 5}]
    whole: list[Any] = [[], 5, None, "x", {}, {"kind": 1, "apiVersion": 2, "response": 3}]

    def with_objects(found: Any) -> Callable[[Json], Any]:
        return lambda sent: {**sent, "response": {**sent["response"], "convertedObjects": found}}

    async def story() -> None:
        async with hosts.listening() as hook:
            app = await hosts.served(hook)
            await calling.call(app, "POST", V1, host("a"))
            spoils = [with_objects([each]) for each in objects]
            spoils += [with_objects("x"), with_objects([1, 2])]
            spoils += [lambda _, each=each: each for each in whole]  # type: ignore[misc]
            spoils += [lambda _: web.Response(body=b"[" * 100_000)]
            for hook.spoil in spoils:
                for path in (V2, f"{V2}/a"):
                    found = await calling.call(app, "GET", path)
                    assert found.status == 500
                    assert "an error on the server has" not in found.json["message"]
        assert capsys.readouterr().err == ""

    hosts.run(story)
