"""One request to the kubestage API, as its handlers see it, and what they return."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from kubestage import lazy
from kubestage.errors import BadRequest, Conflict
from kubestage.objects import timestamps
from kubestage.server import bodies

with lazy.imports():
    from kubestage.server import pacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.server.live import Live
    from kubestage.server.pacing import Pacer
    from kubestage.server.request import Request

Body = TypeVar("Body", bound=msgspec.Struct)


class HandlerResult(msgspec.Struct, frozen=True):
    """What a handler returns when the status is not 200."""

    value: Any
    status: int = 200


class ApiCall:
    """A request whose path parameters, query and body are to be read."""

    def __init__(self, live: Live, request: Request, path_params: Mapping[str, str]) -> None:
        self.live = live
        self.request = request
        self.path_params = path_params

    @property
    def pacer(self) -> Pacer:
        """The clock; refused where there is none."""
        if not isinstance(self.live.pace, pacing.Pacer):
            raise Conflict("time never passes on this server: it has no clock to set")
        return self.live.pace

    @property
    def free_pacer(self) -> Pacer:
        """The clock, to be set; refused while the whole cluster is being changed."""
        self.live.state.check_free()
        return self.pacer

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """A query parameter that is one of a few words; the first, if it is not given."""
        value = self.request.parameter(name) or choices[0]
        if value not in choices:
            raise BadRequest(f'{name}: "{value}" is unknown: use one of {", ".join(choices)}')
        return value

    def time(self, name: str) -> int | None:
        """A query parameter that is a moment, in Unix nanoseconds; None if it is not there."""
        text = self.request.parameter(name)
        if not text:
            return None
        try:
            return timestamps.parse_time(text)
        except ValueError as error:
            raise BadRequest(f"{name}: {error}: write it as 2026-01-01T00:10:00Z") from None

    def body(self, shape: type[Body]) -> Body:
        """The body, which may be missing if all of it may be."""
        value = bodies.yaml_value(self.request.body) if self.request.body else {}
        return read(value, shape)


def read(value: Any, shape: type[Body]) -> Body:
    """A value as a shape of the API; BadRequest names what does not fit, and the nearest key."""
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise BadRequest("the body must be an object, as JSON or YAML")
    known = [field.encode_name for field in msgspec.structs.fields(shape)]
    check_known(value, known, "field")
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        path = place.strip("`").removeprefix("$.")
        raise BadRequest(f"{path}: {problem}" if path else problem) from None


def check_known(found: Iterable[Any], known: Iterable[str], what: str) -> None:
    """Refuse the first key that is not known, and name the nearest one that is."""
    names = list(known)
    for key in found:
        if key in names:
            continue
        near = difflib.get_close_matches(str(key), names, n=1)
        there_are = f"there are {', '.join(names)}" if names else "there are none"
        hint = f"did you mean {near[0]}?" if near else there_are
        raise BadRequest(f'unknown {what} "{key}": {hint}')
