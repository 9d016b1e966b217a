"""The clock of a stage that `kubestage serve` serves, read and set over HTTP.

clock = StageClock(kubeconfig.load(".kubestage/kubeconfig"))
clock.advance("10m")
clock.set_pace("speed", 60)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.remote.kubestage_server import KubestageServer

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.access import Access


PACES: Final = ("jump", "still", "realtime", "speed")
"""How time may pass; ``speed`` has a number, how many times as fast as on the wall."""

_PATH: Final = "/kubestage/v1/clock"
_WAIT: Final = "?timeout=45s"
_ACCEPTED: Final = 202


class StageClock:
    """The virtual time of one server.

    Every call answers with the state of the clock afterwards: its `now`, `mode`, and what else
    docs/kubestage-api.md names. InputError says why that is not possible.
    """

    def __init__(self, access: Access) -> None:
        self._server = KubestageServer(access, "virtual clock")

    def show(self) -> Json:
        """What time it is, and how it passes."""
        return self._call("GET")[1]

    def set_pace(self, pace: str, speed: float | None = None) -> Json:
        """Let time pass in another way: one of `PACES`, with a `speed` if that is the pace."""
        if (pace == "speed") != (speed is not None):
            problem = "needs a number" if speed is None else f"has no number: {speed:g}"
            raise InputError(f'the pace "{pace}" {problem}', fix="write it as in: pace speed 60")
        body: Json = {"mode": pace}
        if pace == "realtime" or speed is not None:
            body = {"speed": 1.0 if speed is None else speed}
        return self._call("PUT", body=body)[1]

    def advance(
        self, duration: str | None = None, until: str | None = None, to: str | None = None
    ) -> Json:
        """Let so much time pass, time up to a moment, or up to the next ``event`` or ``decision``
        of the scheduler; answers when that time has come.
        """
        body = {"duration": duration, "until": until, "to": to}
        body = {name: value for name, value in body.items() if value is not None}
        status, state = self._call("POST", f"/advance{_WAIT}", body)
        while status == _ACCEPTED:
            # Time that was requested before passes first, so that nothing more is a way to wait.
            status, state = self._call("POST", f"/advance{_WAIT}", {"duration": "0s"})
        return state

    def _call(self, method: str, path: str = "", body: Json | None = None) -> tuple[int, Json]:
        status, state = self._server.call(method, f"{_PATH}{path}", body)
        if not isinstance(state, dict) or not {"now", "mode"} <= set(state):
            raise self._server.other()
        return status, state
