"""What a server records of Scenarios and scheduling: options, environment, and the past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.runs.shared_flags import STRATEGY_VARIABLE
from kubestage.scenario.settings import Detail, Strategy
from kubestage.server.kubestage_api import settings
from kubestage.server.launch import result_settings
from kubestage.server.launch.options import ServeOptions

if TYPE_CHECKING:
    import pytest


def test_an_option_wins_over_what_was_changed_and_that_over_a_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing = result_settings.choose(ServeOptions(), {})
    assert nothing.scenarios.strategy is Strategy.AT_MOVING_NEXT_STEP
    assert (nothing.scenarios.detail, nothing.annotates) == (Detail.DECISIONS, False)
    monkeypatch.setenv(STRATEGY_VARIABLE, "OnDone")
    assert result_settings.choose(ServeOptions(), {}).scenarios.strategy is Strategy.ON_DONE
    text = '{"detail":"full","resultStrategy":"OnPause","resultAnnotations":true}'
    changed = result_settings.choose(ServeOptions(), {settings.REMEMBERED: text})
    assert changed.scenarios.strategy is Strategy.ON_PAUSE
    assert (changed.scenarios.detail, changed.annotates) == (Detail.FULL, True)
    options = ServeOptions(
        detail="summary", result_strategy="AtMovingNextStep", result_annotations=False
    )
    chosen = result_settings.choose(options, {settings.REMEMBERED: text})
    assert chosen.scenarios.strategy is Strategy.AT_MOVING_NEXT_STEP
    assert (chosen.scenarios.detail, chosen.annotates) == (Detail.SUMMARY, False)
