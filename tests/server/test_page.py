from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from kubestage.ui import asset_table
from tests.server import calling
from tests.server.security.doors import Door

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "accept-encoding": "gzip, br"}
TOKEN = "a-token-of-many-letters"


def ask(path: str, method: str = "GET", **headers: str) -> Any:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return asyncio.run(calling.call(calling.application(), method, path, headers=sent))


def test_a_browser_is_led_to_the_page() -> None:
    answer = ask("/", **BROWSER)
    assert (answer.status, answer.header("location")) == (302, ["/ui/"])
    assert ask("/ui", **BROWSER).header("location") == ["/ui/"]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/yaml", ""])
def test_a_client_of_the_api_still_gets_the_paths(accept: str) -> None:
    answer = ask("/", accept=accept)
    assert answer.status == 200
    assert b"/api/v1" in answer.body
    assert b"/ui" not in answer.body


def test_only_reading_leads_to_the_page() -> None:
    assert ask("/", "POST", **BROWSER).status != 302
    assert ask("/ui/", "POST").status == 405


def test_the_page_has_its_policy_and_type() -> None:
    answer = ask("/ui/")
    assert answer.status == 200
    assert answer.header("content-type") == ["text/html; charset=utf-8"]
    assert answer.header("content-security-policy") == [asset_table.POLICY]
    assert answer.header("x-content-type-options") == ["nosniff"]
    assert ask("/ui/js/main.js").header("content-type") == ["text/javascript; charset=utf-8"]


def test_a_file_that_a_browser_has_is_not_sent_again() -> None:
    first = ask("/ui/css/page.css", **BROWSER)
    (etag,) = first.header("etag")
    assert first.header("content-encoding") == ["gzip"]
    plain = ask("/ui/css/page.css")
    assert gzip.decompress(first.body) == plain.body
    assert plain.header("etag") != [etag]
    again = ask("/ui/css/page.css", if_none_match=etag, **BROWSER)
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("path", ["/ui/no", "/ui/../api", "/ui/js/", "/ui//etc/passwd", "/uix"])
def test_nothing_else_is_served_there(path: str) -> None:
    assert ask(path, **BROWSER).status == 404


def test_the_page_needs_no_token_and_the_api_does() -> None:
    door = Door(token=TOKEN)

    def status(path: str, method: str = "GET", accept: str = "text/html") -> int:
        found = asyncio.run(door.call(method, path, headers={"accept": accept}))
        answer: int = found.status
        return answer

    assert status("/ui/") == status("/ui/js/main.js") == status("/") == 200
    for path in ("/api/v1/pods", "/kubestage/v1/clock", "/metrics", "/uix", "/ui.html"):
        assert status(path) == 401
    assert status("/", accept="application/json") == 401
    assert status("/", "POST") == status("/ui/", "POST") == 401


def test_yaml_repeats_what_objects_share() -> None:
    app = calling.application()
    pod = {
        "metadata": {"name": "web"},
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
        },
    }
    path = "/api/v1/namespaces/default/pods"
    assert asyncio.run(calling.call(app, "POST", path, pod)).status == 201
    yaml = {"accept": "application/yaml"}
    assert b"&id" not in asyncio.run(calling.call(app, "GET", f"{path}/web", headers=yaml)).body
