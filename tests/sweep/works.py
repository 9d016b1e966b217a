"""Work that workers of the tests do: none of it is a run."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from kubestage.sweep.rows import MeasureInfo, Row, Task

if TYPE_CHECKING:
    import pathlib


class Doubling:
    """Computes twice the parameter, and prints what nobody is to see."""

    def __call__(self, task: Task) -> Row:
        print("noise")
        value = task.parameters["x"]
        assert isinstance(value, int)
        infos = (MeasureInfo("twice", "more"),)
        return Row(task.index, f"k{task.index}", task.parameters, task.seed, {"twice": 2 * value},
                   None, infos)  # fmt: skip


class Dying:
    """Kills its process at some tasks, as often as it is to; a file counts."""

    def __init__(self, folder: pathlib.Path, times: dict[int, int]) -> None:
        self.folder, self.times = folder, times

    def __call__(self, task: Task) -> Row:
        note = self.folder / str(task.index)
        died = len(note.read_bytes()) if note.exists() else 0
        with note.open("ab") as file:
            file.write(b"x")
        if died < self.times.get(task.index, 0):
            os.kill(os.getpid(), signal.SIGKILL)
        return Row(task.index, f"k{task.index}", task.parameters, task.seed, {"n": task.index})


class Waiting:
    """Takes some time over each task."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self, task: Task) -> Row:
        time.sleep(self.seconds)
        return Row(task.index, f"k{task.index}", task.parameters, task.seed, {"n": task.index})


class Unloadable:
    """Cannot be unpickled."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _refuse, ()

    def __call__(self, task: Task) -> Row:
        raise AssertionError


def _refuse() -> None:
    raise ValueError("broken inputs")


def tasks(number: int) -> list[Task]:
    return [Task(at, {"x": at}, 1) for at in range(number)]
