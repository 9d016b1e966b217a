"""What a person types into kubectl in an example gets the answer that it promises."""

from __future__ import annotations

import pathlib
import shlex
import subprocess

import pytest

from tests.server.served import Served, require_kubectl

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
SESSIONS = sorted(EXAMPLES.glob("*/session.txt"))


def test_there_is_a_session() -> None:
    assert SESSIONS


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.parent.name)
def test_a_session_goes_as_it_is_written(session: pathlib.Path) -> None:
    require_kubectl()
    text = session.read_text()
    commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    printed = []
    # As the README has it: what is printed is to be the same every time.
    with Served("--start", "2026-01-01T00:00:00Z") as served:
        for command in commands:
            done = subprocess.run(
                shlex.split(command),
                env=served.environment,
                cwd=session.parent,
                capture_output=True,
                text=True,
                check=False,
            )
            printed.append(f"$ {command}\n{done.stdout}{done.stderr}")
    assert "\n".join(printed) == text
