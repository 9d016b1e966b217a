"""The command line: parses arguments, opens files, shows progress, prints.

Belongs here: everything that is printed, and the one place (`failures`) where an error becomes text
and an exit code. Not here: any rule about Kubernetes or the simulation; those are called.

A command is loaded when it is called, so that `kubestage version` answers at once.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Final

_COLLECTIONS: Final = (100_000, 50, 10_000)


def main() -> None:
    """Run the command line and exit with its code.

    NOTE: a command makes next to no reference cycles, and each search for them visits all that is
    loaded: 30 ms of every start. The last search, when Python exits, costs 100 ms more; frozen
    objects are not searched (benchmarks/startup.py).
    """
    gc.set_threshold(*_COLLECTIONS)
    # NOTE: no command does linear algebra, and threads that wait for it take 80 ms of a core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What the terminal's encoding lacks is shown by its number.
            stream.reconfigure(errors="backslashreplace")
    from kubestage.cli import app, failures

    code = failures.guard(app.run, sys.argv[1:])
    gc.freeze()
    sys.exit(code)
