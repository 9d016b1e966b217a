"""Pages of the server itself may write, and those that the user has named; no others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.server.security import origins
from tests.server.security.doors import Door

OTHER = "http://localhost:3000"


def answer(door: Door, *arguments: Any, **more: Any) -> Any:
    return asyncio.run(door.call(*arguments, **more))


@pytest.mark.parametrize(
    ("origin", "may_read", "may_write"),
    [
        ("http://127.0.0.1:18080", True, True),
        ("http://localhost:18080", True, True),
        ("http://[::1]:18080", True, True),
        (OTHER, True, False),
        ("http://localhost", True, False),
        ("https://localhost", True, False),
        ("http://localhost:18081", True, False),
        ("http://[::1].evil.example:18080", False, False),
        ("https://evil.example:18080", False, False),
        ("file://", False, False),
        ("null", False, False),
    ],
)
def test_a_page_of_another_port_may_not_write(origin: str, may_read: bool, may_write: bool) -> None:
    door = Door()
    for method in ("GET", "HEAD"):
        assert (answer(door, method, headers={"origin": origin}).status == 200) is may_read
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        assert (answer(door, method, headers={"origin": origin}).status == 200) is may_write


def test_the_refusal_names_the_flag() -> None:
    refused = answer(Door(), "POST", headers={"origin": OTHER})
    assert refused.status == 403
    assert "--allow-origin" in refused.json["message"]


def test_with_a_token_only_the_page_of_the_very_address_may_write() -> None:
    door = Door(token="t")
    for origin, code in (("http://127.0.0.1:18080", 200), ("http://localhost:18080", 403)):
        headers = {"origin": origin, "authorization": "Bearer t"}
        assert answer(door, "POST", headers=headers).status == code


def test_a_named_origin_may_read_and_write_and_its_browser_is_told() -> None:
    door = Door(origins=origins.named([OTHER, "https://stage.example"]), token="t")
    for origin in (OTHER, "https://stage.example", "https://stage.example:443"):
        asked = answer(door, "OPTIONS", headers={"origin": origin})
        assert asked.status == 204
        assert "PATCH" in asked.header("access-control-allow-methods")[0]
        assert "authorization" in asked.header("access-control-allow-headers")[0]
        for method in ("GET", "POST"):
            headers = {"origin": origin, "authorization": "Bearer t"}
            found = answer(door, method, headers=headers)
            assert found.status == 200
            assert found.header("access-control-allow-origin") == [origin]
            assert found.header("vary") == ["origin"]
    refused = answer(door, "POST", headers={"origin": OTHER})
    assert refused.status == 401
    assert refused.header("access-control-allow-origin") == [OTHER]
    found = answer(door, "GET", headers={"authorization": "Bearer t"})
    assert not found.header("access-control-allow-origin")


@pytest.mark.parametrize("text", ["localhost:3000", "http://", "*", "http://x/y", "ftp://x", ""])
def test_what_is_no_origin_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no origin") as caught:
        origins.named([text])
    assert caught.value.path == "--allow-origin"
