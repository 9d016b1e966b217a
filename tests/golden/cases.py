"""Recorded cases and placements of kube-scheduler v1.36.4.

As with the vectors, a compact part lies beside this file and the full recording is used where it
is found next to the repository.
"""

from __future__ import annotations

import gzip
import pathlib
from typing import Any

import msgspec

HERE = pathlib.Path(__file__).parent
SHARED = HERE.parents[2] / "shared"
CASES = SHARED / "oracle" / "public" if (SHARED / "oracle").exists() else HERE / "oracle"


def paths() -> list[pathlib.Path]:
    """All cases, by name."""
    return sorted(CASES.glob("*.json.gz"))


def read(path: pathlib.Path) -> Any:
    """The content of a recorded file."""
    return msgspec.json.decode(gzip.decompress(path.read_bytes()))
