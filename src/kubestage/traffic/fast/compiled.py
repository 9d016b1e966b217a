"""The kernel, compiled: every function of it once more, made of the same source by Numba.

The copies find each other, and the constants, among the names of this module. What is kept on disk
is as old as the file of its function only, so a stamp records whether it was made of the source at
hand in all its parts.
"""

from __future__ import annotations

import pathlib
import types
import zlib
from typing import TYPE_CHECKING, Any, Final, cast

import numba
import numpy as np

from kubestage.traffic.fast import heaps, kernel, layout, queueing, serving, sharing, skenario

if TYPE_CHECKING:
    from collections.abc import Callable

_PARTS: Final = (heaps, sharing, queueing, skenario, serving, kernel)
# NOTE: nothing is allocated, so references to arrays need no counting; with that, and with
# calls that are not in line, the kernel takes three times as long (benchmarks/traffic.py).
_PLAIN: Final[dict[str, Any]] = {"error_model": "numpy", "_nrt": False}
_IN_LINE: Final[dict[str, Any]] = {
    **_PLAIN, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip


def _code_stamp() -> int:
    """A number for the source of all that is compiled, and of the layout."""
    text = sorted(f"{name}={value!r}" for name, value in vars(layout).items() if name.isupper())
    for part in _PARTS:
        for function in _functions(part):
            code = function.__code__
            text.append(f"{code.co_name} {code.co_code.hex()} {code.co_consts} {code.co_names}")
    return zlib.crc32("\n".join(text).encode())


def _functions(part: types.ModuleType) -> list[types.FunctionType]:
    return [
        value
        for value in vars(part).values()
        if isinstance(value, types.FunctionType) and value.__module__ == part.__name__
    ]


def _copy(function: types.FunctionType) -> Callable[..., Any]:
    return types.FunctionType(function.__code__, globals(), function.__name__)


def _compile_parts() -> None:
    names = globals()
    for part in _PARTS:
        for name, value in vars(part).items():
            if name.isupper() or isinstance(value, types.BuiltinFunctionType):
                names[name] = value
        for function in _functions(part):
            if function is not kernel.run:
                names[function.__name__] = numba.njit(**_IN_LINE)(_copy(function))


STAMP: Final = _code_stamp()
_compile_parts()
run: Any = numba.njit(cache=True, **_PLAIN)(_copy(cast("Any", kernel.run)))


@numba.njit(cache=True)
def stamp() -> int:
    """The stamp of the source that was compiled."""
    return STAMP


def is_cached() -> bool:
    """Whether the kernel is on disk, in whichever version."""
    return any(pathlib.Path(run.stats.cache_path).glob("kernel.run-*.nbi"))


def get_ready() -> None:
    """Have the kernel compiled, or read from disk, by calling it with nothing to do.

    One that was made of another source is compiled again.
    """
    ints, floats = np.zeros(layout.DESK, np.int64), np.zeros(layout.DESK)
    single = np.full(layout.SINGLES, -1, np.int64)
    single[layout.ENDS] = 1 << 32
    run(single, ints, floats, ints, floats, ints, ints, ints, ints, ints, floats, ints, floats)
    if stamp() != STAMP:
        run.recompile()
        stamp.recompile()
