"""Recorded worlds of cluster-autoscaler 1.36.1.

A compact part of all categories lies beside this file; where the full recording is found next to
the repository, it is used instead.
"""

from __future__ import annotations

import gzip
import pathlib

HERE = pathlib.Path(__file__).parent
COMPACT = HERE / "cluster_autoscaler"
FULL = HERE.parents[2] / "shared" / "autoscalers" / "cluster-autoscaler" / "public"


def paths() -> list[pathlib.Path]:
    """All worlds, by name."""
    return sorted((FULL if FULL.exists() else COMPACT).glob("*.json.gz"))


def data(path: pathlib.Path) -> bytes:
    """A world as JSON."""
    return gzip.decompress(path.read_bytes())
