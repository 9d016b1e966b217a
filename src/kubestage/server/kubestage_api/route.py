"""One route of the kubestage API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.server.kubestage_api.call import ApiCall

Handler = Callable[[ApiCall], Awaitable[Any]]

ROOT: Final = "/kubestage/v1"
_TEXT: Final = {"type": "string"}


class Parameter(NamedTuple):
    """A query parameter."""

    name: str
    description: str
    schema: Json = _TEXT


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One method at one path."""

    method: str
    path: str
    """The path, with the names of its parameters in braces."""

    handler: Callable[[], Handler]
    """Returns the function that serves the route, which loads its module."""

    summary: str
    parameters: tuple[Parameter, ...] = ()
    body: type[msgspec.Struct] | None = None
    """The shape of the request's body, if it is one of ours."""

    body_description: str = ""
    """What a body of another shape holds; such a body is required."""

    response: type[msgspec.Struct] | None = None
    """The shape of the response; without one, it is any object."""

    accepted: str = ""
    """What a response with status 202 means, if there is one."""

    created: bool = False
    """Whether a response has status 201, not 200."""

    is_of_past: bool = False
    """Whether it is served of past moments, too."""

    @property
    def handler_name(self) -> str:
        """The module and function of the handler, as in ``clock_get``."""
        handler: Any = self.handler()
        return f"{handler.__module__.rpartition('.')[2]}_{handler.__name__}"


def choice(name: str, description: str, *values: str) -> Parameter:
    """A query parameter that is one of a few words; the first is the default."""
    return Parameter(name, description, {**_TEXT, "enum": list(values), "default": values[0]})
