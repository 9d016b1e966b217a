"""A server in a process of its own, on a core of its own, and what it has used."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Self

_TICKS = os.sysconf("SC_CLK_TCK")
_COMMAND = "from kubestage.cli import main; raise SystemExit(main())"
# As an installed package has it: modules that are compiled once.
_COMPILED = tempfile.TemporaryDirectory()


class Served:
    """``kubestage serve`` until the block ends.

    Nothing but the API is at work, unless it is `whole`.
    """

    def __init__(self, *options: str, whole: bool = False) -> None:
        idle = [] if whole else ["--scheduler", "none", "--no-controllers"]
        self._options = [*idle, *options]

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        kept = [] if "--in-memory" in self._options else ["--data-dir", self._folder.name]
        config = pathlib.Path(self._folder.name, "kubeconfig")
        command = [
            sys.executable, "-c", _COMMAND, "serve", "--port", "0", "--kubeconfig", str(config),
            *kept, *self._options,
        ]  # fmt: skip
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": _COMPILED.name}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        cores = sorted(os.sched_getaffinity(0))
        # A child is born where its parent may be.
        os.sched_setaffinity(0, {cores[0]})
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        os.sched_setaffinity(0, set(cores))
        assert self._process.stdout is not None
        for printed in self._process.stdout:
            if "http://" in printed:
                self.address = printed.strip().removeprefix("http://")
                break
        else:
            raise RuntimeError("the server did not start")
        if len(cores) > 1:
            os.sched_setaffinity(0, set(cores[1:]))
        self._cores = cores
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._folder.cleanup()
        os.sched_setaffinity(0, set(self._cores))

    @property
    def cpu_s(self) -> float:
        """How much of a core it has used so far."""
        text = pathlib.Path(f"/proc/{self._process.pid}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def peak_bytes(self) -> int:
        """The most memory it ever had."""
        return self._memory("VmHWM")

    @property
    def resident_bytes(self) -> int:
        """The memory it has now."""
        return self._memory("VmRSS")

    def _memory(self, name: str) -> int:
        text = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        found = next(line for line in text.splitlines() if line.startswith(name))
        return 1024 * int(found.split()[1])
