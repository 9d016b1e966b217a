"""How far Scenarios are, on stderr, if a person watches and it takes a while."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.scenario.controller import ScenarioController


_SOON_SECONDS: Final = 0.3
_REFRESHES: Final = 10
_BAR: Final = 16
_NUMBERS: Final = 4


@contextlib.contextmanager
def shown(scenarios: Sequence[Json]) -> Iterator[Callable[[ScenarioController], None]]:
    """A function to call now and then, which shows how far a Scenario is."""
    view = _View({each["metadata"]["name"]: _steps(each) for each in scenarios})
    try:
        yield view
    finally:
        view.close()


def _steps(scenario: Json) -> list[int]:
    # An event that fails the run may lack its step.
    return sorted({event.get("step") or 0 for event in scenario["spec"]["events"]})


class _View:
    """A line that is drawn once a run takes longer than a moment."""

    def __init__(self, steps: dict[str, list[int]]) -> None:
        self._steps = steps
        self._began = self._shown_at = self._since = time.monotonic()
        self._live: Any = None
        self._controller: ScenarioController | None = None

    def __call__(self, controller: ScenarioController) -> None:
        now = time.monotonic()
        if controller is not self._controller:
            # The next Scenario: its attempts are counted from the first.
            self._controller, self._since = controller, now
        if now - self._began < _SOON_SECONDS or now - self._shown_at < 1 / _REFRESHES:
            return
        self._shown_at = now
        if self._live is None:
            from rich import live

            drawing = screen.console()
            self._live = live.Live(
                console=drawing,
                transient=True,
                auto_refresh=False,
                # Output printed meanwhile goes to its reader, not to the screen.
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(self._line(controller, now - self._since), refresh=True)

    def close(self) -> None:
        """Take the line away."""
        if self._live is not None:
            self._live.stop()

    def _line(self, controller: ScenarioController, seconds: float) -> Any:
        from rich import progress_bar, table, text

        name = controller.current or ""
        steps, step = self._steps.get(name, []), controller.watch.step
        done = sum(1 for each in steps if each < step)
        attempts = controller.attempts
        grid = table.Table.grid(padding=(0, 2))
        # Where all does not fit, it is the name that is cut short.
        grid.add_column()
        for _ in range(_NUMBERS):
            grid.add_column(no_wrap=True)
        grid.add_row(
            text.Text(name, "bold", no_wrap=True, overflow="ellipsis"),
            progress_bar.ProgressBar(max(len(steps), 1), done, width=_BAR),
            f"step {step} ({done + 1} of {len(steps)})",
            f"{attempts.scheduled:,} scheduled",
            f"{attempts.scheduled / max(seconds, _SOON_SECONDS):,.0f} pods/s",
        )
        return grid
