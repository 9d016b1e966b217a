"""Shells complete commands, kinds and option values, through the protocol that they speak."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import completion
from kubestage.controllers.settings import Settings
from kubestage.runs.inputs import setting_option

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

PROGRAM = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


def _bash(line: str) -> list[str]:
    """What a bash would offer at the end of a line."""
    words = line.split(" ")
    variables = {
        "_KUBESTAGE_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        PROGRAM, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kubestage val", ["validate"]),
        ("kubestage get dep", ["deployments", "deploy"]),
        ("kubestage get all", ["all"]),
        (
            "kubestage get pods,no",
            [
                "pods,nodes",
                "pods,no",
                "pods,nodegroups",
                "pods,nodeclaims",
                "pods,nodeoverlays",
                "pods,nodepools",
            ],
        ),
        ("kubestage get pods -o y", ["yaml"]),
        ("kubestage validate -o ", ["text", "json"]),
        ("kubestage get pods --all", ["--all-namespaces"]),
        ("kubestage completion p", ["powershell"]),
        ("kubestage run x --setting hpa.s", ["hpa.sync-period=", "hpa.scale-to-zero="]),
        ("kubestage backtest x --setting vpa.min", ["vpa.min-replicas="]),
        ("kubestage run x --setting event", ["event-ttl="]),
        ("kubestage analyze runs/1 p", ["percentiles", "pods", "pending", "preemptions"]),
        ("kubestage load ", []),
        ("kubestage load fi", ["find-limit"]),
        ("kubestage load --profile gce-1", ["gce-100"]),
    ],
)
def test_bash_is_offered_what_fits(line: str, offered: list[str]) -> None:
    assert _bash(line) == offered


def test_files_are_left_to_the_shell() -> None:
    assert _bash("kubestage get pods -f exa") == []


def test_zsh_and_fish_see_what_a_short_name_means() -> None:
    variables = {"_KUBESTAGE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "kubestage get st"}
    done = subprocess.run(
        PROGRAM, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    assert '"sts":"StatefulSet"' in done.stdout


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_a_script_is_printed_for_each_shell(shell: str, terminal: Terminal) -> None:
    result = terminal.run("completion", shell)
    assert result.code == 0
    assert "_KUBESTAGE_COMPLETE" in result.out
    assert "_KUBESTAGE_COMPLETE" not in os.environ


def test_every_setting_is_offered_with_its_default_and_values_behind_the_equals_sign() -> None:
    offered = dict(completion.setting_words(""))
    assert {name.rstrip("=") for name in offered} == set(setting_option.names(Settings()))
    assert offered["hpa.sync-period="] == "default: 15s"
    assert completion.setting_words("hpa.scale-to-zero=") == [
        ("hpa.scale-to-zero=true", "default: false"),
        ("hpa.scale-to-zero=false", "default: false"),
    ]
    assert completion.setting_words("hpa.tolerance=") == [("hpa.tolerance=0.1", "default: 0.1")]
