from __future__ import annotations

import base64

import msgspec
import pytest

from kubestage.errors import BadRequest
from kubestage.store import continuation
from kubestage.store.continuation import ContinueToken


def encoded(body: object) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(body)).rstrip(b"=").decode()


@pytest.mark.parametrize("start", ["a\x00", "ns/web-1\x00", "ä\x00"])
def test_a_token_survives_the_round_trip(start: str) -> None:
    token = ContinueToken(42, start)
    assert continuation.decode(continuation.encode(token)) == token


def test_the_token_has_the_form_of_the_api_server() -> None:
    assert continuation.encode(ContinueToken(7, "b\x00")) == encoded(
        {"v": "meta.k8s.io/v1", "rv": 7, "start": "b\x00"}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bogus", "continue key is not valid: illegal base64 data at input byte 4"),
        ("ab!d", "continue key is not valid: illegal base64 data at input byte 2"),
        (encoded({"v": "x"}), "server does not recognize this encoded version x"),
        (encoded({"v": "meta.k8s.io/v1", "rv": 0, "start": "a"}), "start resourceVersion"),
        (encoded({"v": "meta.k8s.io/v1", "rv": 1, "start": ""}), "encoded start key empty"),
        (encoded({"v": "meta.k8s.io/v1", "rv": 1, "start": "../x"}), "not valid: ../x"),
        (encoded([1]), "continue key is not valid"),
        ("YWJj", "continue key is not valid"),
    ],
)
def test_a_token_that_is_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadRequest, match=r"^invalid continue token: ") as refusal:
        continuation.decode(text)
    assert message in refusal.value.message


def test_an_expired_token_offers_to_go_on_with_the_present() -> None:
    error = continuation.ContinueExpired("b\x00")
    token = continuation.decode(error.status["metadata"]["continue"])
    assert token == ContinueToken(continuation.LATEST, "b\x00")
    assert (error.status["code"], error.status["reason"]) == (410, "Expired")
