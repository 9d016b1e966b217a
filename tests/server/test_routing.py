"""Which paths there are, and how the others are refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.server import calling

WIDGETS: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
IN_DEFAULT = "/apis/example.com/v1/namespaces/default/widgets"


def asked(method: str, path: str, body: Any = None, **headers: str) -> calling.Answer:
    async def story() -> calling.Answer:
        app = calling.application()
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        assert (await calling.call(app, "POST", definitions, WIDGETS)).status == 201
        return await calling.call(app, method, path, body, headers)

    return asyncio.run(story())


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v1", "/apis/apps/v1", "/apis/authorization.k8s.io/v1",
             "/apis/apiregistration.k8s.io", "/version"],
)  # fmt: skip
def test_documents_of_the_api_cannot_be_written(path: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = asked(method, path, {})
        assert answer.status == 405
        assert answer.json["reason"] == "MethodNotAllowed"
        assert answer.json["details"] == {}
        told = "the server does not allow this method on the requested resource"
        assert answer.json["message"] == told
    assert asked("GET", path).status == 200


@pytest.mark.parametrize("path", ["/apis", "/apis/", "/apis/apps", "/apis/example.com/v1"])
def test_groups_are_told_of_however_one_asks(path: str) -> None:
    # As in a real cluster, where no router stands before these documents.
    assert asked("POST", path, {}).body == asked("GET", path).body


@pytest.mark.parametrize(
    "path",
    ["/foo", "/apix", "/livezz", "/healthz/foo", "/metrics/foo", "/openapi", "/apis/foo",
     "/apis/foo/v1", "/apis/foo/v1/bars", "/apis/example.com/v2", "/apis/example.com/v1/gadgets"],
)  # fmt: skip
def test_what_nobody_serves_is_a_page_that_is_not_there(path: str) -> None:
    answer = asked("GET", path)
    assert answer.status == 404
    assert answer.body == b"404 page not found\n"
    assert answer.header("content-type") == ["text/plain; charset=utf-8"]


@pytest.mark.parametrize(
    "path",
    ["/api/v9", "/api/v9/pods", "/api/v1/foos", "/apis/apps/v9", "/apis/apps/v9/deployments",
     "/apis/authorization.k8s.io/v9", "/version/foo", "/api/v1/namespaces/default/pods/a/foo"],
)  # fmt: skip
def test_what_a_group_does_not_serve_is_refused_by_it(path: str) -> None:
    answer = asked("GET", path)
    assert answer.status == 404
    assert answer.json["reason"] == "NotFound"
    assert answer.json["message"] == "the server could not find the requested resource"


def test_a_form_that_nobody_knows_is_refused_by_the_router_or_behind_it() -> None:
    routed = asked("GET", "/apis/apps/v1", accept="text/html")
    assert routed.json["message"].startswith("406: Not Acceptable")
    behind = asked("GET", "/apis/apps", accept="text/html")
    assert behind.status == 406
    assert behind.json["message"].startswith("only the following media types are accepted")


def test_the_version_is_json() -> None:
    assert asked("GET", "/version", accept="*/*").status == 200
    answer = asked("GET", "/version", accept="application/yaml")
    assert answer.status == 406
    told = "406: Not Acceptable\n\nAvailable representations: application/json"
    assert answer.json["message"] == told


def test_custom_resources_of_all_namespaces_are_only_read() -> None:
    everywhere = "/apis/example.com/v1/widgets"
    assert asked("GET", everywhere).status == 200
    for method in ("POST", "DELETE"):
        assert asked(method, everywhere, {}).body == b"404 page not found\n"


def test_verbs_of_custom_resources() -> None:
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "b"}}
    for method in ("PUT", "PATCH"):
        headers = {"content-type": "application/merge-patch+json"} if method == "PATCH" else {}
        answer = asked(method, IN_DEFAULT, widget, **headers)
        assert (answer.status, answer.json["message"]) == (400, "name must be provided")
    created = asked("POST", f"{IN_DEFAULT}/a", widget)
    assert (created.status, created.json["metadata"]["name"]) == (201, "b")
    answer = asked("DELETE", f"{IN_DEFAULT}/a/status")
    assert answer.status == 405
    assert answer.json["message"] == (
        'delete is not supported on resources of kind "widgets.example.com"'
    )


def test_whom_the_router_refuses_is_not_warned() -> None:
    told = ['299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"']
    path = "/api/v1/namespaces/default/endpoints"
    table = "application/json;as=Bogus;v=v1;g=meta.k8s.io"
    assert asked("GET", path).header("warning") == told
    assert asked("GET", path, accept=table).header("warning") == told
    assert asked("GET", f"{path}/a").header("warning") == told
    for answer in (
        asked("PUT", path, {}),
        asked("POST", f"{path}/a", {}),
        asked("GET", path, accept="text/plain"),
        asked("PATCH", f"{path}/a", {}, **{"content-type": "text/plain"}),
    ):
        assert answer.status in (405, 406, 415)
        assert answer.header("warning") == []


def test_custom_resources_have_no_router() -> None:
    answer = asked("GET", IN_DEFAULT, accept="text/plain")
    assert answer.status == 406
    assert answer.json["message"].startswith("only the following media types are accepted")
    answer = asked("PATCH", IN_DEFAULT, {}, **{"content-type": "application/json"})
    assert answer.status == 415
    assert answer.json["message"].startswith("the body of the request was in an unknown format")


@pytest.mark.parametrize(
    ("warning", "told"),
    [
        ("gone soon", "gone soon"),
        (None, "example.com/v1 Widget is deprecated; use example.com/v2 Widget"),
    ],
)
def test_old_versions_of_custom_resources_are_warned_of(warning: str | None, told: str) -> None:
    async def story() -> None:
        app = calling.application()
        old = {**WIDGETS["spec"]["versions"][0], "storage": False, "deprecated": True}
        if warning is not None:
            old["deprecationWarning"] = warning
        new = {**WIDGETS["spec"]["versions"][0], "name": "v2"}
        definition = {**WIDGETS, "spec": {**WIDGETS["spec"], "versions": [old, new]}}
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        assert (await calling.call(app, "POST", path, definition)).status == 201
        for name in ("", "/a"):
            answer = await calling.call(app, "GET", f"{IN_DEFAULT}{name}")
            assert answer.header("warning") == [f'299 - "{told}"']
        answer = await calling.call(app, "GET", IN_DEFAULT.replace("/v1/", "/v2/"))
        assert answer.header("warning") == []

    asyncio.run(story())
