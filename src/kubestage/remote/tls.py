"""Whom to trust and what to show: the TLS side of a kubeconfig."""

from __future__ import annotations

import base64
import binascii
import contextlib
import pathlib
import ssl
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.remote.access import Access

_PASTE = "paste it again, as base64 on one line"


def context_of(access: Access) -> ssl.SSLContext | None:
    """A context as the kubeconfig has it; None where there is no TLS."""
    if not access.is_https:
        return None
    context = _trusting(access)
    user, origin = access.user, access.origin
    certificate = user.client_certificate_data or user.client_certificate
    if certificate:
        if not (user.client_key_data or user.client_key):
            raise origin.in_user(
                "client-key", "a client certificate needs its key", "add client-key-data"
            )
        with (
            _pem_file(access, "client-certificate") as shown,
            _pem_file(access, "client-key") as key,
        ):
            try:
                context.load_cert_chain(shown, key)
            except (ssl.SSLError, OSError) as problem:
                raise origin.in_user(
                    "client-certificate",
                    "the client certificate and its key cannot be used",
                    "are they PEM, and of one pair?",
                ) from problem
    return context


def show(context: ssl.SSLContext, certificate: str, key: str) -> None:
    """Have new connections show a certificate, both as PEM text."""
    with _written(certificate.encode()) as shown, _written(key.encode()) as secret:
        context.load_cert_chain(shown, secret)


def _trusting(access: Access) -> ssl.SSLContext:
    cluster, origin = access.cluster, access.origin
    has_authority = bool(cluster.certificate_authority_data or cluster.certificate_authority)
    if cluster.insecure_skip_tls_verify:
        if has_authority:
            raise origin.in_cluster(
                "insecure-skip-tls-verify",
                "an authority is named, and nothing is to be verified",
                "remove one of them",
            )
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if not has_authority:
        return ssl.create_default_context()
    with _pem_file(access, "certificate-authority") as authority:
        try:
            return ssl.create_default_context(cafile=authority)
        except (ssl.SSLError, OSError) as problem:
            raise origin.in_cluster(
                "certificate-authority", "no certificate can be read there", "is it PEM?"
            ) from problem


@contextlib.contextmanager
def _pem_file(access: Access, key: str) -> Iterator[str]:
    """A file with the data of an entry: the one it names, or a temporary one."""
    is_cluster = key == "certificate-authority"
    entry = access.cluster if is_cluster else access.user
    refused = access.origin.in_cluster if is_cluster else access.origin.in_user
    field = key.replace("-", "_")
    data, path = getattr(entry, f"{field}_data"), getattr(entry, field)
    if not data:
        if not pathlib.Path(path).is_file():
            raise refused(key, f"there is no file {path}", "correct the path")
        yield path
        return
    try:
        decoded = base64.b64decode(data, validate=True)
    except binascii.Error:
        # Without its cause, whose message may contain a secret.
        raise refused(f"{key}-data", "this is not base64", _PASTE) from None
    with _written(decoded) as written:
        yield written


@contextlib.contextmanager
def _written(data: bytes) -> Iterator[str]:
    """A temporary file that only this user can read: the TLS library takes nothing else."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        yield file.name
