"""The state of a clock as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

_JUMP: Final = "jump: from event to event while there is work"


def as_text(state: Json) -> str:
    """The time, how it passes, and what happens next."""
    lines = [
        f"Time:  {state['now']}{_beside(state.get('aheadOfWallSeconds'))}",
        f"Pace:  {_pace(state)}",
        f"State: {_state(state)}",
    ]
    if state.get("message"):
        lines.append(f"Note:  {state['message']}")
    return "".join(f"{line}\n" for line in lines)


def _beside(ahead_s: float | None) -> str:
    """The distance to the wall clock, if the clock follows it."""
    if ahead_s is None:
        return ""
    away = durations.go_string(round(abs(ahead_s)) * SECOND_NS)
    return f" ({away} {'ahead of' if ahead_s > 0 else 'behind'} the wall clock)"


def _pace(state: Json) -> str:
    mode = state["mode"]
    if mode == "paused":
        return "still: only when it is advanced"
    if mode == "speed":
        speed = state["speed"]
        return "realtime: as on the wall" if speed == 1 else f"speed {speed:g}"
    passing = "; it passes now, since a client watches" if state.get("isPassing") else ""
    return f"{_JUMP}{passing}"


def _state(state: Json) -> str:
    scenario, due = state.get("scenario"), state.get("due")
    text = f'Scenario "{scenario}" has the clock' if scenario else ""
    text = text or ("nothing is under way" if state.get("isQuiet") else "work is under way")
    return f"{text}; next event due at {due}" if due else text
