"""A process may be killed at any moment: what it has acknowledged is there, as it was."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from tests.server.journal import processes, writer
from tests.server.journal.model import Model

if TYPE_CHECKING:
    import pathlib

# More of them: KUBESTAGE_KILLS=500 pytest tests/server/journal/test_kill.py
KILLS = int(os.environ.get("KUBESTAGE_KILLS", "50"))


def _run(directory: pathlib.Path, boot: int, model: Model, *, is_relaxed: bool) -> None:
    """Have a process work, hear what it tells, and kill it at some moment."""
    stream = random.Random(boot)
    child, ours = processes.begin(writer.main, directory, boot, is_relaxed)
    if stream.random() < 0.1:
        # While it is about to begin.
        child.join(stream.random() * 0.05)
        child.kill()
    left = stream.choice((0, 1, 10, 100, 400)) + stream.randrange(20)
    try:
        model.check(ours.recv(), is_relaxed=is_relaxed)
        while True:
            model.hear(ours.recv())
            left -= 1
            if left < 0:
                child.kill()
    except (EOFError, OSError):
        # It was killed between two messages, or in the midst of one.
        pass
    child.join()
    ours.close()
    assert child.exitcode == -9


@pytest.mark.parametrize("is_relaxed", [False, True])
def test_nothing_that_was_acknowledged_is_lost_and_no_version_comes_twice(
    tmp_path: pathlib.Path, is_relaxed: bool
) -> None:
    model = Model()
    for boot in range(KILLS // 5 if is_relaxed else KILLS):
        _run(tmp_path / "data", boot, model, is_relaxed=is_relaxed)
    assert model.acknowledged > KILLS
