from __future__ import annotations

import ssl
import stat
from typing import TYPE_CHECKING

from kubestage.server.security import certificates

if TYPE_CHECKING:
    import pathlib

    from kubestage.server.security.certificates import Certificate


def handshake(files: Certificate, name: str) -> None:
    """Shake hands in memory; raises if the client does not trust the server."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate, files.key)
    client = ssl.create_default_context(cafile=str(files.authority))
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(down, up, server_hostname=name),
        server.wrap_bio(up, down, server_side=True),
    ]
    waiting = list(ends)
    for _ in range(6):
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                pass
    assert not waiting


def test_clients_that_trust_the_authority_trust_the_server(tmp_path: pathlib.Path) -> None:
    files = certificates.ensure(tmp_path / "tls", ["localhost", "127.0.0.1", "::1", "a.example"])
    for name in ("localhost", "127.0.0.1", "::1", "a.example"):
        handshake(files, name)
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600


def test_a_server_by_another_name_is_not_trusted(tmp_path: pathlib.Path) -> None:
    files = certificates.ensure(tmp_path, ["localhost"])
    try:
        handshake(files, "b.example")
    except ssl.SSLCertVerificationError:
        return
    raise AssertionError("the name was not looked at")


def test_a_certificate_is_kept_while_it_is_good(tmp_path: pathlib.Path) -> None:
    first = certificates.ensure(tmp_path, ["localhost", "127.0.0.1"]).certificate.read_bytes()
    assert certificates.ensure(tmp_path, ["localhost"]).certificate.read_bytes() == first
    other = certificates.ensure(tmp_path, ["localhost", "new.example"]).certificate.read_bytes()
    assert other != first


def test_a_damaged_certificate_is_made_anew(tmp_path: pathlib.Path) -> None:
    files = certificates.ensure(tmp_path, ["localhost"])
    files.certificate.write_text("nothing")
    handshake(certificates.ensure(tmp_path, ["localhost"]), "localhost")
