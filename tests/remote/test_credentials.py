"""Who asks, and how it is shown: tokens, files, passwords, programs, certificates."""

from __future__ import annotations

import base64
import datetime as dt
import json
import pathlib
import ssl
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kubestage.errors import InputError, Unauthorized
from kubestage.remote import kubeconfig
from kubestage.remote.access import Access, Origin
from kubestage.remote.cluster import RemoteCluster
from kubestage.remote.kubeconfig_schema import ClusterEntry, ExecEntry, UserEntry, Variable
from kubestage.server.security import certificates
from tests.remote.asking import NAMESPACE, ask, done, page, wait
from tests.remote.scripted_api import answer, refusal, scripted
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.cluster.access import Page

V1 = "client.authentication.k8s.io/v1"


def shown(user: UserEntry, path: str = "/x", **more: Any) -> Mapping[str, str]:
    """The headers of a request by a user."""
    with scripted(user=user, **more) as (api, cluster):
        api.on(path, answer("fine"))
        found = page(cluster, path)
        assert found.code == 200, found.text
        return api.requests[-1].headers


def refused(user: UserEntry) -> str:
    """What a run is told before it begins."""
    with scripted(user=user) as (_, cluster), pytest.raises(InputError) as caught:
        cluster.check()
    return str(caught.value)


def test_a_token_is_shown() -> None:
    assert shown(UserEntry(token="secret"))["Authorization"] == "Bearer secret"


def test_a_password_is_shown() -> None:
    header = shown(UserEntry(username="me", password="pass:word"))["Authorization"]
    assert base64.b64decode(header.removeprefix("Basic ")) == b"me:pass:word"


def test_nothing_is_shown_without_a_user() -> None:
    headers = shown(UserEntry())
    assert "Authorization" not in headers
    assert headers["User-Agent"].startswith("kubestage/")


def test_a_user_may_speak_for_others() -> None:
    user = UserEntry(
        token="secret",
        impersonate="jane",
        impersonate_uid="7",
        impersonate_groups=["a", "b"],
        impersonate_extra={"my/scope": ["x"]},
    )
    headers: Any = shown(user)
    assert headers["Impersonate-User"] == "jane"
    assert headers["Impersonate-Uid"] == "7"
    assert headers.getall("Impersonate-Group") == ["a", "b"]
    assert headers["Impersonate-Extra-my%2Fscope"] == "x"


def test_a_file_is_read_again_when_its_token_is_refused(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "token"
    file.write_text("old\n")
    with scripted(user=UserEntry(token="other", token_file=str(file))) as (api, cluster):
        api.on("/x", answer("fine"), refusal(401, "Unauthorized"), answer("fine again"))
        assert page(cluster, "/x").text == "fine"
        file.write_text("new\n")
        assert page(cluster, "/x").text == "fine again"
        sent = [each.headers["Authorization"] for each in api.asked("/x")]
        assert sent == ["Bearer old", "Bearer old", "Bearer new"]


def test_a_token_that_is_refused_and_has_no_other_is_an_error() -> None:
    with scripted(user=UserEntry(token="secret")) as (api, cluster):
        api.on("/api/v1", refusal(401, "Unauthorized"))
        assert isinstance(ask(cluster, "list", NAMESPACE).error, Unauthorized)
        assert len(api.requests) == 1


def program(tmp_path: pathlib.Path, status: dict[str, Any], version: str = V1) -> ExecEntry:
    """A plugin that grants something, counts how often, and keeps what it was told."""
    body = {"apiVersion": version, "kind": "ExecCredential", "status": status}
    code = f"""import os, pathlib
folder = pathlib.Path({str(tmp_path)!r})
count = len(list(folder.glob("asked-*")))
(folder / f"asked-{{count}}").write_text(os.environ["KUBERNETES_EXEC_INFO"])
print({json.dumps(body)!r}.replace("COUNT", str(count)).replace("ENV", os.environ["MINE"]))
"""
    return ExecEntry(
        sys.executable, V1, ["-c", code], [Variable("MINE", "mine")], provide_cluster_info=True
    )


def test_a_program_is_asked_once_and_again_when_what_it_granted_is_refused(
    tmp_path: pathlib.Path,
) -> None:
    user = UserEntry(exec=program(tmp_path, {"token": "ENV-COUNT"}))
    with scripted(user=user) as (api, cluster):
        api.on("/x", answer("1"), answer("2"), refusal(401, "Unauthorized"), answer("3"))
        assert [page(cluster, "/x").text for _ in range(3)] == ["1", "2", "3"]
        sent = [each.headers["Authorization"] for each in api.asked("/x")]
        assert sent == [*["Bearer mine-0"] * 3, "Bearer mine-1"]
        told = json.loads((tmp_path / "asked-0").read_text())
        assert told["spec"] == {"interactive": False, "cluster": {"server": cluster.server}}


def test_a_program_is_asked_once_for_all_who_are_refused_at_once(tmp_path: pathlib.Path) -> None:
    user = UserEntry(exec=program(tmp_path, {"token": "COUNT"}))
    with scripted(user=user) as (api, cluster):
        api.on("/x", *[refusal(401, "Unauthorized")] * 5, answer("fine"))
        pages: list[Page] = []
        for _ in range(5):
            cluster.raw("/x", pages.append)
        wait(cluster, lambda: len(pages) == 5)
        assert {each.text for each in pages} == {"fine"}
        assert len(list(tmp_path.glob("asked-*"))) == 2


def test_what_a_program_grants_is_used_until_it_ends(tmp_path: pathlib.Path) -> None:
    past = {"token": "COUNT", "expirationTimestamp": "2001-01-01T00:00:00Z"}
    with scripted(user=UserEntry(exec=program(tmp_path, past))) as (api, cluster):
        api.on("/x", answer("fine"))
        page(cluster, "/x")
        page(cluster, "/x")
        sent = [each.headers["Authorization"] for each in api.asked("/x")]
        assert sent == ["Bearer 0", "Bearer 1"]


def test_a_program_that_fails_is_named_with_a_fix(tmp_path: pathlib.Path) -> None:
    hint = ExecEntry("no-such-login", V1, install_hint="install no-such-login")
    old = ExecEntry("x", "client.authentication.k8s.io/v1alpha1")
    asking = ExecEntry("x", V1, interactive_mode="Always")
    loud = ExecEntry(sys.executable, V1, ["-c", "print('secret'); exit(3)"])
    mute = ExecEntry(sys.executable, V1, ["-c", "print('secret')"])
    other = program(tmp_path, {"token": "secret"}, "client.authentication.k8s.io/v1beta1")
    for entry, told in (
        (hint, "install no-such-login"),
        (old, "exec.apiVersion"),
        (asking, "exec.interactiveMode"),
        (loud, "exit code 3"),
        (mute, "no ExecCredential"),
        (other, "answered as client.authentication.k8s.io/v1beta1"),
        (program(tmp_path, {}), "neither a token nor a certificate"),
    ):
        text = refused(UserEntry(exec=entry))
        assert told in text
        assert "users[0].user.exec" in text
        assert "secret" not in text


def test_what_cannot_be_meant_is_refused() -> None:
    assert "exec plugin" in _open(user=UserEntry(auth_provider={"name": "gcp"}))
    assert "password" in _open(user=UserEntry(token="secret", username="me"))
    missing = _open(user=UserEntry(client_certificate_data="eA=="), server="https://127.0.0.1:1")
    assert "users[0].user.client-key" in missing


def test_a_served_stage_with_tls_and_a_token_is_reached(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine").write_text("correct-horse-battery")
    with Served("--api-only", "--token-file", str(tmp_path / "mine")) as server:
        access = kubeconfig.load(str(server.kubeconfig))
        assert access.is_https
        with RemoteCluster(access) as cluster:
            assert done(ask(cluster, "list", NAMESPACE))["items"]
    # The same address, after the server has gone.
    with RemoteCluster(access) as cluster, pytest.raises(InputError, match="does not answer"):
        cluster.check()


def secured(tmp_path: pathlib.Path, name: str = "127.0.0.1") -> tuple[ssl.SSLContext, str]:
    """What a server with TLS needs, and whom its clients are to trust."""
    files = certificates.ensure(tmp_path / "tls", [name])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(files.certificate, files.key)
    return context, str(files.authority)


def test_a_server_is_trusted_for_its_authority_or_on_demand(tmp_path: pathlib.Path) -> None:
    context, authority = secured(tmp_path)
    data = _encoded(pathlib.Path(authority).read_text())
    for cluster in (
        ClusterEntry(certificate_authority=authority),
        ClusterEntry(certificate_authority_data=data),
        ClusterEntry(insecure_skip_tls_verify=True),
    ):
        assert shown(UserEntry(token="x"), cluster=cluster, context=context)
    untrusted = pytest.raises(InputError, match=r"not to be trusted: .*issuer")
    with scripted(context=context) as (_, opened), untrusted:
        opened.check()


def test_a_server_may_have_another_name_than_its_address(tmp_path: pathlib.Path) -> None:
    context, authority = secured(tmp_path, "api.example")
    named = ClusterEntry(certificate_authority=authority, tls_server_name="api.example")
    assert shown(UserEntry(), cluster=named, context=context)
    unnamed = ClusterEntry(certificate_authority=authority)
    with scripted(cluster=unnamed, context=context) as (_, opened), pytest.raises(InputError):
        opened.check()


def test_certificates_of_files_data_and_programs_are_shown(tmp_path: pathlib.Path) -> None:
    context, authority = secured(tmp_path)
    certificate, key = client_certificate()
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=certificate)
    cluster = ClusterEntry(certificate_authority=authority)
    (tmp_path / "crt").write_text(certificate)
    (tmp_path / "key").write_text(key)
    granted = {"clientCertificateData": certificate, "clientKeyData": key}
    for user in (
        UserEntry(client_certificate=f"{tmp_path}/crt", client_key=f"{tmp_path}/key"),
        UserEntry(client_certificate_data=_encoded(certificate), client_key_data=_encoded(key)),
        UserEntry(exec=program(tmp_path, granted)),
    ):
        assert shown(user, cluster=cluster, context=context)
    with scripted(cluster=cluster, context=context) as (_, opened), pytest.raises(InputError):
        opened.check()


def test_certificates_that_are_none_are_named(tmp_path: pathlib.Path) -> None:
    _, authority = secured(tmp_path)
    server = "https://127.0.0.1:1"
    (tmp_path / "empty").write_text("")
    for key, cluster in (
        ("certificate-authority", ClusterEntry(certificate_authority=str(tmp_path / "no"))),
        ("certificate-authority", ClusterEntry(certificate_authority=str(tmp_path / "empty"))),
        ("certificate-authority-data", ClusterEntry(certificate_authority_data="secret!")),
        (
            "insecure-skip-tls-verify",
            ClusterEntry(certificate_authority=authority, insecure_skip_tls_verify=True),
        ),
    ):
        assert f"clusters[0].cluster.{key}" in _open(cluster=cluster, server=server)
    pair = UserEntry(client_certificate_data=_encoded("secret"), client_key_data=_encoded("secret"))
    text = _open(user=pair, server=server)
    assert "users[0].user.client-certificate" in text
    assert "secret" not in text


def _open(server: str = "http://127.0.0.1:1", **more: Any) -> str:
    """Why a cluster cannot even be opened."""
    origin = Origin("config", "clusters[0].cluster", "users[0].user")
    with pytest.raises(InputError) as caught:
        RemoteCluster(Access(server=server, origin=origin, **more))
    return str(caught.value)


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def client_certificate() -> tuple[str, str]:
    """A certificate that vouches for itself, and its key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "somebody")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return made.public_bytes(serialization.Encoding.PEM).decode(), secret.decode()
