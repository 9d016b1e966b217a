from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.kwok import stage_check, stage_types
from tests.controllers.kwok import samples

if TYPE_CHECKING:
    import pathlib

INPUTS = samples.files("*/*/testdata/*.input.yaml")
STAGES = [
    (path, value)
    for path in samples.files("*/*/*.yaml")
    for value in samples.read_all(path)
    if stage_types.is_stage(value)
]


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_a_sample_object_goes_where_kwok_sends_it(path: pathlib.Path) -> None:
    stages = [stage_types.read(value) for file, value in STAGES if file.parent == path.parents[1]]
    (obj,) = samples.read_all(path)
    (expected,) = samples.read_all(path.with_name(path.name.replace(".input.", ".output.")))
    assert samples.report(stages, obj) == expected


@pytest.mark.parametrize(("path", "value"), STAGES, ids=lambda part: getattr(part, "name", ""))
def test_a_sample_stage_passes_the_check(path: pathlib.Path, value: dict[str, object]) -> None:
    stage_check.load(value, str(path))
