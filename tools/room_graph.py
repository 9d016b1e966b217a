"""Write the drawing of rooms in ARCHITECTURE.md from the imports of the code.

``python tools/room_graph.py`` writes it again; ``tests/test_architecture.py`` fails while it is
not what the code says. An arrow is drawn where one room imports another, and left out where other
arrows lead there anyway.
"""

from __future__ import annotations

import ast
import functools
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "kubestage"
PAGE = ROOT / "ARCHITECTURE.md"
# Every room imports these, so that an arrow to them says nothing.
FLOOR = frozenset({"aliases", "errors", "lazy", "units"})
_DRAWING = re.compile(r"(?<=```mermaid\n).*?(?=```)", re.DOTALL)

Edges = frozenset[tuple[str, str]]


def rooms() -> list[str]:
    """All rooms, from the top to the bottom, as the import-linter contract has them."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contract["contracts"][0]["layers"]
    return [room.strip() for layer in layers for room in layer.split("|")]


@functools.cache
def edges() -> Edges:
    """Which room imports which, in the code; what is imported for types alone counts as well."""
    known = set(rooms())
    found: set[tuple[str, str]] = set()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in known:
            continue
        imported = {each for node in ast.walk(ast.parse(path.read_text())) for each in _of(node)}
        found |= {(room, other) for other in (imported & known) - FLOOR - {room}}
    return frozenset(found)


def _of(node: ast.AST) -> set[str]:
    """The rooms that an import statement names."""
    if isinstance(node, ast.ImportFrom) and node.module == "kubestage":
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kubestage."):
        return {(node.module or "").split(".")[1]}
    return set()


def reduced(graph: Edges) -> Edges:
    """The arrows that no path of other arrows replaces."""
    below: dict[str, set[str]] = {}
    for room in reversed(rooms()):
        direct = {other for start, other in graph if start == room}
        below[room] = direct.union(*(below[other] for other in direct))
    return frozenset(
        (start, end)
        for start, end in graph
        if not any(end in below[other] for first, other in graph if first == start)
    )


def drawing() -> str:
    """The drawing, as Mermaid."""
    order = {room: at for at, room in enumerate(rooms())}
    arrows = sorted(reduced(edges()), key=lambda edge: (order[edge[0]], order[edge[1]]))
    lines = [f"  {start} --> {end}" for start, end in arrows]
    return "\n".join(["flowchart TD", *lines, ""])


def written() -> str:
    """The page with the drawing that the code gives."""
    return _DRAWING.sub(lambda _: drawing(), PAGE.read_text(), count=1)


if __name__ == "__main__":
    PAGE.write_text(written())
