"""The commands of images that are modelled, as busybox and coreutils have them.

A command is a function from a `Call` to its exit code, or to something that is waited for. Options
that are not known make the command `Unmodelled`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kubestage.programs.calls import Call, Waiting

Run: TypeAlias = Callable[[Call], "int | Waiting"]
