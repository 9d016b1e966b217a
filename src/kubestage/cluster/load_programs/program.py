"""A program in a container: what it is started with, and the class that models it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from kubestage.cluster.load_programs.client import ProgramClient


class ProgramContainer(msgspec.Struct, frozen=True, kw_only=True):
    """The container that runs a program.

    References to variables, as in ``--node=$(NODE)``, are replaced in `command` and `args`.
    """

    namespace: str
    pod: str
    """The name of its pod."""
    name: str
    image: str
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    spec: dict[str, Any] = {}
    """All that the pod states about the container; must not be changed."""

    @property
    def executable(self) -> str:
        """The name of the file that runs, without its folder; empty for that of the image."""
        return self.command[0].rpartition("/")[2] if self.command else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the program is started with, wherever the pod states it."""
        return (*self.command[1:], *self.args)


class Program(ABC):
    """A program that calls the API.

    `__init__` reads the arguments, and raises `Unmodelled` for those that the model does not know;
    that becomes a warning of the load. `start` makes the first calls, or schedules them, with
    `self.client`. Nothing has to be stopped: the client of a pod that has ended calls nothing.
    """

    def __init__(self, container: ProgramContainer, client: ProgramClient) -> None:
        self.container = container
        self.client = client

    @abstractmethod
    def start(self) -> None:
        """The container runs now."""
