"""Input/output pairs recorded from Kubernetes v1.36.4.

A compact part of each topic lies beside this file, so that the tests stand alone; where the
full recording is found next to the repository, it is used instead.
"""

from __future__ import annotations

import functools
import gzip
import pathlib
from typing import Any

import msgspec

HERE = pathlib.Path(__file__).parent
FULL = HERE.parents[2] / "shared" / "vectors"


@functools.cache
def _read(topic: str) -> list[dict[str, Any]]:
    full = FULL / topic / "public.json.gz"
    path = full if full.exists() else HERE / f"{topic}.json.gz"
    entries: list[dict[str, Any]] = msgspec.json.decode(gzip.decompress(path.read_bytes()))
    return entries


def load(topic: str, *ops: str) -> list[dict[str, Any]]:
    """Entries of a topic, all or those of the named operations."""
    return [entry for entry in _read(topic) if not ops or entry["op"] in ops]
