from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.kwok import stage_check, stage_types
from tests.controllers.kwok import samples

if TYPE_CHECKING:
    import pathlib

INPUTS = sorted(samples.SHARED.glob("*/*/testdata/*.input.yaml"))
STAGES = [
    (path, value)
    for path in sorted(samples.SHARED.glob("*/*/*.yaml"))
    for value in samples.read_all(path)
    if stage_types.is_stage(value)
]


@pytest.mark.skipif(not INPUTS, reason="KWOK's samples do not lie beside the repository")
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_a_sample_object_goes_where_kwok_sends_it(path: pathlib.Path) -> None:
    stages = [stage_types.read(value) for file, value in STAGES if file.parent == path.parents[1]]
    (obj,) = samples.read_all(path)
    (expected,) = samples.read_all(path.with_name(path.name.replace(".input.", ".output.")))
    assert samples.report(stages, obj) == expected


@pytest.mark.skipif(not STAGES, reason="KWOK's samples do not lie beside the repository")
def test_every_sample_stage_passes_the_check() -> None:
    for path, value in STAGES:
        stage_check.load(value, str(path))
