"""The examples that come with kubestage: found, described and copied."""

from __future__ import annotations

import difflib
import pathlib
import secrets
import shutil
from typing import Final, NamedTuple

from kubestage.errors import InputError
from kubestage.files.writing import WRITING

# In an installed package, and in the repository.
_PLACES: Final = (
    pathlib.Path(__file__).parents[1] / "examples",
    pathlib.Path(__file__).parents[3] / "examples",
)
_ELSEWHERE: Final = "../"
_IGNORED: Final = shutil.ignore_patterns("__pycache__", "*.pyc", ".kubestage", "runs")


class Example(NamedTuple):
    """One example: its folder, what its README begins with, and how it is run."""

    folder: pathlib.Path
    title: str
    commands: list[str]

    @property
    def name(self) -> str:
        """Its name, as in ``07-preemption``."""
        return self.folder.name

    @property
    def readme(self) -> str:
        """What it is about, and what to look at."""
        return (self.folder / "README.md").read_text(encoding="utf-8")

    @property
    def files(self) -> list[str]:
        """What it consists of."""
        found = (each for each in self.folder.rglob("*") if each.is_file())
        names = (each.relative_to(self.folder).as_posix() for each in found)
        return sorted(name for name in names if "__pycache__" not in name)

    @property
    def is_portable(self) -> bool:
        """Whether a copy of it runs; others need the repository around them."""
        return not any(_ELSEWHERE in command for command in self.commands)


def all_examples() -> list[Example]:
    """All examples, in order."""
    for place in _PLACES:
        folders = sorted(each.parent for each in place.glob("[0-9][0-9]-*/README.md"))
        if folders:
            return [_read(each) for each in folders]
    fix = "install kubestage again, or look at them in its repository"
    raise InputError("this installation has no examples", fix=fix)


def find(text: str) -> Example:
    """The example of a number or a name, or of a part of it that no other has."""
    examples = all_examples()
    name = text.strip("/").lower()
    for each in examples:
        if name == each.name or (name.isdigit() and int(name) == int(each.name[:2])):
            return each
    found = [each for each in examples if name and name in each.name]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(each.name for each in found)
        raise InputError(f'several examples are called "{text}"', fix=f"name one of {names}")
    names_of = {each.name[3:]: each.name for each in examples}
    near = difflib.get_close_matches(name, names_of, n=1)
    fix = f"did you mean {names_of[near[0]]}?" if near else "`kubestage examples` lists all"
    raise InputError(f'there is no example "{text}"', fix=fix)


def copy(example: Example, directory: str | None = None) -> pathlib.Path:
    """Copy an example into a directory that is not there yet, or is empty; where it is now."""
    target = pathlib.Path(directory or example.name)
    # The directory in which somebody works stays, even if it is empty.
    is_here = target.resolve() == pathlib.Path.cwd()
    if target.is_dir() and directory is not None and (is_here or any(target.iterdir())):
        target = target / example.name
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        fix = f"name another directory, as in: kubestage examples copy {example.name} DIR"
        raise InputError("is there already", file=str(target), fix=fix)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f"{WRITING}{secrets.token_hex(6)}")
    try:
        shutil.copytree(example.folder, beside, ignore=_IGNORED)
        beside.replace(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return target


def copy_all(directory: str) -> list[pathlib.Path]:
    """Copy all examples below a directory, each under its name; InputError if one is there."""
    target = pathlib.Path(directory)
    found = all_examples()
    for each in found:
        if (target / each.name).exists():
            fix = "name another directory, or remove it"
            raise InputError("is there already", file=str(target / each.name), fix=fix)
    target.mkdir(parents=True, exist_ok=True)
    return [copy(each, str(target / each.name)) for each in found]


def _read(folder: pathlib.Path) -> Example:
    first = (folder / "README.md").read_text(encoding="utf-8").partition("\n")[0]
    return Example(folder, first.removeprefix("#").strip(), _commands(folder))


def _commands(folder: pathlib.Path) -> list[str]:
    """What is typed to run it."""
    if (folder / "main.py").exists():
        return ["python main.py"]
    if (folder / "session.txt").exists():
        return ["kubestage serve --in-memory --start 2026-01-01T00:00:00Z"]
    if (folder / "pytest.ini").exists():
        return ["pytest"]
    lines = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip()]
