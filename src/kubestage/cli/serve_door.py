"""Where a server is reached, and what its clients need to get in."""

from __future__ import annotations

import os
import pathlib
import socket
import ssl
import stat
import tempfile
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.errors import InputError
from kubestage.objects import quantity
from kubestage.server.security import hosts, kubeconfig, secret_files, tokens
from kubestage.server.security.settings import (
    MOST_BYTES,
    REMOTE_SCENARIO_BYTES,
    Limits,
    Settings,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Wishes(msgspec.Struct, frozen=True):
    """What a person said about the door; None where nothing was said."""

    host: str
    data_dir: pathlib.Path | None
    allow_hosts: Sequence[str] = ()
    certificate: str | None = None
    key: str | None = None
    token_file: str | None = None
    kubeconfig: str | None = None
    limits: Limits = Limits()


class Door(NamedTuple):
    """How to serve, and what to tell: `new_token` is one that nobody has seen yet.

    `passing` is a folder that means nothing when the server has ended.
    """

    settings: Settings
    address: str
    kubeconfig: pathlib.Path
    certificate: str | None
    key: str | None
    new_token: str | None
    passing: pathlib.Path | None


def limits(host: str, objects: int, watchers: int, request_bytes: str | None) -> Limits:
    """How much clients may ask for; less by default where others than this machine are clients."""
    found = Limits(objects=objects, watchers=watchers)
    if request_bytes is not None:
        most = _bytes(request_bytes)
        return msgspec.structs.replace(
            found, body_bytes=most, scenario_body_bytes=most, own_body_bytes=most
        )
    if hosts.is_loopback(host):
        return found
    return msgspec.structs.replace(found, scenario_body_bytes=REMOTE_SCENARIO_BYTES)


def _bytes(text: str) -> int:
    fix = "write it as 67108864 or 64Mi"
    try:
        count = quantity.parse(text).value
    except quantity.QuantityError:
        raise InputError(f'"{text}" is no size', path="--max-request-bytes", fix=fix) from None
    if not 0 < count <= MOST_BYTES:
        problem = f"must be above 0 and at most {MOST_BYTES >> 30}Gi"
        raise InputError(problem, path="--max-request-bytes", fix=fix)
    return count


def check(wishes: Wishes) -> None:
    """Refuse what does not go together, before anything is opened."""
    if wishes.kubeconfig is not None:
        _check_kubeconfig(pathlib.Path(wishes.kubeconfig))
    certificate, key = wishes.certificate, wishes.key
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        given, missing = ("--tls-key", "--tls-cert") if key else ("--tls-cert", "--tls-key")
        fix = f"add {missing} FILE, or leave both out"
        raise InputError(f"means nothing without {missing}", path=given, fix=fix)
    for option, name in (("--tls-cert", certificate), ("--tls-key", key)):
        if not pathlib.Path(name).is_file():
            raise InputError("no such file", file=name, path=option, fix="check the path")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        fix = f"both must be PEM, and the key in {key} that of the certificate"
        problem = f"cannot be used: {error.reason or error}"
        raise InputError(problem, file=certificate, fix=fix) from None


def _check_kubeconfig(path: pathlib.Path) -> None:
    """Refuse to replace what may lead to clusters of somebody else."""
    if not path.exists() or (path.is_file() and kubeconfig.is_ours(path)):
        return
    fix = "name another file; the variable KUBECONFIG may name several, with a colon in between"
    problem = "is there already, and not written by kubestage"
    raise InputError(problem, file=str(path), path="--kubeconfig", fix=fix)


def prepare(wishes: Wishes, listening: socket.socket) -> Door:
    """Make what is missing: certificate, token and kubeconfig."""
    port = listening.getsockname()[1]
    passing = None if wishes.data_dir else _runtime_folder(port)
    home = wishes.data_dir or passing
    assert home is not None
    path = pathlib.Path(wishes.kubeconfig) if wishes.kubeconfig else home / "kubeconfig"
    is_secured = not hosts.is_loopback(wishes.host) or bool(wishes.token_file or wishes.certificate)
    extra = tuple(wishes.allow_hosts)
    if not is_secured:
        address = f"http://{_reached(wishes.host)}:{port}"
        settings = Settings(hosts=hosts.allowed(wishes.host, extra), limits=wishes.limits)
        kubeconfig.write(path, address)
        return Door(settings, address, path, None, None, None, passing)
    authority, certificate, key = _certificate(wishes, home)
    token, is_new = _token(wishes, home)
    address = f"https://{_reached(wishes.host)}:{port}"
    kubeconfig.write(path, address, authority=authority, token=token)
    settings = Settings(hosts=frozenset(), token=token, limits=wishes.limits)
    shown = token if is_new else None
    return Door(settings, address, path, certificate, key, shown, passing)


def _token(wishes: Wishes, home: pathlib.Path) -> tuple[str, bool]:
    if wishes.token_file is not None:
        return tokens.read(pathlib.Path(wishes.token_file)), False
    return tokens.ensure(home / "token")


def _certificate(wishes: Wishes, home: pathlib.Path) -> tuple[bytes, str, str]:
    """The authority that clients are to trust, and the files of certificate and key."""
    if wishes.certificate is not None and wishes.key is not None:
        trusted = pathlib.Path(wishes.certificate).read_bytes()
        return trusted, wishes.certificate, wishes.key
    try:
        from kubestage.server.security import certificates
    except ImportError:
        fix = "pip install 'kubestage[server]', or name yours with --tls-cert and --tls-key"
        raise InputError("making a certificate needs cryptography", fix=fix) from None
    names = {*hosts.LOOPBACK, socket.gethostname().lower(), *wishes.allow_hosts}
    if not hosts.is_everywhere(wishes.host):
        names.add(wishes.host.strip("[]"))
    files = certificates.ensure(home / "tls", names)
    return files.authority.read_bytes(), str(files.certificate), str(files.key)


def _reached(host: str) -> str:
    """The address by which this machine itself reaches the server."""
    if hosts.is_everywhere(host):
        return "127.0.0.1"
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare


def _runtime_folder(port: int) -> pathlib.Path:
    """A folder of our own, for a server that keeps nothing."""
    root = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = secret_files.folder(pathlib.Path(root) / f"kubestage-{os.getuid()}")
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
        fix = "name another place with --kubeconfig and --data-dir"
        raise InputError("is not a folder of yours alone", file=str(folder), fix=fix)
    return secret_files.folder(folder / str(port))
