"""All that a user's program needs, in one place.

::

    from kubestage.cluster.load_programs.framework import Call, Program, Resource
"""

from __future__ import annotations

from kubestage.cluster.access import Answer, Call, Page, Resource, Selection, WatchEvent
from kubestage.cluster.load_programs.client import ProgramClient
from kubestage.cluster.load_programs.flags import Flags
from kubestage.cluster.load_programs.program import Program, ProgramContainer
from kubestage.errors import Unmodelled
from kubestage.golang.rate import Limiter

__all__ = [
    "Answer",
    "Call",
    "Flags",
    "Limiter",
    "Page",
    "Program",
    "ProgramClient",
    "ProgramContainer",
    "Resource",
    "Selection",
    "Unmodelled",
    "WatchEvent",
]
