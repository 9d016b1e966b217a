"""Programs that hand out credentials: ``client.authentication.k8s.io``."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.errors import InputError
    from kubestage.remote.access import Access
    from kubestage.remote.kubeconfig_schema import ExecEntry

_GROUP: Final = "client.authentication.k8s.io"
_VERSIONS: Final = tuple(f"{_GROUP}/{version}" for version in ("v1", "v1beta1"))
_TIMEOUT_S: Final = 120.0


class Granted(msgspec.Struct, frozen=True):
    """The credentials of a program, and until when they hold; never shown."""

    token: str = ""
    certificate: str = ""
    key: str = ""
    expires_unix_ns: int | None = None

    def __repr__(self) -> str:
        return "Granted(...)"


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: str = ""


class _Credential(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    status: _Status = msgspec.field(default_factory=_Status)


async def request(access: Access) -> Granted:
    """Run the program of a user and read what it grants."""
    entry = access.user.exec
    assert entry is not None
    if entry.api_version not in _VERSIONS:
        raise access.origin.in_user(
            "exec.apiVersion",
            f"version {entry.api_version or 'nothing'} is not spoken here",
            f"use one of {', '.join(_VERSIONS)}",
        )
    written = await _run(access, entry)
    return _granted(access, entry, written)


async def _run(access: Access, entry: ExecEntry) -> bytes:
    may_ask = entry.interactive_mode != "Never" and sys.stdin is not None and sys.stdin.isatty()
    if entry.interactive_mode == "Always" and not may_ask:
        raise access.origin.in_user(
            "exec.interactiveMode", "the program wants to ask somebody", "run this at a terminal"
        )
    environment = {
        **os.environ,
        **{each.name: each.value for each in entry.env or ()},
        "KUBERNETES_EXEC_INFO": _information(access, entry, may_ask),
    }
    try:
        process = await asyncio.create_subprocess_exec(
            entry.command,
            *(entry.args or ()),
            env=environment,
            stdin=None if may_ask else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
    except OSError as problem:
        raise access.origin.in_user(
            "exec.command",
            f"{entry.command} cannot be run: {problem.strerror}",
            entry.install_hint.strip() or "install it, or correct the path",
        ) from problem
    try:
        written, _ = await asyncio.wait_for(process.communicate(), _TIMEOUT_S)
    except TimeoutError as problem:
        raise access.origin.in_user(
            "exec.command", f"{entry.command} took too long", "run it by hand"
        ) from problem
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise access.origin.in_user(
            "exec.command",
            f"{entry.command} failed with exit code {process.returncode}",
            "run it by hand to see why",
        )
    return written


def _information(access: Access, entry: ExecEntry, may_ask: bool) -> str:
    spec: dict[str, Any] = {"interactive": may_ask}
    if entry.provide_cluster_info:
        cluster = access.cluster
        described = {
            "server": access.server,
            "tls-server-name": cluster.tls_server_name,
            "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
            "certificate-authority-data": cluster.certificate_authority_data,
            "proxy-url": cluster.proxy_url,
        }
        spec["cluster"] = {key: value for key, value in described.items() if value}
    body = {"kind": "ExecCredential", "apiVersion": entry.api_version, "spec": spec}
    return msgspec.json.encode(body).decode()


def _granted(access: Access, entry: ExecEntry, written: bytes) -> Granted:
    try:
        credential = msgspec.json.decode(written, type=_Credential)
        status = credential.status
        ends = status.expiration_timestamp
        expires = timestamps.parse_time(ends) if ends else None
    except (msgspec.DecodeError, ValueError):
        # Without the cause: what was written may hold a secret.
        raise _strange(access, entry, "wrote no ExecCredential") from None
    if credential.api_version != entry.api_version:
        raise _strange(access, entry, f"answered as {credential.api_version or 'nothing'}")
    if not status.token and not (status.client_certificate_data and status.client_key_data):
        raise _strange(access, entry, "granted neither a token nor a certificate with its key")
    return Granted(status.token, status.client_certificate_data, status.client_key_data, expires)


def _strange(access: Access, entry: ExecEntry, problem: str) -> InputError:
    return access.origin.in_user(
        "exec.command", f"{entry.command} {problem}", "run it by hand to see why"
    )
