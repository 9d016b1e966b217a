"""Draw `docs/images/demo.svg`: what `kubestage` prints for the scenario of the demo.

Run ``python tools/picture.py`` after the example or the tables change. The picture of the report
beside it, `report.png`, is a screenshot of what ``make demo`` leaves in ``build/demo``.
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
    "kubestage run scenario.yaml --config scheduler.yaml --out build/demo",
    "kubestage explain build/demo checkout-0",
)
EXAMPLE = "examples/14-scenario/"
WIDTH = 116

# The drawing asks no server for its font: it uses the reader's own.
TEMPLATE = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def main() -> None:
    """Run the commands and draw their output as a terminal shows it."""
    console = rich.console.Console(record=True, width=WIDTH, file=io.StringIO())
    for command in COMMANDS:
        console.print(rich.text.Text(f"$ {command}", style="bold cyan"))
        program = pathlib.Path(sys.executable).parent / "kubestage"
        words = [f"{EXAMPLE}{word}" if word.endswith(".yaml") else word for word in command.split()]
        done = subprocess.run(
            [program, *words[1:]], cwd=ROOT, check=True, capture_output=True, text=True
        )
        console.print(rich.text.Text(done.stdout))
    target = ROOT / "docs" / "images" / "demo.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(console.export_svg(title="kubestage", code_format=TEMPLATE, unique_id="demo"))


if __name__ == "__main__":
    main()
