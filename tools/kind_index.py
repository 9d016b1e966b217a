"""Write `objects/kinds/index.txt` from the modules of the kinds; a test keeps it true.

Run ``python tools/kind_index.py`` after a kind was added, moved or renamed. Known kinds keep their
order, which is that of API documents and listings; new ones come last.
"""

from __future__ import annotations

import importlib
import pathlib
import pkgutil
from typing import TYPE_CHECKING

from kubestage.objects import kinds
from kubestage.objects.kinds import loader, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FRAMEWORK = frozenset({"behavior", "kind", "loader", "table"})


def declared() -> Iterator[tuple[str, kinds.Kind]]:
    """Every kind with the module that declares it."""
    for found in pkgutil.iter_modules(kinds.__path__):
        if found.name not in FRAMEWORK:
            module = importlib.import_module(f"{kinds.__name__}.{found.name}")
            for row in loader.declared(module):
                yield found.name, row


def line(module: str, row: kinds.Kind) -> str:
    """The line of one kind."""
    lists: tuple[Iterable[str], ...] = (
        row.short_names,
        row.categories,
        sorted(row.subresources),
        row.old_versions,
        () if row.stored_as is None else row.stored_as[:1],
    )
    scope = "namespaced" if row.namespaced else "cluster"
    words = [module, row.api_version, row.kind, row.plural, scope]
    return " ".join([*words, *(",".join(each) or "-" for each in lists)])


def index() -> str:
    """The whole index."""
    order = {key: place for place, key in enumerate(table.MODULES)}
    rows = sorted(
        declared(), key=lambda each: order.get((each[1].api_version, each[1].kind), len(order))
    )
    return "".join(f"{line(module, row)}\n" for module, row in rows)


if __name__ == "__main__":
    place = pathlib.Path(kinds.__path__[0]) / "index.txt"
    place.write_text(index())
