"""The contract of a dependency."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.clusterloader.requests import Requests

    Done = Callable[[str], None]


class Dependency(abc.ABC):
    """Something that a load needs in its cluster.

    `params` are as the configuration writes them. Nothing waits here: `done` is called when it
    is done, with the problem or an empty text. `warnings` is what people should know.
    """

    def __init__(self, params: dict[str, Any], requests: Requests) -> None:
        self.params = params
        self.requests = requests
        self.warnings: list[str] = []

    @abc.abstractmethod
    def set_up(self, done: Done) -> None:
        """Make what the load needs, and see that it is ready."""

    @abc.abstractmethod
    def abandon(self) -> None:
        """Stop setting up, and call nothing any more."""

    @abc.abstractmethod
    def take_down(self, requests: Requests, done: Done) -> None:
        """Take away what was made, as far as that went; with requests that may be repeated."""
