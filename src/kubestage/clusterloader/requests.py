"""Calls that are repeated while their failure may be temporary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cluster.access import Answer
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Call, Cluster
    from kubestage.clusterloader.call_log import CallLog
    from kubestage.errors import ApiError

_FIRST_WAIT_NS: Final = 100_000_000
_FACTOR: Final = 3
_ATTEMPTS: Final = 6
_TEMPORARY_CODES: Final = frozenset({401, 429, 500, 502, 503, 504})


class Requests:
    """Makes calls for a load: logs them, and repeats those whose failure may be temporary."""

    def __init__(self, cluster: Cluster, log: CallLog) -> None:
        self.cluster = cluster
        self.log = log
        self.is_stopped = False

    def make(
        self,
        call: Call,
        done: Callable[[Answer], None],
        *,
        allowed: tuple[type[ApiError], ...] = (),
    ) -> None:
        """Make a call; an error of an `allowed` kind counts as a success, without an object."""
        _Request(self, call, done, allowed).attempt()

    def stop(self) -> None:
        """Repeat nothing from now on."""
        self.is_stopped = True


class _Request:
    """One call with its attempts: six of them, the pauses between growing threefold."""

    def __init__(
        self,
        requests: Requests,
        call: Call,
        done: Callable[[Answer], None],
        allowed: tuple[type[ApiError], ...],
    ) -> None:
        self._requests = requests
        self._call = call
        self._done = done
        self._allowed = allowed
        self._attempts = 0
        self._requested_ns = 0

    def attempt(self) -> None:
        self._attempts += 1
        cluster = self._requests.cluster
        self._requested_ns = cluster.moments.now_ns
        cluster.call(self._call, self._answered)

    def _answered(self, answer: Answer) -> None:
        requests = self._requests
        requests.log.add(self._requested_ns, self._call, answer)
        error = answer.error
        if error is None:
            self._done(answer)
        elif isinstance(error, self._allowed):
            # If it was tried before, an attempt whose answer was lost may have done it.
            found: dict[str, Any] | None = None if self._attempts == 1 else {}
            self._done(Answer(found, None, answer.sent_ns, answer.ended_ns))
        elif is_temporary(error) and self._attempts < _ATTEMPTS and not requests.is_stopped:
            wait_ns = max(_FIRST_WAIT_NS * _FACTOR ** (self._attempts - 1), _retry_after_ns(error))
            moments = requests.cluster.moments
            moments.at(moments.now_ns + wait_ns, self.attempt)
        else:
            self._done(answer)


def _retry_after_ns(error: ApiError) -> int:
    """How long the server asks clients to wait."""
    seconds = error.details.get("retryAfterSeconds")
    return int(seconds * SECOND_NS) if isinstance(seconds, int | float) else 0


def is_temporary(error: ApiError) -> bool:
    """Whether the same call may succeed later: the server is busy, slow, or lost for a moment."""
    if error.code in _TEMPORARY_CODES or "retryAfterSeconds" in error.details:
        return True
    return error.reason == "Conflict" and error.details.get("kind") == "resourcequotas"
