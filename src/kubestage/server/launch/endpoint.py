"""Where a server is reached, and what its clients need: certificate, token and kubeconfig."""

from __future__ import annotations

import importlib.resources
import ipaddress
import os
import pathlib
import socket
import ssl
import stat
import tempfile
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.server.launch import resolution
from kubestage.server.security import hosts, kubeconfig, origins, secret_files, tokens
from kubestage.server.security.settings import SecuritySettings
from kubestage.store.bootstrap import Bootstrap

if TYPE_CHECKING:
    from kubestage.server.launch.options import ServeOptions

HOST_OF_NODES: Final = "172.18.0.1"
"""The machine itself, as the simulated nodes see it: the gateway of their network."""

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class ServerEndpoint(NamedTuple):
    """Where a server is reached and how it is secured."""

    security: SecuritySettings
    address: str
    port: int
    authority: bytes | None
    """The certificate that clients are to trust, if there is TLS."""
    kubeconfig: pathlib.Path
    certificate: str | None
    key: str | None
    new_token: str | None
    """A token that was created now, and has not been shown yet."""
    temporary: pathlib.Path | None
    """A folder to delete when the server has ended."""


def check(options: ServeOptions) -> None:
    """Refuse files that cannot be used, before anything is opened."""
    origins.named(options.allow_origins)
    if options.kubeconfig is not None:
        _check_kubeconfig(pathlib.Path(options.kubeconfig))
    certificate, key = options.tls_cert, options.tls_key
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        present, missing = ("--tls-key", "--tls-cert") if key else ("--tls-cert", "--tls-key")
        fix = f"add {missing} FILE, or leave both out"
        raise InputError(f"means nothing without {missing}", path=present, fix=fix)
    for flag, name in (("--tls-cert", certificate), ("--tls-key", key)):
        if not pathlib.Path(name).is_file():
            raise InputError("no such file", file=name, path=flag, fix="check the path")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        fix = f"both must be PEM, and the key in {key} that of the certificate"
        problem = f"cannot be used: {error.reason or error}"
        raise InputError(problem, file=certificate, fix=fix) from None


def _check_kubeconfig(path: pathlib.Path) -> None:
    """Refuse to replace a file that may lead to other clusters."""
    if not path.exists() or (path.is_file() and kubeconfig.is_ours(path)):
        return
    fix = "name another file; the variable KUBECONFIG may name several, with a colon in between"
    problem = "is there already, and not written by kubestage"
    raise InputError(problem, file=str(path), path="--kubeconfig", fix=fix)


def prepare(options: ServeOptions, listening: socket.socket) -> ServerEndpoint:
    """Create what is missing: certificate, token and kubeconfig."""
    port = listening.getsockname()[1]
    data_dir = resolution.data_directory(options)
    temporary = None if data_dir else _runtime_folder(port)
    home = data_dir or temporary
    assert home is not None
    path = pathlib.Path(options.kubeconfig) if options.kubeconfig else home / "kubeconfig"
    is_local = hosts.is_loopback(options.host)
    limits, pages = resolution.limits(options), origins.named(options.allow_origins)
    if is_local and not options.token_file and not options.tls_cert:
        address = f"http://{_reached(options.host)}:{port}"
        allowed = hosts.allowed(options.host, options.allow_hosts)
        kubeconfig.write(path, address)
        security = SecuritySettings(hosts=allowed, limits=limits, origins=pages)
        return ServerEndpoint(security, address, port, None, path, None, None, None, temporary)
    authority, certificate, key = _certificate(options, home)
    token, is_new = _token(options, home)
    address = f"https://{_reached(options.host)}:{port}"
    kubeconfig.write(path, address, authority=authority, token=token)
    security = SecuritySettings(hosts=frozenset(), token=token, limits=limits, origins=pages)
    new_token = token if is_new else None
    return ServerEndpoint(
        security, address, port, authority, path, certificate, key, new_token, temporary
    )


def bootstrap(options: ServeOptions, prepared: ServerEndpoint) -> Bootstrap:
    """The server as its cluster knows it."""
    authority = prepared.authority
    certificate = placeholder_certificate() if authority is None else authority.decode("ascii")
    address = _advertised(options.host)
    return Bootstrap(address=address, port=prepared.port, certificate=certificate)


def placeholder_certificate() -> str:
    """A certificate that signs nothing, for a cluster without TLS: clients expect to find one."""
    data = importlib.resources.files("kubestage.server.data").joinpath("no_authority.crt")
    return data.read_text(encoding="ascii")


def _advertised(host: str) -> str:
    """The IP address by which nodes would reach a server that listens at this one.

    The API has no place for addresses of the machine itself (``127.0.0.1``).
    """
    bare = host.strip("[]")
    if hosts.is_loopback(host):
        return HOST_OF_NODES
    if hosts.is_everywhere(host):
        return _outward_address(socket.AF_INET6 if ":" in bare else socket.AF_INET)
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return str(socket.getaddrinfo(bare, None, type=socket.SOCK_STREAM)[0][4][0])


def _outward_address(family: socket.AddressFamily) -> str:
    """The address of this machine that others see; nothing is sent to find it out."""
    is_ipv6 = family == socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("2001:db8::1" if is_ipv6 else "192.0.2.1", 9))
        except OSError:
            return HOST_OF_NODES
        found = str(probe.getsockname()[0])
    return HOST_OF_NODES if hosts.is_loopback(found) else found


def _token(options: ServeOptions, home: pathlib.Path) -> tuple[str, bool]:
    if options.token_file is not None:
        return tokens.read(pathlib.Path(options.token_file)), False
    return tokens.ensure(home / "token")


def _certificate(options: ServeOptions, home: pathlib.Path) -> tuple[bytes, str, str]:
    """The authority that clients are to trust, and the files of certificate and key."""
    if options.tls_cert is not None and options.tls_key is not None:
        trusted = pathlib.Path(options.tls_cert).read_bytes()
        return trusted, options.tls_cert, options.tls_key
    try:
        from kubestage.server.security import certificates  # noqa: PLC0415 - needs an extra
    except ImportError:
        fix = "pip install 'kubestage[server]', or name yours with --tls-cert and --tls-key"
        raise InputError("making a certificate needs cryptography", fix=fix) from None
    names = {*hosts.LOOPBACK, socket.gethostname().lower(), *options.allow_hosts}
    if not hosts.is_everywhere(options.host):
        names.add(options.host.strip("[]"))
    files = certificates.ensure(home / "tls", names)
    return files.authority.read_bytes(), str(files.certificate), str(files.key)


def _reached(host: str) -> str:
    """The address by which this machine itself reaches the server."""
    if hosts.is_everywhere(host):
        return "127.0.0.1"
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare


def _runtime_folder(port: int) -> pathlib.Path:
    """A folder of the user alone, for a server that stores nothing."""
    root = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = secret_files.folder(pathlib.Path(root) / f"kubestage-{os.getuid()}")
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
        fix = "name another place with --kubeconfig and --data-dir"
        raise InputError("is not a folder of yours alone", file=str(folder), fix=fix)
    return secret_files.folder(folder / str(port))
