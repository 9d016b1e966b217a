"""Manifests for the tests of ``kubestage run``, written into the current directory."""

from __future__ import annotations

import json
import pathlib
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json


def write(name: str, *objects: Json) -> None:
    """One file with these objects."""
    listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    pathlib.Path(name).write_text(json.dumps(listed))


def write_config(text: str, name: str = "scheduler.yaml") -> None:
    """A scheduler configuration; its head is added."""
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    pathlib.Path(name).write_text(head + textwrap.dedent(text))


def write_plugin(text: str, name: str = "mine.py") -> None:
    """A file with a plugin."""
    pathlib.Path(name).write_text(textwrap.dedent(text))


def enabling(name: str, args: str = "{}") -> str:
    """A configuration with one profile that enables a plugin with these arguments."""
    plugins = f"plugins: {{multiPoint: {{enabled: [{{name: {name}}}]}}}}"
    return f"profiles: [{{{plugins}, pluginConfig: [{{name: {name}, args: {args}}}]}}]\n"
