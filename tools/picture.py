"""Draw `docs/images/demo.svg`, what `kubestage` prints for the scenario of the demo, and
`docs/images/kubectl.svg`, a session with kubectl.

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
SESSION = ROOT / "examples" / "24-kubectl" / "session.txt"
SESSION_WIDTH = 132

# The drawing asks no server for its font: it uses the reader's own.
TEMPLATE = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def main() -> None:
    """Run the commands, read the session, and draw both as a terminal shows them."""
    console = _console(WIDTH)
    for command in COMMANDS:
        _type(console, command)
        program = pathlib.Path(sys.executable).parent / "kubestage"
        words = [f"{EXAMPLE}{word}" if word.endswith(".yaml") else word for word in command.split()]
        done = subprocess.run(
            [program, *words[1:]], cwd=ROOT, check=True, capture_output=True, text=True
        )
        console.print(rich.text.Text(done.stdout))
    _draw(console, "demo", "kubestage")
    console = _console(SESSION_WIDTH)
    for line in SESSION.read_text().splitlines():
        if line.startswith("$ "):
            _type(console, line[2:])
        else:
            console.print(rich.text.Text(line))
    _draw(console, "kubectl", "kubectl, with kubestage serve")


def _console(width: int) -> rich.console.Console:
    return rich.console.Console(record=True, width=width, file=io.StringIO())


def _type(console: rich.console.Console, command: str) -> None:
    console.print(rich.text.Text(f"$ {command}", style="bold cyan"))


def _draw(console: rich.console.Console, name: str, title: str) -> None:
    target = ROOT / "docs" / "images" / f"{name}.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(console.export_svg(title=title, code_format=TEMPLATE, unique_id=name))


if __name__ == "__main__":
    main()
