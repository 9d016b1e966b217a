"""The file by which kubectl and other clients find the server."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

from kubestage.server.security import secret_files

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

_NAME: Final = "kubestage"


def is_ours(path: pathlib.Path) -> bool:
    """Whether a file has been written here before, or holds nothing, so that it may be replaced."""
    text = path.read_bytes()
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError:
        return False
    return not found or (isinstance(found, dict) and found.get("current-context") == _NAME)


def write(
    path: pathlib.Path, server: str, *, authority: bytes | None = None, token: str | None = None
) -> None:
    """Write a kubeconfig with one context; `authority` is a certificate that is to be trusted."""
    cluster: Json = {"server": server}
    if server.startswith("http:"):
        # Without it, the official client of Node refuses plain http.
        cluster["insecure-skip-tls-verify"] = True
    if authority is not None:
        cluster["certificate-authority-data"] = base64.b64encode(authority).decode()
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": cluster}],
        "users": [{"name": _NAME, "user": {"token": token} if token else {}}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
        "current-context": _NAME,
    }
    # Every reader of YAML reads JSON.
    secret_files.write(path, json.dumps(content, indent=2) + "\n")
