"""What a run cannot see is skipped whatever is asked of it, and says what it would need."""

from __future__ import annotations

import pytest

from kubestage.measure import registry
from tests.measure.components.measured import Measured

SKIPPED = sorted(
    method
    for method, find in registry.METHODS.items()
    if find().__module__ == "kubestage.measure.skipped"
)


@pytest.mark.parametrize("method", SKIPPED)
@pytest.mark.parametrize("action", ["start", "gather", "run", None])
def test_it_takes_any_parameters_and_says_what_it_needs(method: str, action: str | None) -> None:
    outcome = Measured(method).perform(action, seconds=0, whatever={"a": [1]}, threshold="5s")
    assert outcome.skipped.startswith("needs ")
    assert outcome.skipped != "needs "
    assert not outcome.warnings
    assert not outcome.errors


def test_there_are_eleven() -> None:
    assert len(SKIPPED) == 11
