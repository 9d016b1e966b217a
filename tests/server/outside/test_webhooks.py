"""Webhooks over HTTP: really called, while others are served."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from kubestage.server.outside import agnhost_webhook
from tests.server import calling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from kubestage.aliases import Json
    from kubestage.server.app import Application

MAPS = "/api/v1/namespaces/default/configmaps"
HOOKS = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"
RULE = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "resources": ["configmaps"],
    "operations": ["CREATE", "DELETE"],
}


@contextlib.asynccontextmanager
async def listening(answer: Callable[[Json], Any]) -> AsyncIterator[str]:
    """A webhook on loopback, and its URL."""

    async def handle(request: web.Request) -> web.Response:
        review = msgspec.json.decode(await request.read())
        response = answer(review["request"])
        if asyncio.iscoroutine(response):
            response = await response
        own = {"uid": review["request"]["uid"], **response}
        body = {"kind": review["kind"], "apiVersion": review["apiVersion"], "response": own}
        return web.json_response(body)

    app = web.Application()
    app.router.add_post("/hook", handle)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def configured(kind: str, url: str, **more: Any) -> Application:
    """A server with one webhook, behind a Service that leads elsewhere."""
    app = calling.application()
    app.live.outside.urls["shop/policy"] = url
    hook = {
        "name": "a.example.com",
        "clientConfig": {"service": {"namespace": "shop", "name": "policy", "path": "/hook"}},
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **more,
    }
    path = HOOKS.format(kind)
    made = await calling.call(app, "POST", path, {"metadata": {"name": "a"}, "webhooks": [hook]})
    assert made.status == 201, made.json
    return app


def config_map(**data: str) -> Json:
    return {"metadata": {"generateName": "c-"}, "data": data}


def test_a_webhook_changes_what_is_stored() -> None:
    async def story() -> None:
        def change(request: Json) -> Json:
            patch = [{"op": "add", "path": "/data/by", "value": request["userInfo"]["username"]}]
            encoded = base64.b64encode(msgspec.json.encode(patch)).decode()
            return {"allowed": True, "patch": encoded, "patchType": "JSONPatch", "warnings": ["w"]}

        async with listening(change) as url:
            app = await configured("mutating", url)
            created = await calling.call(app, "POST", MAPS, config_map(a="1"))
        assert created.status == 201
        assert created.json["data"] == {"a": "1", "by": "admin"}
        assert created.header("warning") == ['299 - "w"']

    asyncio.run(story())


def test_a_webhook_may_ask_the_server_before_it_answers() -> None:
    async def story() -> None:
        apps: list[Application] = []

        async def refuse(request: Json) -> Json:
            found = await calling.call(apps[0], "GET", MAPS)
            names = [each["metadata"]["name"] for each in found.json["items"]]
            assert request["name"] not in names
            return {"allowed": False, "status": {"message": f"{len(names)} before it"}}

        async with listening(refuse) as url:
            apps.append(await configured("validating", url))
            refused = await calling.call(apps[0], "POST", MAPS, config_map())
        assert (refused.status, refused.json["message"]) == (
            400,
            'admission webhook "a.example.com" denied the request: 0 before it',
        )

    asyncio.run(story())


def test_deletions_are_asked_about_too() -> None:
    async def story() -> None:
        def keep(request: Json) -> Json:
            return {"allowed": request["operation"] != "DELETE"}

        async with listening(keep) as url:
            app = await configured("validating", url)
            made = await calling.call(app, "POST", MAPS, config_map())
            path = f"{MAPS}/{made.json['metadata']['name']}"
            assert (await calling.call(app, "DELETE", path)).status == 400
            assert (await calling.call(app, "DELETE", MAPS)).status == 400
            assert (await calling.call(app, "GET", path)).status == 200

    asyncio.run(story())


def test_a_webhook_that_is_late_or_gone() -> None:
    async def story() -> None:
        is_over = asyncio.Event()

        async def never(_: Json) -> Json:
            await is_over.wait()
            return {"allowed": True}

        async with listening(never) as url:
            app = await configured("validating", url, timeoutSeconds=1)
            late = await calling.call(app, "POST", MAPS, config_map())
            is_over.set()
        assert late.status == 500
        assert late.json["message"] == (
            'Internal error occurred: failed calling webhook "a.example.com": failed to call '
            'webhook: Post "https://policy.shop.svc:443/hook?timeout=1s": context deadline exceeded'
        )
        gone = await calling.call(app, "POST", MAPS, config_map())
        assert "connect: connection refused" in gone.json["message"]
        app.live.outside.urls.clear()
        absent = await calling.call(app, "POST", MAPS, config_map())
        assert absent.json["message"].endswith('service "policy" not found')

    asyncio.run(story())


def review(path: str, operation: str = "CREATE", **obj: Any) -> Json:
    """What the modelled webhook of Kubernetes' tests answers."""
    asked = {"uid": "u", "operation": operation, "name": "x", "object": obj, "oldObject": obj}
    sent = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": asked}
    found = asyncio.run(agnhost_webhook.answer(path, sent))
    assert found is not None
    response: Json = found["response"]
    if "patch" in response:
        response["patch"] = msgspec.json.decode(base64.b64decode(response["patch"]))
    return response


def test_the_webhook_of_agnhost() -> None:
    assert review("/always-deny")["status"]["message"] == "this webhook denies all requests"
    (patch,) = review("/add-label", metadata={"labels": {"a": "b"}})["patch"]
    assert patch == {"op": "add", "path": "/metadata/labels/added-label", "value": "yes"}
    data = {"webhook-e2e-test": "webhook-nondeletable"}
    assert review("/configmaps", data=data)["allowed"] is True
    assert review("/configmaps", "DELETE", data=data)["allowed"] is False
    (patch,) = review("/mutating-configmaps", data={"mutation-start": "yes"})["patch"]
    assert patch["path"] == "/data/mutation-stage-1"
    container = {"containers": [{"name": "webhook-disallow"}]}
    assert review("/pods", metadata={}, spec=container)["allowed"] is False
