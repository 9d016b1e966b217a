"""What is kept of a test that failed, besides the history of its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.results.run_place import TEST

if TYPE_CHECKING:
    import pathlib


class KeptTest(msgspec.Struct, frozen=True, kw_only=True):
    """Which test it was, and how it failed."""

    test: str
    """The name of the test, as pytest writes it."""
    cluster: str = "cluster"
    """Which of its clusters this is."""
    failure: str = ""
    """What the test printed when it failed."""
    version: str
    """The version of kubestage."""
    seed: int = 0
    plugins: list[str] = []
    """Plugins of the scheduler that the test brought, by name."""


def is_one(place: pathlib.Path) -> bool:
    """Whether the cluster of a test is kept in a directory."""
    return reading.is_file(place / TEST)


def read(place: pathlib.Path) -> KeptTest:
    """What is kept in a directory; InputError if that cannot be read."""
    path = place / TEST
    try:
        return msgspec.json.decode(reading.read(path), type=KeptTest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fix = "run the test again with --kubestage-keep"
        raise InputError(f"is no kept test: {error}", file=str(path), fix=fix) from None
