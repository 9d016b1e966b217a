"""Who writes: what dynamic admission knows of a request besides its object.

Components of the simulated cluster write as themselves. A server sets the client of each request
for as long as the store works on it.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
from typing import TYPE_CHECKING, Any, Final, Protocol

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.store.authorization.authorizer import Authorizer
    from kubestage.store.core import Core

COMPONENT: Final = {
    "username": "system:kube-controller-manager",
    "groups": ["system:authenticated"],
}
"""The user that components of the cluster write as."""


class WebhookCalls(Protocol):
    """Answers of webhooks; one that has none yet raises `OutsideCall`."""

    def answer(self, configuration: str, hook: Json, review: Json) -> Json:
        """The AdmissionReview that a webhook answers with; `CallFailed` if there is none."""
        ...


def _everything(_: Json) -> tuple[bool, str]:
    return True, ""


@dataclasses.dataclass(slots=True)
class Caller:
    """The client behind a write.

    `authorize` says whether a user may do something, and why; `authorizer`, if there is one,
    decides what roles the client may make. `calls` answers for webhooks; without
    it none is called. `drawn` keeps what chance decided, for a write that is tried again.
    """

    user: Json
    options: Json = dataclasses.field(default_factory=dict)
    authorize: Callable[[Json], tuple[bool, str]] = _everything
    authorizer: Authorizer | None = None
    calls: WebhookCalls | None = None
    audit: dict[str, str] = dataclasses.field(default_factory=dict)
    drawn: dict[str, Any] = dataclasses.field(default_factory=dict)

    def once(self, what: str, draw: Callable[[], str]) -> str:
        """What was drawn for this write; drawn now if it is the first time."""
        if what not in self.drawn:
            self.drawn[what] = draw()
        found: str = self.drawn[what]
        return found


_current: contextvars.ContextVar[Caller | None] = contextvars.ContextVar("caller", default=None)


def current() -> Caller | None:
    """The client that writes now; None if it is a component of the cluster."""
    return _current.get()


@contextlib.contextmanager
def writing(caller: Caller) -> Iterator[None]:
    """Have all that is written meanwhile be this client's."""
    token = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(token)


def drawn(what: str, draw: Callable[[], str]) -> str:
    """What chance decides: the same for a client's write when that is tried again."""
    caller = current()
    return draw() if caller is None else caller.once(what, draw)


def time_of_write(core: Core) -> str:
    """When a write happens: for a client's, when it was first tried."""
    return drawn("time", lambda: timestamps.format_time(core.clock.unix_ns))
