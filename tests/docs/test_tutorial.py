"""The tutorial as a newcomer walks through it: every command is run, and prints what is shown."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
from typing import TYPE_CHECKING

from tests.deadlines import HANG_S
from tests.installed import environment
from tests.server.served import Served, require_kubectl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.installed import Installed

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(
    r"^```(?P<kind>[a-z]+)(?: title=\"(?P<name>.*?)\")?\n(?P<text>.*?)^```\n",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", re.DOTALL | re.MULTILINE)
# What makes an environment, which is made here without a registry, or goes on until it is stopped.
NOT_HERE = (
    "python3 -m venv .venv",
    ". .venv/bin/activate",
    "pip install 'kubestage[server,fast]'",
    "make demo",
    "kubestage serve examples/01-first-cluster",
)


def _pattern(shown: str) -> str:
    """The output as a pattern: three dots stand for any lines, or for the rest of one."""
    lines = []
    for line in shown.splitlines():
        if line == "...":
            lines.append(r"(?:.*\n)*")
        elif line.endswith(" ..."):
            lines.append(re.escape(line.removesuffix("...")) + r".*\n")
        else:
            lines.append(re.escape(line) + r"\n")
    return "".join(lines)


def _print(command: str, folder: pathlib.Path, variables: Mapping[str, str]) -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**environment(), **variables, "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    return done.stdout


def _walk(folder: pathlib.Path, program: str, variables: Mapping[str, str]) -> int:
    """Run the commands of a program and the silent ones before them; how many have printed."""
    count = 0
    for block in BLOCK.finditer(TEXT):
        if block["kind"] == "yaml":
            (folder / block["name"]).write_text(block["text"])
        elif block["kind"] == "sh" and program == "kubestage":
            for line in block["text"].splitlines():
                if line not in NOT_HERE:
                    assert _print(line, folder, variables) == "", line
        elif block["kind"] == "console":
            for command, shown in COMMAND.findall(block["text"]):
                if command.startswith(program):
                    printed = _print(command, folder, variables)
                    assert re.fullmatch(_pattern(shown), printed), f"{command}\n{printed}"
                    count += 1
    return count


def test_what_kubestage_prints_is_what_is_shown(
    installed: Installed, tmp_path: pathlib.Path
) -> None:
    """In a folder with nothing in it, with the wheel."""
    path = f"{installed.program.parent}:{os.environ['PATH']}"
    assert _walk(tmp_path, "kubestage", {"PATH": path}) > 8


def test_what_kubectl_prints_is_what_is_shown(tmp_path: pathlib.Path) -> None:
    require_kubectl()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with Served(str(ROOT / "examples" / "01-first-cluster")) as served:
        assert _walk(tmp_path, "kubectl", served.environment) > 4


def test_no_output_is_empty_and_every_one_is_explained() -> None:
    for block in BLOCK.finditer(TEXT):
        if block["kind"] == "console":
            for command, shown in COMMAND.findall(block["text"]):
                assert shown.strip(), command
                assert shown.strip() != "...", command
            after = TEXT[block.end() :].lstrip()
            assert after[:1].isalpha() or after.startswith("`"), block["text"]
        elif block["kind"] == "python":
            assert "print(" in block["text"], block["text"]
