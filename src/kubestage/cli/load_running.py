"""Runs tests one after the other on their cluster, for the command and for other programs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec
import typer

from kubestage.cli import load_compose, load_interrupts, load_measurements, load_tests
from kubestage.load.loading import Loaded  # noqa: TC001 - read by msgspec
from kubestage.load.result import LoadResult  # noqa: TC001 - read by msgspec
from kubestage.runs.inputs import python_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_grounds import Ground
    from kubestage.cli.load_tests import Test
    from kubestage.cli.load_view import View
    from kubestage.load.run import LoadRun

_BROKEN: Final = "Something failed: cleaning up. Press Ctrl-C to leave at once."
_ATTEMPTS: Final = 1000


class Ran(msgspec.Struct, frozen=True):
    """A test that was run."""

    test: load_tests.Test
    loaded: Loaded
    result: LoadResult


def loaded_for(tests: Sequence[Test], choices: Choices, ground: Ground) -> list[Loaded]:
    """All tests, read and checked before the first one begins."""
    around = ground.around
    chance = around.streams.stream("load/templates")
    return [load_tests.load(test, choices, around.nodes, around.registry, chance) for test in tests]


def run(
    tests: Sequence[Test],
    loaded: Sequence[Loaded],
    choices: Choices,
    ground: Ground,
    view: View,
) -> list[Ran]:
    """Run tests that were loaded; after an interrupt no more are begun."""
    interrupts = load_interrupts.Interrupts()
    ran: list[Ran] = []
    with interrupts.heard(), python_file.blaming(*load_measurements.files(choices.measurements)):
        for number, (test, each) in enumerate(zip(tests, loaded, strict=True), 1):
            run = load_compose.compose(test, each, ground.around)
            view.begin(run, each, f"{number} of {len(tests)}" if len(tests) > 1 else "")
            with interrupts.telling(_Telling(ground, run)):
                _finish(ground, run, view.told)
            view.end()
            ran.append(Ran(test, each, run.result))
            if interrupts.is_pressed:
                # Also if this one was over but for its clean-up: others have not begun.
                run.result.is_interrupted |= number < len(tests)
                break
    return ran


class _Telling:
    def __init__(self, ground: Ground, run: LoadRun) -> None:
        self._ground = ground
        self._run = run

    def __call__(self) -> None:
        self._ground.interrupt(self._run)


def _finish(ground: Ground, run: LoadRun, told: Callable[[], None]) -> None:
    try:
        run.start()
        ground.finish(run, told)
    except Exception:
        if ground.is_real:
            _clean_up(ground, run, told)
        raise
    finally:
        if ground.is_real and not run.is_over:
            load_interrupts.tell_left(run.result.calls)


def _clean_up(ground: Ground, run: LoadRun, told: Callable[[], None]) -> None:
    """End a run in whose midst a measurement failed: a real cluster is not left as it is.

    What failed may fail again until it is told to stop.
    """
    with contextlib.suppress(OSError):
        typer.echo(_BROKEN, err=True)
    run.interrupt()
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(Exception):
            ground.finish(run, told)
        if run.is_over:
            break
