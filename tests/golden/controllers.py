"""Recorded scenarios of kube-controller-manager v1.36.4.

A compact part of all topics lies beside this file; where the full recording is found next to the
repository, it is used instead.
"""

from __future__ import annotations

import functools
import pathlib

from kubestage import replay

HERE = pathlib.Path(__file__).parent
COMPACT = HERE / "controllers.json.gz"
FULL = HERE.parents[2] / "shared" / "controllers" / "public.json.gz"


@functools.cache
def scenarios() -> dict[str, replay.RecordedScenario]:
    """All scenarios, by name."""
    path = FULL if FULL.exists() else COMPACT
    return {each.name: each for each in replay.load(path)}
