"""Memory that a load no longer needs, back to the operating system before its report is drawn."""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Final

MANY: Final = 2_500_000
"""So many objects of Python's take some 250 MB."""


def give_back(least: int = 0) -> None:
    """Let the stage go, whose parts know each other, and have the C library give back what is free.

    Nothing is done where there are fewer objects than `least`.

    NOTE: the pods of a load are gone at its end, and what they took is free, but stays with the
    process: the charts of a load with 5,000 nodes came on top of it, with 150 MB
    (benchmarks/load.py). With 100 nodes there is little to give back, and the search takes 0.3 s.
    """
    if sys.getallocatedblocks() < least:
        return
    gc.collect()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        # Only the GNU C library has it.
        return
    trim(0)
