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
CODE = sorted(PACKAGE.rglob("*.py"))
FILE_LINES = 500
# Code is split before it is that long; Numba's cache needs the kernels in one file.
CODE_LINES = 300
LONGER_CODE = {"src/kubestage/scheduler/quick/compiled.py"}
FUNCTION_LINES = 70
VAGUE_NAMES = {"utils", "util", "common", "helpers", "helper", "base", "manager", "misc"}

# Words of other rooms: the line test, as far as words can check it.
FOREIGN_WORDS = {
    "golang": r"\b(pods?|deployments?|kubelet|namespaces?|resource_?version|sqlite3?)\b",
    "sim": r"\b(pods?|nodes?|deployments?|kubelet|kubernetes|namespaces?|resource_?version)\b",
    "objects": r"\b(heappush|heapq|current_movement_time|add_to_schedule|sqlite3?)\b",
    "promql": r"\b(pods?|nodes? ready|kubelet|typer|sqlite3?)\b",
    "store": r"\b(heappush|typer|numpy|print)\b",
    "metrics": r"\b(heappush|typer|sqlite3?)\b",
    "scheduler": r"\b(typer|sqlite3?|asyncio)\b",
    "controllers": r"\b(typer|sqlite3?|asyncio)\b",
    "traffic": r"\b(typer|sqlite3?|asyncio)\b",
    "clusterloader": r"\b(typer|sqlite3?|asyncio)\b",
    "scenario": r"\b(typer|sqlite3?|asyncio)\b",
    "results": r"\b(typer|heappush)\b",
    "runs": r"\b(typer|heappush|sys\.argv|sys\.stdout)\b",
    "server": r"\b(typer|heappush)\b",
}

# Words that say little to a reader who searches; docs/glossary.md has the usual ones.
QUAINT_NAMES = {
    "asked", "begun", "believed", "blame", "blaming", "born", "dealt", "doubts", "door", "furnish",
    "given", "grounds", "heard", "hears", "law", "laws", "luck", "meant", "reckon", "reckoned",
    "said", "stagehand", "stories", "story", "surroundings", "tell", "teller", "telling", "told",
    "vain", "wanted", "wish", "wishes", "workshop",
}  # fmt: skip
# Names that files have, which stay as they are.
IN_FILES = {"asked_ns", "laws"}
NAMED = [path for path in PYTHON_FILES if path.relative_to(ROOT).parts[0] != "tests"]

# The same for documents and docstrings: words and phrases that technical English does without.
QUAINT_PROSE = re.compile(
    r"\b(anew|asked|at rest|begun|doors?|hears?|heard|in vain|laws? of chance|leaves? with \d|luck"
    r"|lucky|mends?|nobody|reckon(ed|s)?|said|somebody|stories|story|telling|tells?|to the brim"
    r"|told|whoever|wish(es|ed)?)\b",
    re.IGNORECASE,
)
# Upstream's words.
USUAL_PROSE = re.compile(r"\buser stor(y|ies)\b", re.IGNORECASE)
CODE_IN_PROSE = re.compile(r"^```.*?^```|`[^`\n]*`|``.*?``", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*/README.md")]
)


def _relative(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_there_is_code_to_check() -> None:
    assert len(PYTHON_FILES) > 50


@pytest.mark.parametrize("path", PYTHON_FILES, ids=_relative)
def test_no_file_is_longer_than_its_limit(path: pathlib.Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES


def test_code_is_split_before_it_is_long() -> None:
    lines = {_relative(path): len(path.read_text().splitlines()) for path in CODE}
    too_long = {name: count for name, count in lines.items() if count > CODE_LINES}
    assert set(too_long) == LONGER_CODE, too_long


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


def test_names_are_words_that_engineers_search_for() -> None:
    quaint = [
        f"{_relative(path)}: {name}"
        for path in NAMED
        for name in sorted(_names(path))
        if name not in IN_FILES and QUAINT_NAMES & set(_words(name))
    ]
    assert not quaint


def _names(path: pathlib.Path) -> set[str]:
    """The names that a file gives to modules, classes, functions, arguments and variables."""
    found = set(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


@pytest.mark.parametrize("path", PAGES, ids=_relative)
def test_pages_are_in_plain_technical_english(path: pathlib.Path) -> None:
    assert not _quaint_lines(path.read_text())


def test_docstrings_are_in_plain_technical_english() -> None:
    quaint = [
        f"{_relative(path)}: {line}"
        for path in NAMED
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in _quaint_lines(node.value.value)
    ]
    assert not quaint


def _quaint_lines(text: str) -> list[str]:
    """The lines of a text that have a quaint word outside of code."""
    prose = CODE_IN_PROSE.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = USUAL_PROSE.sub("", prose).splitlines()
    return [line.strip() for line in lines if QUAINT_PROSE.search(line)]


def test_quaint_words_are_found_in_prose_and_not_in_code() -> None:
    assert _quaint_lines("It is tried in vain.\nThe user story.\n`told` is a column.") == [
        "It is tried in vain."
    ]


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


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
