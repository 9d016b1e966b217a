"""``kubestage open``: kept runs on the page, with their whole past."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import option_objects, progress, screen
from kubestage.runs.flags import Flag
from kubestage.server.launch.open_options import OpenOptions

with lazy.imports():
    from kubestage.runs import opening as kept_runs
    from kubestage.server.launch import opening as page_server

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.runs.opening import OpenedRun
    from kubestage.server.launch.endpoint import ServerEndpoint

EPILOG: Final = """
[bold]Examples[/bold]

kubestage run scenario.yaml --out runs/first

kubestage open runs/first                    [dim]# go back in time, ask why[/dim]

kubestage open runs/before runs/after        [dim]# each is a cluster of the page[/dim]

kubestage compare scenario.yaml --config default --config mine.yaml --out runs/both

kubestage open runs/both                     [dim]# side by side, where they part[/dim]

kubestage rehearse outage zone/b -f cluster/ --out runs/zone-b; kubestage open runs/zone-b

kubestage load config.yaml --report-dir runs/load; kubestage open runs/load

kubestage open runs/first --port 8080 --no-browser

A Scenario and a living cluster are repeated, which gives the same run again; a rehearsal and a load
have their history in their directory. A load on a real cluster has none.

Nothing can be changed: fork a moment on the page, and change that. kubectl reads the runs, too:
the first one at the address, each at ADDRESS/clusters/NAME. Ctrl-C ends it; nothing is written.

Exit code: 0; 2 if a run is missing or cannot be opened.
"""

_Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Directories of kept runs: of run, rehearse, load or compare.",
        show_default=False,
    ),
]


@option_objects.command
def open_runs(
    runs: _Runs,
    options: OpenOptions,
    browser: Annotated[bool, Flag("Open the page in a browser.", "--browser/--no-browser")] = True,
) -> int:
    """Show kept runs on the page: go back in time, ask why, put two side by side."""
    page_server.check()
    found = kept_runs.open_runs(runs, progress.OBSERVER)
    show(found, options, screen.write, in_browser if browser else None)
    return 0


def show(
    runs: Sequence[OpenedRun],
    options: OpenOptions,
    write: Callable[[str], None],
    browse: Callable[[str], object] | None = None,
) -> None:
    """Serve runs until Ctrl-C, `write` where they are, and `browse` there."""

    def ready(prepared: ServerEndpoint) -> None:
        page = f"{prepared.address}{page_server.link(runs)}"
        write("\n".join(_lines(runs, prepared, page)) + "\n")
        sys.stdout.flush()
        if browse is not None:
            browse(page)

    page_server.serve(runs, options, on_ready=ready)


def in_browser(page: str) -> None:
    """Open a page in the user's browser, if there is a screen for one."""
    if _has_screen():
        webbrowser.open(page)


def _lines(runs: Sequence[OpenedRun], prepared: ServerEndpoint, page: str) -> list[str]:
    found = [f"{len(runs)} run{'s' if len(runs) > 1 else ''} to look at; Ctrl-C ends it.", page]
    if prepared.new_token is not None:
        found.append(f"token, shown this once: {prepared.new_token}")
    if len(runs) > 1:
        found += [f"  {each.name}: {each.title}, {each.kind}" for each in runs]
    both = f"{prepared.address}{page_server.side_by_side(runs)}" if len(runs) > 1 else page
    if both != page:
        found.append(f"side by side: {both}")
    return found


def _has_screen() -> bool:
    """Whether a browser has where to open: in a terminal alone, one would take its place."""
    if sys.platform != "linux":
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
