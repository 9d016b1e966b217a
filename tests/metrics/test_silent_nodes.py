"""Who is told which nodes cannot be reached."""

from __future__ import annotations

from kubestage.metrics.silent_nodes import SilentNodes


def test_each_change_is_reported_once() -> None:
    silent, told = SilentNodes(), list[tuple[str, bool]]()
    silent.subscribe(lambda node: told.append((node, node in silent)))
    silent.discard("a")
    silent.add("a")
    silent.add("a")
    silent.add("b")
    silent.discard("a")
    assert told == [("a", True), ("b", True), ("a", False)]
    assert ("a" in silent, "b" in silent) == (False, True)
