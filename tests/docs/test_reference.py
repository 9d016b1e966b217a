"""Pages that are written from tables say what the tables say."""

from __future__ import annotations

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def test_the_page_of_kinds_is_that_of_the_table() -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "tools" / "kinds_page.py"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert (ROOT / "docs" / "kinds.md").read_text() == written


def test_the_page_of_settings_is_that_of_the_structs() -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "tools" / "settings_page.py"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert (ROOT / "docs" / "settings.md").read_text() == written
