"""Code that is loaded at its first use: the one way to import late.

A large room is imported where it is needed, at the top of the file, as usual::

    with lazy.imports():
        from kubestage.results import report

The name is bound at once; the module's code runs when one of its attributes is first read. Only
modules can be imported so: a class or function named in the block would have to be read, and its
module loaded, at once.

A package that offers names of its modules imports them for type checkers alone, and hands them
out when they are first used::

    if TYPE_CHECKING:
        from kubestage.stage import Stage

    __getattr__ = lazy.exports(__name__)

Type checkers, import-linter and editors see plain imports in both cases.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.machinery
import importlib.util
import pathlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

_PACKAGE = "kubestage."


class _Finder:
    """Finds modules of this package and puts off running their code."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """How to load a module; None leaves it to the usual finders."""
        if not name.startswith(_PACKAGE):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return spec
        if spec.submodule_search_locations is None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        else:
            spec.loader = _PackageLoader(spec.loader.name, spec.loader.path)
        return spec


class _PackageLoader(importlib.machinery.SourceFileLoader):
    """Runs a package at once, and what it imports as usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the package's code."""
        sys.meta_path.remove(_Finder)
        try:
            super().exec_module(module)
        finally:
            sys.meta_path.insert(0, _Finder)


@contextlib.contextmanager
def imports() -> Iterator[None]:
    """Load the modules imported in this block at their first use."""
    sys.meta_path.insert(0, _Finder)
    try:
        yield
    finally:
        sys.meta_path.remove(_Finder)


def exports(package: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: names that it imports under ``if TYPE_CHECKING``."""

    def load(name: str) -> Any:
        origin = None if name.startswith("__") else _origins(package).get(name)
        if origin is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(origin), name)

    return load


@functools.cache
def _origins(package: str) -> dict[str, str]:
    """The modules of the names that a package imports for type checkers."""
    import ast  # noqa: PLC0415 - few processes need it

    file = sys.modules[package].__file__
    assert file is not None
    tree = ast.parse(pathlib.Path(file).read_text())
    blocks = (node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(_PACKAGE)
        and node.module is not None
        for alias in node.names
    }
