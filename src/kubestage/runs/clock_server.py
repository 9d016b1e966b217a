"""Finds the server whose clock is shown or set."""

from __future__ import annotations

import os
import pathlib
from typing import Final

from kubestage.errors import InputError
from kubestage.remote import kubeconfig
from kubestage.remote.access import Access

_CONTEXT: Final = "kubestage"
_FIX: Final = "start one with `kubestage serve`, or name one: --server http://127.0.0.1:18080"


def find(server: str | None, config: str | None) -> Access:
    """The server that was named, or the one that is nearest.

    That is the one of KUBECONFIG if `kubestage serve` wrote that file, the one of the data
    directory here, or else the cluster that kubectl would use.
    """
    if server is not None:
        return _named(server, config)
    if config is not None:
        return kubeconfig.load(config)
    local = pathlib.Path(".kubestage/kubeconfig")
    if local.is_file() and not _is_exported():
        return kubeconfig.load(str(local))
    try:
        return kubeconfig.load()
    except InputError as error:
        if error.problem != "no kubeconfig was found":
            raise
        raise InputError("no server is known", fix=_FIX) from None


def _named(server: str, config: str | None) -> Access:
    """An address, with the token and the trust of a kubeconfig if one is named or is for it."""
    address = server.rstrip("/") if "://" in server else f"http://{server.rstrip('/')}"
    if config is None:
        return Access(server=address)
    known = kubeconfig.load(config)
    return Access(server=address, cluster=known.cluster, user=known.user, origin=known.origin)


def _is_exported() -> bool:
    """Whether KUBECONFIG leads to a server of kubestage."""
    names = [each for each in os.environ.get("KUBECONFIG", "").split(os.pathsep) if each]
    if not any(pathlib.Path(each).is_file() for each in names):
        return False
    try:
        kubeconfig.load(context=_CONTEXT)
    except InputError:
        return False
    return True
