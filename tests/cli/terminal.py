"""Runs the command line in this process, errors and exit code included."""

from __future__ import annotations

import dataclasses
import io
import sys
from typing import TYPE_CHECKING

from kubestage.cli import app, failures

if TYPE_CHECKING:
    import pytest


@dataclasses.dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


class Terminal:
    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str, stdin: bytes | None = None) -> Result:
        if stdin is not None:
            self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capsys.readouterr()
        code = failures.guard(app.run, list(arguments))
        out, err = self._capsys.readouterr()
        return Result(code, out, err)
