"""The directory that a search for a limit is written to, as a whole.

::

    DIR/limit.html   the search for people
    DIR/limit.png    its chart
    DIR/limit.json   every load that was tried, with all its runs
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.results import charts
from kubestage.results.load import limit_page
from kubestage.results.load.claimed_place import ClaimedPlace
from kubestage.results.report import drawings

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.results.load.about import About


PAGE: Final = "limit.html"
PICTURE: Final = "limit.png"
DATA: Final = "limit.json"
_KEYS: Final = frozenset(("vary", "slos", "limit", "points"))


class LimitDirectory(ClaimedPlace):
    """A place for one search, claimed before it starts; use it as a context manager."""

    fixed: ClassVar[tuple[str, ...]] = (PAGE, PICTURE, DATA)

    def write(self, search: Json, about: About | None = None) -> list[pathlib.Path]:
        """Keep a search; the files that are there now.

        `search` has ``vary`` (what was varied), ``slos`` (texts as ``pod-startup-p99<=5s``),
        ``limit`` and ``above`` (the highest load that holds and the lowest that does not, or
        None), and ``points``: of each load ``value``, ``verdict`` and ``runs``, each with
        ``seed``, ``met`` and ``values`` by the name of the goal. Whatever else it has is kept.
        """
        names = [PAGE, DATA]
        self.put(PAGE, limit_page.render(search, about))
        if drawings.can_draw():
            chart = limit_page.chart(search)
            if chart is not None:
                charts.save(chart, self.place(PICTURE))
                names.append(PICTURE)
        encoded = msgspec.json.format(msgspec.json.encode(search), indent=2)
        self.place(DATA).write_bytes(encoded + b"\n")
        self.move(names)
        return [self.path / name for name in names]

    def earlier(self) -> list[str]:
        """The files of the search that is there."""
        try:
            found = msgspec.json.decode((self.path / DATA).read_bytes())
        except (OSError, UnicodeDecodeError, msgspec.DecodeError):
            return []
        return list(self.fixed) if isinstance(found, dict) and found.keys() >= _KEYS else []
