from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.replay import cluster_autoscaler
from tests.golden import autoscaler_worlds

if TYPE_CHECKING:
    import pathlib

PATHS = autoscaler_worlds.paths()


def test_there_are_worlds_of_all_categories() -> None:
    assert len({path.name.rpartition("-")[0] for path in PATHS}) == 32


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.removesuffix(".json.gz"))
def test_every_field_is_that_of_the_real_autoscaler(path: pathlib.Path) -> None:
    world = cluster_autoscaler.read(autoscaler_worlds.data(path), path.name)
    report = cluster_autoscaler.compare(world)
    # Those that depend on a random order are recorded, and replayed, in one order.
    assert not report.differences, "\n".join(map(str, report.differences))
    assert (report.steps, report.identical) == (len(world.steps), report.decisions)
