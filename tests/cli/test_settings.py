"""``kubestage settings``: what ``--setting`` can set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.controllers.settings import Settings
from kubestage.runs.inputs import setting_option
from kubestage.runs.setting_list import settings

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def test_settings_are_listed_with_defaults_and_meanings(terminal: Terminal) -> None:
    done = terminal.run("settings")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["SETTING", "DEFAULT", "MEANING"]
    [row] = [line for line in lines if line.startswith("hpa.sync-period ")]
    assert row.split(maxsplit=2)[1:] == ["15s", "How often each autoscaler is synced."]


def test_a_word_selects(terminal: Terminal) -> None:
    found = json.loads(terminal.run("settings", "Tolerance", "-o", "json").out)["settings"]
    names = [each["name"] for each in found]
    assert "hpa.tolerance" in names
    assert "hpa.sync-period" not in names
    assert terminal.run("settings", "no such thing").code == 1


def test_every_listed_setting_can_be_set() -> None:
    known = list(setting_option.names(Settings()))
    assert sorted(each.name for each in settings().settings) == sorted(known)
