"""Where a plugin's class or method is in the user's file, and the error that names it."""

from __future__ import annotations

import inspect
from typing import Any

from kubestage.errors import InputError


def refused(plugin: type[Any], method: str, problem: str, fix: str) -> InputError:
    """The error about a method of a plugin, or about its class if there is no such method."""
    file, line = _place(plugin, method)
    name = getattr(plugin, "name", None)
    about = name if isinstance(name, str) and name else plugin.__name__
    return InputError(problem, file=file, line=line, path=f"plugin {about}", fix=fix)


def _place(plugin: type[Any], method: str) -> tuple[str | None, int | None]:
    found: Any = getattr(plugin, method, None) if method else None
    found = inspect.unwrap(found) if callable(found) else None
    code = getattr(getattr(found, "__func__", found), "__code__", None)
    if code is not None:
        return code.co_filename, code.co_firstlineno
    try:
        return inspect.getfile(plugin), inspect.getsourcelines(plugin)[1]
    except (OSError, TypeError):
        return None, None
