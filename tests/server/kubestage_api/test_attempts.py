"""What is kept of attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.record import Decision
from kubestage.server.kubestage_api import attempts
from kubestage.server.kubestage_api.attempts import RecordedAttempts
from kubestage.server.live import Live
from kubestage.stage import Stage
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pytest


def test_outcomes_are_kept_of_more_attempts_than_explanations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempts, "_EXPLAINED", 5)

    async def story() -> None:
        kept = RecordedAttempts(Live(Stage()))
        for number in range(20):
            decision = Decision(number, 0, "default/p", "profile", "scheduled", "n1", 1, 1, "")
            kept.add(decision, "u-1", {"number": number})
        rows = list(kept.attempts_at("default/p"))
        assert len(rows) == 20
        explained = [row.explanation for row in rows if row.explanation is not None]
        assert explained == [{"number": number} for number in range(15, 20)]

    tell(story())
