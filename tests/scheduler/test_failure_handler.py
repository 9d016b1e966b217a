from __future__ import annotations

from kubestage.scheduler import failure_handler


def test_a_long_note_is_cut_by_bytes() -> None:
    assert failure_handler.shortened("x" * 1024) == "x" * 1024
    assert failure_handler.shortened("x" * 1025) == "x" * 1020 + " ..."
    assert failure_handler.shortened("é" * 600) == "é" * 510 + " ..."
