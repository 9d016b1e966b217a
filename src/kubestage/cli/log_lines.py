"""What models and autoscalers log, on stderr, with virtual time."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import TYPE_CHECKING, Annotated, Final, Literal

from kubestage.cli import screen
from kubestage.runs.flags import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator

Level = Literal["debug", "info", "warning", "error"]
HELP: Final = "Print log lines to stderr, with virtual time, from debug, info, warning or error on."
LogLevel = Annotated[Level | None, Flag(HELP, "--log-level", metavar="LEVEL", noun="log level")]


class _Formatter(logging.Formatter):
    """Lines without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        return screen.safe(super().format(record))


@contextlib.contextmanager
def printed(level: str | None) -> Iterator[None]:
    """Print what is logged from this level on; nothing without one."""
    if level is None:
        yield
        return
    from kubestage.sim.context import LOGGER

    logger = logging.getLogger(LOGGER)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(virtual_time)s %(levelname)s %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)
