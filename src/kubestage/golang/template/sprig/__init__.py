"""The functions of Sprig, the library that Helm, KWOK and others offer to their templates.

Functions that would make two runs differ, or reach beyond a run, are left out: random values, the
current time, the environment, the network, keys and certificates. A caller that has a clock or a
random stream can add such functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang.template.sprig import (
    arithmetic,
    encodings,
    lists_and_maps,
    patterns,
    predicates,
    texts,
)

if TYPE_CHECKING:
    from kubestage.golang.template.functions import Function

FUNCTIONS: Final[dict[str, Function]] = {
    **texts.FUNCTIONS,
    **arithmetic.FUNCTIONS,
    **lists_and_maps.FUNCTIONS,
    **predicates.FUNCTIONS,
    **encodings.FUNCTIONS,
    **patterns.FUNCTIONS,
}
