"""ARCHITECTURE.md draws what is built."""

from __future__ import annotations

import re

from tools import room_graph

TREE = re.compile(r"^  (\w+)(?:/|\.py) ", re.MULTILINE)


def test_the_drawing_is_what_the_imports_say() -> None:
    assert room_graph.drawing() in room_graph.PAGE.read_text(), "run: python tools/room_graph.py"


def test_every_room_is_in_the_tree() -> None:
    tree = room_graph.PAGE.read_text().partition("```\nsrc/kubestage/\n")[2].partition("```")[0]
    assert sorted(TREE.findall(tree)) == sorted(room_graph.rooms())


def test_every_import_is_reachable_in_the_drawing() -> None:
    drawn = set(re.findall(r"^  (\w+) --> (\w+)$", room_graph.drawing(), re.MULTILINE))
    assert drawn <= room_graph.edges()
    for start, end in room_graph.edges():
        assert end in _below(start, drawn), f"{start} imports {end}"


def _below(start: str, arrows: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        room = todo.pop()
        reached = {end for first, end in arrows if first == room} - found
        found |= reached
        todo += reached
    return found


def test_files_that_the_page_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/.]+)`", room_graph.PAGE.read_text())
    assert named
    missing = [each for each in named if not (room_graph.ROOT / each).exists()]
    assert not missing
