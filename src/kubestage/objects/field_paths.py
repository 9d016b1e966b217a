"""Paths of fields as the Kubernetes API writes them: ``containers[0].resources.limits[cpu]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Iterable


def index(path: str) -> tuple[int, str] | None:
    """The list position that a path starts with and the rest; None where it does not."""
    inside, bracket, rest = path[1:].partition("]")
    if not path.startswith("[") or not bracket or not inside.isdecimal():
        return None
    return integers.parse(inside), rest.removeprefix(".")


def key(path: str, keys: Iterable[str]) -> tuple[str, str] | None:
    """Which of `keys` a path starts with, and the rest; None if it is none of them.

    Keys may hold dots (``kubernetes.io/os``), so the longest that fits is taken.
    """
    best: tuple[str, str] | None = None
    for name in keys:
        rest = _after(path, name)
        if rest is not None and (best is None or len(name) > len(best[0])):
            best = name, rest
    return best


def _after(path: str, name: str) -> str | None:
    if path.startswith(f"[{name}]"):
        return path[len(name) + 2 :].removeprefix(".")
    if path.startswith(name) and path[len(name) : len(name) + 1] in ("", ".", "["):
        return path[len(name) :].removeprefix(".")
    return None
