"""Draw `docs/images/demo.svg`: what `kubestage` prints for the example cluster.

Run ``python tools/picture.py`` after the example or the tables change.
"""

from __future__ import annotations

import io
import pathlib
import re
import subprocess
import sys

import rich.console
import rich.text
from rich._export_format import CONSOLE_SVG_FORMAT

ROOT = pathlib.Path(__file__).parent.parent
COMMANDS = (
    "kubestage get nodes -f examples/01-first-cluster",
    "kubestage get pods -n shop -f examples/01-first-cluster",
    "kubestage get deploy,hpa -n shop -f examples/01-first-cluster",
)
WIDTH = 112

# The drawing asks no server for its font: it uses the reader's own.
TEMPLATE = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def main() -> None:
    """Run the commands and draw their output as a terminal shows it."""
    console = rich.console.Console(record=True, width=WIDTH, file=io.StringIO())
    for command in COMMANDS:
        console.print(rich.text.Text(f"$ {command}", style="bold cyan"))
        program = pathlib.Path(sys.executable).parent / "kubestage"
        done = subprocess.run(
            [program, *command.split()[1:]], cwd=ROOT, check=True, capture_output=True, text=True
        )
        console.print(rich.text.Text(done.stdout))
    target = ROOT / "docs" / "images" / "demo.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(console.export_svg(title="kubestage", code_format=TEMPLATE, unique_id="demo"))


if __name__ == "__main__":
    main()
