"""Variables of templates that have no value: what a template prints for them stays in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.clusterloader.reading.problems import Place, Problems

NO_VALUE: Final = "<no value>"
"""What a template prints for a variable that is not there."""
_PASSED_ON: Final = re.compile(r"\.(templateFillMap|module\.params)\.", re.IGNORECASE)
FIX: Final = "set the variable by --testoverrides, or write DefaultParam"


def paths(value: Any, path: str = "") -> Iterator[str]:
    """Where a rendered value has the text of a missing variable."""
    if isinstance(value, dict):
        for key, each in value.items():
            inner = f"{path}.{key}" if path else str(key)
            yield from paths(each, inner)
            if NO_VALUE in str(key):
                yield inner
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from paths(each, f"{path}[{index}]")
    elif isinstance(value, str) and NO_VALUE in value:
        yield path


def report(value: Any, place: Place, problems: Problems) -> None:
    """Report each of them in a configuration or module.

    What is passed on to modules and objects may have none: they may have a default.
    """
    for path in paths(value):
        if not _PASSED_ON.search(path):
            problems.odd(place.child(path), "a variable in it has no value", FIX)
