"""The command line: parses arguments, opens files, shows progress, prints.

Belongs here: everything a person sees, and the one place (`failures`) where an error becomes text
and an exit code. Not here: any rule about Kubernetes or the simulation; those are called.

Commands import what they need when they run, so that `kubestage version` and shell completion
answer at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from kubestage.cli import app, failures

    sys.exit(failures.guard(app.run, sys.argv[1:]))
