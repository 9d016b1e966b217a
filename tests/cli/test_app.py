"""The commands that need no files, and what help teaches."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import kubestage

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def test_the_version_names_kubernetes_and_python(terminal: Terminal) -> None:
    result = terminal.run("version")
    assert result.out == (
        f"kubestage {kubestage.__version__}\n"
        "Kubernetes v1.36 (the version whose rules it follows)\n"
        f"Python {platform.python_version()}\n"
    )
    versions = json.loads(terminal.run("version", "-o", "json").out)
    assert versions["kubernetes"] == "v1.36"
    assert versions["kubestage"] == kubestage.__version__


def test_the_version_is_told_without_loading_the_rest() -> None:
    code = (
        "import sys; from kubestage.cli import app; app.run(['version']);"
        "print(sorted({'yaml', 'msgspec', 'rich.table', 'kubestage.store'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_kinds_are_listed_as_kubectl_does(terminal: Terminal) -> None:
    lines = terminal.run("api-resources").out.splitlines()
    assert lines[0].split() == ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in [
        line.split() for line in lines
    ]
    secrets = next(line for line in lines if line.startswith("secrets"))
    assert secrets.split() == ["secrets", "v1", "true", "Secret"]
    assert secrets.index("v1") == lines[0].index("APIVERSION")


def test_the_kinds_are_filtered_by_scope(terminal: Terminal) -> None:
    cluster = terminal.run("api-resources", "--cluster-scoped", "-o", "name").out.split()
    namespaced = terminal.run("api-resources", "--namespaced", "-o", "name").out.split()
    assert "nodes" in cluster
    assert "pods" in namespaced
    assert not set(cluster) & set(namespaced)
    headless = terminal.run("api-resources", "--no-headers").out.splitlines()
    assert len(headless) == len(cluster) + len(namespaced)


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_help_lists_the_commands_and_where_to_start(
    arguments: list[str], terminal: Terminal
) -> None:
    result = terminal.run(*arguments)
    assert result.code == 0
    for word in ("get", "validate", "version", "completion", "examples/01-first-cluster"):
        assert word in result.out


@pytest.mark.parametrize("command", ["get", "validate", "completion", "api-resources"])
def test_the_help_of_a_command_has_examples(command: str, terminal: Terminal) -> None:
    result = terminal.run(command, "--help")
    assert result.code == 0
    assert f"kubestage {command}" in result.out.partition("Examples")[2]
