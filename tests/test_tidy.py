"""The house rules that a linter cannot know: sizes, forbidden names, words per room."""

from __future__ import annotations

import ast
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "kubestage"
PYTHON_FILES = sorted(
    path
    for folder in ("src", "tests", "benchmarks", "examples", "tools")
    for path in (ROOT / folder).rglob("*.py")
)
FILE_LINES = 500
FUNCTION_LINES = 70
VAGUE_NAMES = {"utils", "util", "common", "helpers", "helper", "base", "manager", "misc"}

# What a room must never have heard of: the line test, as far as words can tell.
FOREIGN_WORDS = {
    "sim": r"\b(pods?|nodes?|deployments?|kubelet|kubernetes|namespaces?|resource_?version)\b",
    "objects": r"\b(heappush|heapq|current_movement_time|add_to_schedule|sqlite3?)\b",
    "store": r"\b(heappush|typer|numpy|print)\b",
    "results": r"\b(typer|heappush)\b",
}


def _relative(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_there_is_code_to_check() -> None:
    assert len(PYTHON_FILES) > 50


@pytest.mark.parametrize("path", PYTHON_FILES, ids=_relative)
def test_no_file_is_longer_than_its_limit(path: pathlib.Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES


@pytest.mark.parametrize("path", PYTHON_FILES, ids=_relative)
def test_no_function_is_longer_than_its_limit(path: pathlib.Path) -> None:
    too_long = [
        f"{node.name}: {(node.end_lineno or 0) - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    ]
    assert not too_long


def test_no_module_has_a_vague_name() -> None:
    names = {part for path in PYTHON_FILES for part in path.relative_to(ROOT).with_suffix("").parts}
    assert not names & VAGUE_NAMES


@pytest.mark.parametrize("room", sorted(FOREIGN_WORDS))
def test_no_room_speaks_of_what_is_not_its_own(room: str) -> None:
    pattern = re.compile(FOREIGN_WORDS[room], re.IGNORECASE)
    strangers = [
        f"{_relative(path)}:{number}: {line.strip()}"
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    assert not strangers


def test_every_package_has_a_charter() -> None:
    silent = [
        _relative(path)
        for path in PACKAGE.rglob("__init__.py")
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent


def test_the_core_reads_no_clock_and_no_global_randomness() -> None:
    calls = re.compile(
        r"\b(random\.(random|randint|choice|shuffle|seed)\(|datetime\.now|time\.time)"
    )
    heard = [
        f"{_relative(path)}:{number}"
        for room in ("sim", "objects", "store")
        for path in (PACKAGE / room).rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if calls.search(line)
    ]
    assert not heard


def test_no_machine_path_is_written_down() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    machine_path = re.compile(rb"(?<![\w.])/(work|root|home/\w+)/")
    texts = (ROOT / name for name in tracked if name and not name.endswith((".gz", ".png")))
    found = [
        path.name for path in texts if path.exists() and machine_path.search(path.read_bytes())
    ]
    assert not found
