"""The way to an extender: what goes wrong on it, and who is trusted."""

from __future__ import annotations

import base64
import threading
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler import extender_http
from kubestage.scheduler.config.model import Extender as ExtenderConfig
from kubestage.scheduler.config.model import ExtenderTLSConfig
from kubestage.scheduler.extender import ExtenderError
from tests.scheduler.extenders import server as servers
from tests.scheduler.extenders.server import CERTIFICATES

if TYPE_CHECKING:
    from tests.scheduler.extenders.server import Server


def _post(server: Server, verb: str = "filter", timeout: str = "30s", **config: Any) -> bytes:
    stated = ExtenderConfig(url_prefix=server.url, http_timeout=timeout, **config)
    return extender_http.post(stated, verb, b'{"a": 1}')


def _data(name: str) -> str:
    return base64.b64encode((CERTIFICATES / name).read_bytes()).decode()


def test_the_verb_is_appended_to_the_address_whatever_its_end() -> None:
    with servers.running() as server:
        server.answers["/scheduler/filter"] = b"answer"
        server.url += "//"
        assert _post(server) == b"answer"
        assert server.asked == [("/scheduler/filter", {"a": 1})]


def test_any_other_status_than_ok_is_an_error() -> None:
    with servers.running() as server:
        server.status = 404
        with pytest.raises(ExtenderError) as refused:
            _post(server)
        url = f"{server.url}/filter"
        assert str(refused.value) == f"failed filter with extender at URL {url}, code 404"


def test_an_extender_that_is_not_there_is_an_error() -> None:
    with servers.running() as server:
        pass
    with pytest.raises(ExtenderError) as refused:
        _post(server)
    host = server.url.split("/")[2]
    problem = f"dial tcp {host}: connect: connection refused"
    assert str(refused.value) == f'Post "{server.url}/filter": {problem}'


def test_an_answer_that_takes_too_long_is_an_error() -> None:
    answered = threading.Event()
    with servers.running() as server:
        server.before_answer = answered.wait
        try:
            with pytest.raises(ExtenderError, match=r"context deadline exceeded \(Client.Timeout"):
                _post(server, timeout="50ms")
        finally:
            answered.set()


def test_https_without_an_authority_trusts_anyone() -> None:
    with servers.running(servers.server_context()) as server:
        server.answers["/scheduler/filter"] = b"answer"
        assert _post(server, enable_https=True) == b"answer"
        insecure = ExtenderTLSConfig(insecure=True)
        assert _post(server, tls_config=insecure) == b"answer"


def test_without_being_told_so_nobody_unknown_is_trusted() -> None:
    with servers.running(servers.server_context()) as server:
        with pytest.raises(ExtenderError, match="CERTIFICATE_VERIFY_FAILED"):
            _post(server)
        assert server.asked == []


@pytest.mark.parametrize(
    "authority", [{"ca_data": _data("ca.pem")}, {"ca_file": str(CERTIFICATES / "ca.pem")}]
)
def test_the_named_authority_is_trusted_for_the_expected_name(authority: dict[str, Any]) -> None:
    with servers.running(servers.server_context()) as server:
        server.answers["/scheduler/filter"] = b"answer"
        tls = ExtenderTLSConfig(server_name="extender.test", **authority)
        assert _post(server, enable_https=True, tls_config=tls) == b"answer"
        with pytest.raises(ExtenderError, match="certificate is not valid for"):
            _post(server, enable_https=True, tls_config=ExtenderTLSConfig(**authority))


@pytest.mark.parametrize(
    "shown",
    [
        {"cert_data": _data("client.pem"), "key_data": _data("client-key.pem")},
        {
            "cert_file": str(CERTIFICATES / "client.pem"),
            "key_file": str(CERTIFICATES / "client-key.pem"),
        },
    ],
)
def test_an_own_certificate_is_shown_to_those_who_ask(shown: dict[str, Any]) -> None:
    with servers.running(servers.server_context(wants_client=True)) as server:
        server.answers["/scheduler/filter"] = b"answer"
        tls = ExtenderTLSConfig(**shown)
        assert _post(server, enable_https=True, tls_config=tls) == b"answer"
        with pytest.raises(ExtenderError):
            _post(server, enable_https=True)
