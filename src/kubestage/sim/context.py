"""What the models of a simulation share: a logger that knows virtual time, and values."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import SimulationError
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from kubestage.sim.clock import Clock

LOGGER: Final = "kubestage.sim"
"""The name of the logger that an Environment has unless it is given another."""


# Silent until an application configures logging: the engine itself writes nowhere.
logging.getLogger(LOGGER).addHandler(logging.NullHandler())


class VirtualTimeLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger whose records carry the simulation's time.

    Every record has ``virtual_ns``, nanoseconds since the simulation's zero, and ``virtual_time``,
    the same as seconds with nine places. A format string can name both.
    """

    def __init__(self, logger: logging.Logger, clock: Clock) -> None:
        super().__init__(logger, {})
        self._clock = clock

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """Add the time to what the caller gives as ``extra``."""
        now_ns = self._clock.now_ns
        seconds, rest = divmod(now_ns, SECOND_NS)
        stamp = {"virtual_ns": now_ns, "virtual_time": f"{seconds}.{rest:09d}"}
        kwargs["extra"] = {**(kwargs.get("extra") or {}), **stamp}
        return msg, kwargs


class Context(dict[str, object]):
    """Values by name, one of which is always there: the ``logger``.

    ``context["logger"]`` is the logger as it was given, or else the one named ``kubestage.sim``;
    ``context.logger`` writes to it and stamps every record with virtual time. A logger is pickled
    by its name, so a fork logs to the same place, with a clock of its own.
    """

    def __init__(self, clock: Clock, values: Mapping[str, object]) -> None:
        super().__init__({"logger": logging.getLogger(LOGGER), **values})
        logger = self["logger"]
        if isinstance(logger, logging.LoggerAdapter):
            logger = logger.logger
        if not isinstance(logger, logging.Logger):
            raise SimulationError(f"the logger must be a logging.Logger, not {logger!r}")
        self.logger = VirtualTimeLogger(logger, clock)
