"""How kernels are compiled: by Numba, when they are first called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., Any]")


def kept(function: _F) -> _F:
    """Compiled once on a machine."""
    return cast("_F", numba.njit(error_model="numpy", cache=True)(function))


def part(function: _F) -> _F:
    """Compiled as a part of what calls it."""
    return cast("_F", numba.njit(error_model="numpy")(function))


def inner(function: _F) -> _F:
    """The same, without a way in from Python.

    NOTE: that takes long to compile for so many arrays (10 s in all with it, 7.6 s without).
    """
    closed: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("_F", numba.njit(error_model="numpy", **closed)(function))
