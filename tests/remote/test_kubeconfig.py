"""Kubeconfigs: which files, which context, and what is wrong with them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage.errors import InputError
from kubestage.remote import kubeconfig
from kubestage.remote.access import Access
from kubestage.remote.kubeconfig_schema import ClusterEntry, UserEntry

if TYPE_CHECKING:
    import pathlib


def config(server: str = "https://one:6443", **more: Any) -> dict[str, Any]:
    """A kubeconfig of one cluster."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "main",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
        "contexts": [{"name": "main", "context": {"cluster": "c", "user": "u"}}],
        **more,
    }


def write(path: pathlib.Path, value: Any) -> str:
    path.write_text(value if isinstance(value, str) else yaml.safe_dump(value))
    return str(path)


def test_the_current_context_is_taken_unless_another_is_named(tmp_path: pathlib.Path) -> None:
    value = config()
    value["clusters"].append({"name": "d", "cluster": {"server": "https://two:6443/deep/"}})
    value["contexts"].append({"name": "other", "context": {"cluster": "d", "namespace": "here"}})
    file = write(tmp_path / "config", value)

    main, other = kubeconfig.load(file), kubeconfig.load(file, "other")

    assert (main.server, main.user.token, main.namespace) == (
        "https://one:6443",
        "secret",
        "default",
    )
    assert (other.server, other.user, other.namespace) == (
        "https://two:6443/deep",
        UserEntry(),
        "here",
    )


def test_the_first_of_several_files_has_its_way(tmp_path: pathlib.Path) -> None:
    first = config("https://first:1")
    first["users"] = None
    second = config("https://second:2", **{"current-context": "other"})
    second["clusters"].append({"name": "d", "cluster": {"server": "https://third:3"}})
    second["contexts"].append({"name": "other", "context": {"cluster": "d", "user": "u"}})
    names = [
        str(tmp_path / "absent"),
        write(tmp_path / "a", first),
        "",
        write(tmp_path / "b", second),
    ]
    environment = {"KUBECONFIG": os.pathsep.join(names)}

    found = kubeconfig.load(environment=environment)
    other = kubeconfig.load(context="other", environment=environment)

    assert (found.server, found.user.token) == ("https://first:1", "secret")
    assert other.server == "https://third:3"


def test_paths_are_relative_to_the_file_that_they_are_written_in(tmp_path: pathlib.Path) -> None:
    value = config()
    value["clusters"][0]["cluster"]["certificate-authority"] = "pki/ca.crt"
    value["users"][0]["user"] = {
        "tokenFile": "token",
        "client-certificate": "/abs/cert",
        "exec": {"command": "./bin/login", "apiVersion": "x"},
    }
    (tmp_path / "deep").mkdir()
    found = kubeconfig.load(write(tmp_path / "deep" / "config", value))

    assert found.cluster.certificate_authority == str(tmp_path / "deep/pki/ca.crt")
    assert found.user.token_file == str(tmp_path / "deep/token")
    assert found.user.client_certificate == "/abs/cert"
    assert found.user.exec is not None
    assert found.user.exec.command == str(tmp_path / "deep/bin/login")


@pytest.mark.parametrize(
    ("server", "tls", "address"),
    [
        ("one:6443", {}, "http://one:6443"),
        ("one:6443", {"insecure-skip-tls-verify": True}, "https://one:6443"),
        ("one:6443", {"certificate-authority-data": "eA=="}, "https://one:6443"),
        ("http://one", {"insecure-skip-tls-verify": True}, "http://one"),
    ],
)
def test_an_address_without_a_scheme_is_https_if_certificates_are_spoken_of(
    tmp_path: pathlib.Path, server: str, tls: dict[str, Any], address: str
) -> None:
    value = config(server)
    value["clusters"][0]["cluster"].update(tls)
    assert kubeconfig.load(write(tmp_path / "config", value)).server == address


def broken(where: str, value: Any) -> dict[str, Any]:
    """A kubeconfig with something else at one place."""
    whole: Any = config()
    *path, last = where.split(".")
    at = whole
    for key in path:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    found: dict[str, Any] = whole
    return found


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("a: b: c", ["config:1", "not valid YAML", "indentation"]),
        ("just text", ["config", "Expected `object`, got `str`"]),
        (broken("current-context", "min"), ["current-context", "no context 'min'", "main"]),
        (broken("current-context", None), ["current-context", "no context is chosen", "main"]),
        (broken("contexts.0.context.cluster", "x"), ["contexts[0].context.cluster", "'x'", " c"]),
        (broken("contexts.0.context.user", "x"), ["contexts[0].context.user", "'x'", " u"]),
        (broken("clusters.0.cluster.server", ""), ["clusters[0].cluster.server", "is missing"]),
        (broken("clusters.0.cluster.server", "ftp://x"), ["clusters[0].cluster.server", "https"]),
        (broken("clusters.0.cluster.server", "https://me:secret@x"), ["server", "no user in it"]),
        (broken("clusters.0.cluster.server", 5), ["clusters[0].cluster.server", "`str`"]),
        (broken("users.0.user.token", ["secret"]), ["users[0].user.token", "Expected `str`"]),
    ],
)
def test_what_is_wrong_is_named_with_its_place_and_a_fix(
    tmp_path: pathlib.Path, value: Any, told: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        kubeconfig.load(write(tmp_path / "config", value))
    text = str(caught.value)
    assert str(tmp_path / "config") in text
    assert all(part in text for part in told), text
    assert "secret" not in text


def test_a_file_that_is_not_there_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        kubeconfig.load(str(tmp_path / "absent"))
    with pytest.raises(InputError, match="no kubeconfig was found"):
        kubeconfig.load(environment={"KUBECONFIG": str(tmp_path / "absent")})


def test_a_context_that_is_named_and_missing_is_told_with_those_there_are(
    tmp_path: pathlib.Path,
) -> None:
    with pytest.raises(InputError, match=r"no context 'prod' \(name one of main\)"):
        kubeconfig.load(write(tmp_path / "config", config()), "prod")


def test_a_pod_finds_its_cluster(tmp_path: pathlib.Path) -> None:
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    with pytest.raises(InputError, match="token"):
        kubeconfig.in_cluster(environment, tmp_path)
    (tmp_path / "token").write_text("secret")
    (tmp_path / "ca.crt").write_text("x")

    found = kubeconfig.in_cluster(environment, tmp_path)

    assert found.server == "https://[fd00::1]:443"
    assert found.user.token_file == str(tmp_path / "token")
    assert found.cluster.certificate_authority == str(tmp_path / "ca.crt")
    with pytest.raises(InputError, match="KUBERNETES_SERVICE_HOST"):
        kubeconfig.in_cluster({}, tmp_path)


def test_nobody_is_shown_a_secret() -> None:
    user = UserEntry(token="secret", password="secret", client_key_data="secret")
    assert "secret" not in repr(Access(server="http://x", user=user))


def test_a_proxy_is_what_the_kubeconfig_says_or_else_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://outside:1")
    monkeypatch.setenv("no_proxy", "near.example")
    named = ClusterEntry(proxy_url="http://named:2")

    assert Access(server="https://far.example", cluster=named).proxy == "http://named:2"
    assert Access(server="https://far.example").proxy == "http://outside:1"
    assert Access(server="https://near.example").proxy is None
    assert Access(server="https://127.0.0.1:6443").proxy is None
    with pytest.raises(InputError, match="socks5"):
        _ = Access(server="https://x", cluster=ClusterEntry(proxy_url="socks5://x:1")).proxy


def test_a_kubeconfig_may_come_from_a_pipe_and_not_from_a_folder(tmp_path: pathlib.Path) -> None:
    read, write_end = os.pipe()
    os.write(write_end, yaml.safe_dump(config()).encode())
    os.close(write_end)
    try:
        assert kubeconfig.load(f"/dev/fd/{read}").server == "https://one:6443"
    finally:
        os.close(read)
    with pytest.raises(InputError, match="is a folder"):
        kubeconfig.load(str(tmp_path))
    empty = write(tmp_path / "empty", "{}")
    with pytest.raises(InputError, match="is this a kubeconfig"):
        kubeconfig.load(empty)
