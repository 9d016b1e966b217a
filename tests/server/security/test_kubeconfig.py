from __future__ import annotations

import base64
import stat
from typing import TYPE_CHECKING

import yaml

from kubestage.server.security import kubeconfig

if TYPE_CHECKING:
    import pathlib


def test_a_kubeconfig_tells_where_and_how(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    kubeconfig.write(path, "https://127.0.0.1:1", authority=b"PEM", token="secret")
    content = yaml.safe_load(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    context = content["contexts"][0]
    assert content["current-context"] == context["name"]
    (cluster,) = content["clusters"]
    (user,) = content["users"]
    assert context["context"] == {"cluster": cluster["name"], "user": user["name"]}
    assert cluster["cluster"]["server"] == "https://127.0.0.1:1"
    assert base64.b64decode(cluster["cluster"]["certificate-authority-data"]) == b"PEM"
    assert user["user"] == {"token": "secret"}


def test_an_open_server_needs_neither_trust_nor_token(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("old")
    path.chmod(0o644)
    kubeconfig.write(path, "http://127.0.0.1:1")
    content = yaml.safe_load(path.read_text())
    assert content["clusters"][0]["cluster"] == {
        "server": "http://127.0.0.1:1",
        "insecure-skip-tls-verify": True,
    }
    assert content["users"][0]["user"] == {}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
