"""A self-signed certificate, for users who have none."""

from __future__ import annotations

import datetime as dt
import ipaddress
from typing import TYPE_CHECKING, Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kubestage.server.security import secret_files

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable

_YEARS: Final = 2
_CLOCKS_DIFFER: Final = dt.timedelta(hours=1)
_SOON: Final = dt.timedelta(days=7)
_KEY_USAGE: Final = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=False,
    crl_sign=False,
    encipher_only=False,
    decipher_only=False,
)


class Certificate(NamedTuple):
    """Files: the server's certificate and key, and the authority that clients trust."""

    authority: pathlib.Path
    certificate: pathlib.Path
    key: pathlib.Path


def ensure(directory: pathlib.Path, hosts: Iterable[str]) -> Certificate:
    """The certificate in a directory if it is good for these hosts, else a new one."""
    names = sorted(set(hosts))
    files = Certificate(directory / "ca.crt", directory / "server.crt", directory / "server.key")
    if all(each.exists() for each in files) and _is_good(files, names):
        return files
    now = dt.datetime.now(dt.UTC)
    authority_key, authority = _authority(now)
    key, certificate = _server(now, names, authority_key, authority)
    secret_files.write(files.authority, _pem(authority))
    secret_files.write(files.certificate, _pem(certificate))
    secret_files.write(files.key, _key_pem(key))
    return files


def _is_good(files: Certificate, names: list[str]) -> bool:
    """Whether what is kept there can be read, covers all names and lasts for some time."""
    try:
        found = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        covered = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound):
        return False
    now = dt.datetime.now(dt.UTC)
    known = set(covered)
    return found.not_valid_after_utc - now > _SOON and known >= set(_alternatives(names))


def _authority(
    now: dt.datetime,
) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubestage-ca")])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    builder = (
        _builder(now, name, name, key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    # The key is used once and then dropped, so that it can never sign anything else.
    return key, builder.sign(key, hashes.SHA256())


def _server(
    now: dt.datetime,
    names: list[str],
    authority_key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate,
) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubestage")])
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    builder = (
        _builder(now, subject, authority.subject, key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_KEY_USAGE, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(_alternatives(names)), critical=False)
        .add_extension(issuer_key, critical=False)
    )
    return key, builder.sign(authority_key, hashes.SHA256())


def _builder(
    now: dt.datetime,
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(
        issuer_name=issuer,
        subject_name=subject,
        public_key=key,
        serial_number=x509.random_serial_number(),
        not_valid_before=now - _CLOCKS_DIFFER,
        not_valid_after=now + dt.timedelta(days=365 * _YEARS),
    )


def _alternatives(names: list[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for name in names:
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            found.append(x509.DNSName(name))
    return found


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
