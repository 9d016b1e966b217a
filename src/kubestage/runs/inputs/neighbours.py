"""Modules that a user's Python file imports from its own folder.

With pinned files they are inputs as the file itself is: they are read with it, their content is
part of the keys of runs, and where the folder is missing, as on another machine, they are imported
from what was read. Compiled modules and data files are not.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from kubestage.files import pinned, reading

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def importable(path: str) -> Iterator[None]:
    """Let the code of a file import its neighbours, as it could if it were run by itself."""
    files = pinned.current()
    if files is None or files.is_recording:
        folder = pathlib.Path(path).resolve().parent
        with importing_from(folder):
            if files is None:
                yield
                return
            _read_imported(path, folder)
            with _found_in(pathlib.Path(reading.absolute(path)).parent):
                yield
    else:
        with _found_in(pathlib.Path(reading.absolute(path)).parent):
            yield


@contextlib.contextmanager
def importing_from(folder: pathlib.Path) -> Iterator[None]:
    """Let code import modules of a folder."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _read_imported(path: str, folder: pathlib.Path) -> None:
    """Read all neighbours that a file imports, and what they import in turn.

    They are known as neighbours of the path as it is written, even if that is a link.
    """
    shown = pathlib.Path(reading.absolute(path)).parent
    files = pinned.current()
    assert files is not None
    done: set[pathlib.PurePath] = set()
    todo = [(reading.read(path), pathlib.PurePath())]
    while todo:
        text, package = todo.pop()
        for module in _imported_by(text, package):
            for place in (module.with_suffix(".py"), module / "__init__.py"):
                if place in done or not reading.is_file(folder / place):
                    continue
                done.add(place)
                content = reading.read(folder / place)
                files.keep(str(shown / place), content)
                todo.append((content, place.parent))


def _imported_by(text: bytes, package: pathlib.PurePath) -> Iterator[pathlib.PurePath]:
    """The modules that a text imports, and the packages that they are in, as paths."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        # It is reported when the file is run.
        return
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = list(package.parts[: len(package.parts) + 1 - node.level] if node.level else ())
            origin = ".".join([*above, *([node.module] if node.module else [])])
            names = [origin, *(f"{origin}.{each.name}".strip(".") for each in node.names)]
        for name in names:
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                if all(part.isidentifier() for part in parts[:end]):
                    yield pathlib.PurePath(*parts[:end])


@contextlib.contextmanager
def _found_in(folder: pathlib.Path) -> Iterator[None]:
    """Import modules of a folder from pinned files; those of other contents are forgotten."""
    loaders = {
        name: loader
        for name, module in list(sys.modules.items())
        if isinstance(loader := getattr(module, "__loader__", None), _Loader)
        and pathlib.Path(loader.place).is_relative_to(folder)
    }
    if any(each.is_outdated() for each in loaders.values()):
        for name in loaders:
            del sys.modules[name]
    finder = _Finder(folder)
    at = next(
        (at for at, each in enumerate(sys.meta_path) if each is importlib.machinery.PathFinder),
        len(sys.meta_path),
    )
    sys.meta_path.insert(at, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules of a folder among pinned files."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Where a module is; None if it is not here."""
        del target
        place = self._folder.joinpath(*fullname.split("."))
        if path is not None and str(place.parent) not in path:
            # It belongs to a package from elsewhere.
            return None
        package, module = place / "__init__.py", place.with_name(f"{place.name}.py")
        if reading.is_file(package):
            return _spec(fullname, package, [str(place)])
        if reading.is_file(module):
            return _spec(fullname, module, None)
        files = pinned.current()
        if files is not None and not files.is_recording and reading.is_directory(place):
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        return None


class _Loader(importlib.abc.Loader):
    """Runs a module as it was read."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._content = b""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run it."""
        self._content = reading.read(self.place)
        code = compile(self._content, self.place, "exec", dont_inherit=True)
        exec(code, vars(module))

    def is_outdated(self) -> bool:
        """Whether the file has another content among the pinned files."""
        files = pinned.current()
        is_pinned = files is not None and files.is_file(self.place)
        return bool(is_pinned) and reading.read(self.place) != self._content


def _spec(
    name: str, place: pathlib.Path, inside: list[str] | None
) -> importlib.machinery.ModuleSpec | None:
    loader: Any = _Loader(str(place))
    return importlib.util.spec_from_file_location(
        name, place, loader=loader, submodule_search_locations=inside
    )
