"""Modules that are loaded at their first use: the one way to import late.

A large room is imported where it is needed, at the top of the file, as usual::

    with lazy.imports():
        from kubestage.results import report

The name is bound at once; the module's code runs when one of its attributes is first read. Type
checkers, import-linter and editors see a plain import. Only modules can be imported so: a class
or function named in the block would have to be read, and its module loaded, at once.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
        if spec is None or spec.loader is None or spec.submodule_search_locations is not None:
            return spec
        spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


@contextlib.contextmanager
def imports() -> Iterator[None]:
    """Load the modules imported in this block at their first use."""
    sys.meta_path.insert(0, _Finder)
    try:
        yield
    finally:
        sys.meta_path.remove(_Finder)
