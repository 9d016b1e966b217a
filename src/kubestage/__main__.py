"""``python -m kubestage`` is the command line."""

from __future__ import annotations

from kubestage import cli

if __name__ == "__main__":
    cli.main()
