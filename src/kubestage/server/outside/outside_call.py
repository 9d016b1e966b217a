"""A request that cannot go on before a program outside has answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import KubestageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class OutsideCall(KubestageError):
    """A request needs an answer from outside; `fetch` gets and keeps it, for the next attempt.

    `about` names the webhook and the object; one that changes in between needs another answer.
    """

    def __init__(self, about: str, fetch: Callable[[], Awaitable[None]]) -> None:
        super().__init__("a webhook has to be called")
        self.about = about
        self.fetch = fetch
