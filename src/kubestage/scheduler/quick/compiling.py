"""How kernels are compiled: by Numba, when they are first called."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np

from kubestage.scheduler.quick import layout

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., Any]")


def cached(function: _F) -> _F:
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


def is_cached(kernel: Any) -> bool:
    """Whether a kernel is on disk, in whichever version."""
    return any(pathlib.Path(kernel.stats.cache_path).glob(f"*.{kernel.__name__}-*.nbi"))


def get_ready(place_all: Any, take_back: Any, stamp: Any) -> None:
    """Have the kernels compiled, or read from disk, by calling them with nothing to do.

    Those that were compiled for another layout, by `stamp`, are compiled again.
    """
    one, two, bits = np.zeros(1, np.int64), np.zeros((1, 1), np.int64), np.zeros(1, np.bool_)
    small, floats = np.zeros((1, 1), np.int32), np.zeros(1)
    nodes = layout.Nodes(two, two, two, two, one, one, small, np.zeros(1, np.int32))
    three, flags = np.zeros((1, 1, 1), np.int64), np.zeros((1, 1), np.bool_)
    plans = layout.PlanArrays(
        two, two, two, three, three, two, two, three, one, flags, two, flags, two, two
    )
    kinds = layout.KindArrays(two, two, two, one, floats)
    scratch = layout.Scratch(one, one, one, one, floats, bits, bits, one, one, one)
    nobody = np.zeros(0, np.int64)
    place_all(nobody, 0, nobody, False, two, nodes, plans, kinds, scratch)
    take_back(nobody, nobody, nodes, plans, kinds)
    if stamp() != layout.STAMP:
        for each in (place_all, take_back, stamp):
            each.recompile()
