"""Names of runs that are opened together: short, distinct, and fit for a URL."""

from __future__ import annotations

import collections
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.opening.opened_run import OpenedRun

_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_MOST: Final = 40


def named(run: OpenedRun, text: str) -> OpenedRun:
    """A run with the name that a text becomes in a URL."""
    run.name = slug(text)
    return run


def as_contender(run: OpenedRun, text: str) -> OpenedRun:
    """The same of a run that was compared with others."""
    run.is_contender = True
    return named(run, text)


def slug(text: str) -> str:
    """A text in lower case letters, digits and hyphens."""
    return _UNFIT.sub("-", text.lower()).strip("-")[:_MOST].strip("-") or "run"


def make_distinct(runs: Sequence[OpenedRun]) -> None:
    """Number names that are used twice; titles that are get the name of their run."""
    titles = collections.Counter(each.title for each in runs)
    taken: set[str] = set()
    for each in runs:
        name, number = each.name, 1
        while name in taken:
            number += 1
            name = f"{each.name}-{number}"
        taken.add(name)
        each.name = name
        if titles[each.title] > 1 and each.title != name:
            each.title = f"{each.title} ({name})"
