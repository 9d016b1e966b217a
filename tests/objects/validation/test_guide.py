"""The guide page shows what really happens."""

from __future__ import annotations

import doctest
import pathlib

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "validation.md"


def test_every_snippet_of_the_guide_runs_as_printed() -> None:
    outcome = doctest.testfile(str(GUIDE), module_relative=False)
    assert outcome.attempted > 10
    assert outcome.failed == 0
