"""The process that started a server, which may end without stopping it.

The system could send a signal (PR_SET_PDEATHSIG), but does so when the thread ends that started the
server: threads of Go and Java come and go. Whose child a process is changes with its parent alone.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECK_S: Final = 0.2


class ParentProcess:
    """The parent that this process had when this was made; `read` returns its id now."""

    def __init__(self, read: Callable[[], int] = os.getppid) -> None:
        self._read = read
        self._parent = read()

    async def ended(self) -> None:
        """Wait until it has ended."""
        while self._read() == self._parent:
            await asyncio.sleep(_CHECK_S)
