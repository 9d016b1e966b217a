from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.terminal import Terminal

if TYPE_CHECKING:
    import pathlib


@pytest.fixture
def terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> Terminal:
    """A terminal in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return Terminal(capsys, monkeypatch)
