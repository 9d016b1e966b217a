"""Taking objects away and seeing them gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.clusterloader.requests import Requests

    Place = tuple[Resource, str, str]

_EVERY_NS: Final = 5_000_000_000
_AT_ONCE: Final = 100


class Deletions:
    """Deletes objects, and polls every five seconds until they are gone or the time is up."""

    def __init__(
        self, requests: Requests, timeout_ns: int, done: Callable[[list[str]], None]
    ) -> None:
        self._requests = requests
        self._timeout_ns = timeout_ns
        self._done = done
        self._errors: list[str] = []
        self._waiting: list[Place] = []
        self._under_way = 0

    def start(self, places: list[Place]) -> None:
        """Begin with these, the first ones first."""
        self._waiting = list(reversed(places))
        for _ in range(min(_AT_ONCE, len(places))):
            self._begin_next()
        if not places:
            self._done([])

    def _begin_next(self) -> None:
        if self._waiting:
            self._under_way += 1
            end_ns = self._requests.cluster.moments.now_ns + self._timeout_ns
            _Deletion(self._requests, self._waiting.pop(), end_ns, self._gone).delete()

    def _gone(self, error: str) -> None:
        self._under_way -= 1
        if error:
            self._errors.append(error)
        self._begin_next()
        if not self._under_way:
            self._done(self._errors)


class _Deletion:
    """One object that is being deleted."""

    def __init__(
        self, requests: Requests, place: Place, end_ns: int, done: Callable[[str], None]
    ) -> None:
        self._requests = requests
        self._place = place
        self._end_ns = end_ns
        self._done = done

    def delete(self) -> None:
        call = self._call("delete", "Background")
        self._requests.make(call, self._deleted, allowed=(NotFound,))

    def _call(self, verb: str, propagation: str = "") -> Call:
        resource, namespace, name = self._place
        return Call(
            verb=verb, resource=resource, namespace=namespace, name=name, propagation=propagation
        )

    def _deleted(self, answer: Answer) -> None:
        if answer.error is not None:
            self._done(self._problem(answer.error.message))
        else:
            self._poll()

    def _poll(self) -> None:
        self._requests.cluster.call(self._call("get"), self._seen)

    def _seen(self, answer: Answer) -> None:
        moments = self._requests.cluster.moments
        if isinstance(answer.error, NotFound):
            self._done("")
        elif moments.now_ns >= self._end_ns:
            problem = "it is still there" if answer.error is None else answer.error.message
            self._done(self._problem(problem))
        else:
            moments.at(min(moments.now_ns + _EVERY_NS, self._end_ns), self._poll)

    def _problem(self, problem: str) -> str:
        resource, namespace, name = self._place
        where = f"{namespace}/{name}" if namespace else name
        return f"{resource.kind} {where} cannot be deleted: {problem}"
