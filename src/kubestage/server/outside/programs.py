"""Programs in simulated containers that serve over TLS, known by their image and arguments.

A simulated pod has no process. A well-known test image is modelled instead: what it would answer
is computed here, and its certificate is the one in the Secret that its container mounts.
"""

from __future__ import annotations

import base64
import posixpath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.server.outside import agnhost_conversion, agnhost_webhook

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kubestage.aliases import Json
    from kubestage.store.store import Store

    Handler = Callable[[str, Json], Awaitable[Json | None]]

_SECRET: Final = ("v1", "Secret")
_CERTIFICATE: Final = "--tls-cert-file="
_AGNHOST: Final = {
    "webhook": agnhost_webhook.answer,
    "crd-conversion-webhook": agnhost_conversion.answer,
}


class Program(NamedTuple):
    """A program that serves: its handler, and the certificate that it shows, in PEM."""

    handler: Handler
    certificate: bytes


def program_of(store: Store, pod: Json, port: int) -> Program | None:
    """The modelled program that listens on a port of a pod; None if there is none."""
    for container in (pod.get("spec") or {}).get("containers") or ():
        name = (container.get("image") or "").rpartition("/")[2].partition(":")[0]
        arguments = container.get("args") or []
        if name != "agnhost" or not arguments or container.get("command"):
            continue
        handler = _AGNHOST.get(arguments[0])
        if handler is not None and _listens(arguments, port):
            return Program(handler, _certificate(store, pod, container, arguments))
    return None


def _listens(arguments: list[str], port: int) -> bool:
    chosen = [each.removeprefix("--port=") for each in arguments if each.startswith("--port=")]
    return (chosen or ["443"])[-1] == str(port)


def _certificate(store: Store, pod: Json, container: Json, arguments: list[str]) -> bytes:
    """The certificate file that a program was started with, from the Secret at its place."""
    paths = [each.removeprefix(_CERTIFICATE) for each in arguments if each.startswith(_CERTIFICATE)]
    folder, name = posixpath.split(paths[-1]) if paths else ("", "")
    volumes: dict[str, Any] = {each["name"]: each for each in pod["spec"].get("volumes") or ()}
    for mount in container.get("volumeMounts") or ():
        secret = (volumes.get(mount["name"]) or {}).get("secret")
        if secret is not None and mount["mountPath"].rstrip("/") == folder.rstrip("/"):
            key = f"{pod['metadata']['namespace']}/{secret.get('secretName')}"
            found = store.read(_SECRET).get(key) or {}
            return base64.b64decode((found.get("data") or {}).get(name) or "")
    return b""
