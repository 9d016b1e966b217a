"""How fast this machine is now, against the one on which the real scheduler was measured."""

from __future__ import annotations

import importlib.util
import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable


class Calibration:
    """1.0 is the machine of the reference.

    Machines are shared and their speed changes from one moment to the next, so a piece of known
    work is done before, in between and after the work to be measured. The first time does not
    count: it is slower than all others, which would flatter us.
    """

    def __init__(self, folder: pathlib.Path | None) -> None:
        self._work: Callable[[], None] | None = None
        self._rounds, self._spent, self._per_second = 0, 0.0, 1.0
        self._least = float("inf")
        if folder is None:
            return
        spec = importlib.util.spec_from_file_location("calibrate", folder / "calibrate.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._work = module.work
        stated = json.loads((folder / "reference.json").read_text())
        self._per_second = stated["calibration_rounds_per_second"]
        module.work()

    def take(self, times: int = 1) -> None:
        """Do the work so many times."""
        if self._work is None:
            return
        for _ in range(times):
            started = time.process_time()
            self._work()
            seconds = time.process_time() - started
            self._spent += seconds
            self._least = min(self._least, seconds)
            self._rounds += 1

    @property
    def speed(self) -> float | None:
        """The mean over all that was done."""
        return self._rounds / self._spent / self._per_second if self._rounds else None

    @property
    def best_speed(self) -> float | None:
        """The fastest of all, which is how the reference was calibrated."""
        return 1 / self._least / self._per_second if self._rounds else None
