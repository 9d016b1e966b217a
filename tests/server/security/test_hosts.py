from __future__ import annotations

import pytest

from kubestage.server.security import hosts
from kubestage.server.security.hosts import HostCheck


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("localhost", True),
        ("LOCALHOST:18080", True),
        ("localhost.", True),
        ("127.0.0.1:1", True),
        ("[::1]:18080", True),
        ("[::1]", True),
        ("10.1.2.3:18080", True),
        ("stage.example", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("evil.example:127.0.0.1", False),
        ("", False),
        ("[", False),
        ("[::1].evil.example", False),
        ("[::1]evil.example:80", False),
        ("[::1", False),
        ("x[::1]", False),
        ("localhost:evil.example", False),
        ("localhost:80:80", False),
        ("localhost@evil.example", False),
    ],
)
def test_only_the_names_of_the_server_are_taken(host: str, is_ours: bool) -> None:
    check = HostCheck(hosts.allowed("10.1.2.3", ("stage.example",)))
    assert check.admits(host.encode()) is is_ours
    # What was taken or refused once is so again.
    assert check.admits(host.encode()) is is_ours


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        ("http://localhost:3000", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:8080", True),
        ("https://evil.example", False),
        ("null", False),
        ("localhost", False),
        ("http://[::1].evil.example", False),
    ],
)
def test_pages_of_other_sites_are_kept_out(origin: str, is_ours: bool) -> None:
    assert HostCheck(hosts.allowed("127.0.0.1")).admits_origin(origin.encode()) is is_ours


def test_without_names_every_host_is_taken() -> None:
    assert HostCheck(frozenset()).admits(b"whatever.example")


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_loopback_is_what_no_other_machine_reaches(address: str, is_local: bool) -> None:
    assert hosts.is_loopback(address) is is_local


def test_an_address_without_brackets_is_a_name_too() -> None:
    assert "fd00::1" in hosts.allowed("fd00::1")
