"""Field numbers of the API's messages, read from the table at their first use."""

from __future__ import annotations

import functools
import importlib.resources
from typing import NamedTuple


class Field(NamedTuple):
    """One field of a message: its JSON name, its type, and how it appears.

    `flags` holds ``p`` (pointer: zero is a value), ``r`` (repeated), ``m`` (map from strings),
    ``i`` (its fields are the message's own in JSON), ``z`` (written even if zero), ``o`` (left
    out if zero).
    """

    name: str
    type: str
    flags: str


@functools.cache
def _blocks() -> tuple[dict[tuple[str, str], str], dict[str, list[str]]]:
    data = importlib.resources.files("kubestage.server.data").joinpath("protobuf.txt")
    head, *blocks = data.read_text().rstrip("\n").split("\n\n")
    rows = [line.split(" ") for line in head.split("\n")]
    kinds = {(api_version, kind): message for api_version, kind, message in rows}
    messages = {}
    for block in blocks:
        name, *lines = block.split("\n")
        messages[name] = lines
    return kinds, messages


def message_of(api_version: str, kind: str) -> str | None:
    """The message of a kind, or None if it has none."""
    if kind == "DeleteOptions":
        # Every group has the same ones, and clients name the group they speak to.
        api_version = "v1"
    return _blocks()[0].get((api_version, kind))


def fields(message: str) -> dict[int, Field]:
    """The fields of a message by number."""
    found = {}
    for line in _blocks()[1][message]:
        number, name, type_name, *flags = line.removeprefix(" ").split(" ")
        found[int(number)] = Field(name, type_name, "".join(flags))
    return found


def kinds() -> list[tuple[str, str]]:
    """All kinds that can be read, by apiVersion and kind."""
    return list(_blocks()[0])
