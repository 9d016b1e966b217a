"""What a server tells of Scenarios and scheduling: options, environment, and before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.runs.shared_flags import STRATEGY_VARIABLE
from tests.cli import servers

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

SETTINGS = "/kubestage/v1/settings"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--detail", "ful"), 'unknown detail "ful"'),
        (("--result-strategy", "OnDoen"), 'unknown result strategy "OnDoen"'),
    ],
)
def test_a_word_that_means_nothing_is_refused(
    terminal: Terminal, arguments: tuple[str, ...], said: str
) -> None:
    result = terminal.run("serve", "--in-memory", *arguments)
    assert result.code == 2
    assert said in result.err
    assert "did you mean" in result.err


def test_a_variable_that_means_nothing_is_refused_by_name(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STRATEGY_VARIABLE, "OnPaus")
    result = terminal.run("serve", "--in-memory")
    assert result.code == 2
    assert f'unknown {STRATEGY_VARIABLE} "OnPaus"' in result.err
    assert "did you mean OnPause? use one of AtMovingNextStep, OnPause, OnDone" in result.err


def test_a_server_goes_by_its_options_the_environment_and_what_was_changed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STRATEGY_VARIABLE, "OnDone")
    with servers.serving(tmp_path, "--detail", "full", "--result-annotations") as server:
        _, found = server.call(SETTINGS)
        assert found == {
            "detail": "full", "resultStrategy": "OnDone", "resultAnnotations": True,
        }  # fmt: skip
        server.call(SETTINGS, {"detail": "summary"}, method="PATCH")
        server.stop()
    with servers.serving(tmp_path) as server:
        _, found = server.call(SETTINGS)
        assert found == {
            "detail": "summary", "resultStrategy": "OnDone", "resultAnnotations": False,
        }  # fmt: skip
