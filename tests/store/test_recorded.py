"""Requests to a real kube-apiserver v1.36.4, replayed on a store: the answers must be the same.

`recorded.json.gz` holds the part of the recordings that lies wholly in this room.
"""

from __future__ import annotations

import functools
import gzip
import pathlib
from typing import Any

import msgspec
import pytest

from tests.store.replay import Replay

FILE = pathlib.Path(__file__).with_name("recorded.json.gz")


@functools.cache
def recorded() -> dict[str, dict[str, Any]]:
    sequences = msgspec.json.decode(gzip.decompress(FILE.read_bytes()))
    return {sequence["name"]: sequence for sequence in sequences}


@pytest.mark.parametrize("name", recorded())
def test_the_store_answers_as_the_api_server_did(name: str) -> None:
    compared, _ = Replay().run(recorded()[name])
    assert compared > 0


def test_most_of_the_recording_is_compared() -> None:
    results = [Replay().run(sequence) for sequence in recorded().values()]
    compared = sum(each for each, _ in results)
    skipped = sum(each for _, each in results)
    assert compared > 1_500
    assert skipped < compared / 4
