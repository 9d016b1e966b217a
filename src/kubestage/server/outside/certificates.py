"""Whether a certificate is one that a bundle of authorities vouches for, for a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import InvalidSignature

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNKNOWN = "tls: failed to verify certificate: x509: certificate signed by unknown authority"


def problem(certificate: bytes, bundle: bytes, host: str) -> str:
    """Why a program with this certificate is not trusted; empty if it is."""
    try:
        shown = x509.load_pem_x509_certificate(certificate)
    except ValueError:
        return "remote error: tls: internal error"
    try:
        authorities = x509.load_pem_x509_certificates(bundle) if bundle else []
    except ValueError:
        return "unable to load root certificates: unable to parse bytes as PEM block"
    if not _is_signed(shown, authorities):
        return _UNKNOWN
    try:
        names = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return "tls: failed to verify certificate: x509: certificate is not valid for any names"
    valid = names.get_values_for_type(x509.DNSName)
    if host in valid or f"*.{host.partition('.')[2]}" in valid:
        return ""
    shown_names = ", ".join(valid)
    why = f"x509: certificate is valid for {shown_names}, not {host}"
    return f"tls: failed to verify certificate: {why}"


def _is_signed(shown: x509.Certificate, authorities: Iterable[x509.Certificate]) -> bool:
    for each in authorities:
        try:
            shown.verify_directly_issued_by(each)
        except (ValueError, TypeError, InvalidSignature):
            continue
        return True
    return False
