"""The authority of a cluster: its certificate, and the certificates that it signs on request."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kubestage.errors import InputError
from kubestage.server.security import secret_files

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable

_NAME: Final = "kubernetes"
# The clock of a cluster may begin at any time.
_BEGINS: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_ENDS: Final = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)
_BACKDATED: Final = dt.timedelta(minutes=5)
_SHORT: Final = dt.timedelta(hours=8)
_SIGNATURES: Final = {"signing", "digital signature"}
_EXTENDED: Final = {
    "any": ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
    "server auth": ExtendedKeyUsageOID.SERVER_AUTH,
    "client auth": ExtendedKeyUsageOID.CLIENT_AUTH,
    "code signing": ExtendedKeyUsageOID.CODE_SIGNING,
    "email protection": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "s/mime": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "ipsec end system": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.5"),
    "ipsec tunnel": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.6"),
    "ipsec user": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.7"),
    "timestamping": ExtendedKeyUsageOID.TIME_STAMPING,
    "ocsp signing": ExtendedKeyUsageOID.OCSP_SIGNING,
    "microsoft sgc": x509.ObjectIdentifier("1.3.6.1.4.1.311.10.3.3"),
    "netscape sgc": x509.ObjectIdentifier("2.16.840.1.113730.4.1"),
}


class CertificateAuthority:
    """A key, and the certificate by which others know it."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        self._key = key
        self._certificate = certificate

    @classmethod
    def new(cls) -> Self:
        """Another one than any before."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
        usage = _key_usage({"digital signature", "key encipherment", "cert sign"})
        builder = (
            _builder(name, name, key.public_key(), _BEGINS, _ENDS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
        )
        return cls(key, builder.sign(key, hashes.SHA256()))

    @classmethod
    def kept_in(cls, folder: pathlib.Path) -> Self:
        """The one in a folder, made if there is none."""
        certificate_file, key_file = folder / "ca.crt", folder / "ca.key"
        if not (certificate_file.exists() and key_file.exists()):
            made = cls.new()
            secret_files.write(key_file, made.private_key)
            secret_files.write(certificate_file, made.certificate)
            return made
        fix = "delete it: another authority is made, and what this one signed is void"
        unusable = InputError("holds no certificate with its key", file=str(folder), fix=fix)
        try:
            key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
            certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
        except (ValueError, TypeError):
            raise unusable from None
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise unusable
        return cls(key, certificate)

    @property
    def certificate(self) -> str:
        """The certificate, in PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    @property
    def private_key(self) -> str:
        """The key, in PEM."""
        return self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode()

    def sign(
        self,
        request: x509.CertificateSigningRequest,
        usages: Iterable[str],
        lasts: dt.timedelta,
        now: dt.datetime,
    ) -> bytes:
        """A certificate for the subject and the names of a request, in PEM.

        It begins a little earlier, for clocks differ; so that it lasts no longer than requested,
        it ends earlier, too, unless it is short.
        """
        ends = now + (lasts if lasts < _SHORT else lasts - _BACKDATED)
        builder = _builder(
            request.subject,
            self._certificate.subject,
            request.public_key(),
            now - _BACKDATED,
            min(ends, self._certificate.not_valid_after_utc),
        ).add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        named = set(usages)
        if named - _EXTENDED.keys():
            builder = builder.add_extension(_key_usage(named), critical=True)
        extended = sorted({_EXTENDED[each] for each in named & _EXTENDED.keys()}, key=_dotted)
        if extended:
            builder = builder.add_extension(x509.ExtendedKeyUsage(extended), critical=False)
        authority_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(authority_key, critical=False)
        names = names_of(request)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        signed = builder.sign(self._key, hashes.SHA256())
        return signed.public_bytes(serialization.Encoding.PEM)


def names_of(request: x509.CertificateSigningRequest) -> list[x509.GeneralName]:
    """The other names of a request's subject, of the kinds that a certificate can have."""
    kinds = (x509.DNSName, x509.IPAddress, x509.RFC822Name, x509.UniformResourceIdentifier)
    try:
        found = request.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return []
    return [each for each in found.value if isinstance(each, kinds)]


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: object,
    begins: dt.datetime,
    ends: dt.datetime,
) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(
        issuer_name=issuer,
        subject_name=subject,
        public_key=key,  # type: ignore[arg-type] # of any kind that a request may have
        serial_number=x509.random_serial_number(),
        not_valid_before=begins,
        not_valid_after=ends,
    )


def _key_usage(usages: set[str]) -> x509.KeyUsage:
    agrees = "key agreement" in usages
    return x509.KeyUsage(
        digital_signature=bool(usages & _SIGNATURES),
        content_commitment="content commitment" in usages,
        key_encipherment="key encipherment" in usages,
        data_encipherment="data encipherment" in usages,
        key_agreement=agrees,
        key_cert_sign="cert sign" in usages,
        crl_sign="crl sign" in usages,
        encipher_only=agrees and "encipher only" in usages,
        decipher_only=agrees and "decipher only" in usages,
    )


def _dotted(usage: x509.ObjectIdentifier) -> str:
    return usage.dotted_string
