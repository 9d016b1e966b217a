"""The functions of Sprig, the library that Helm, KWOK and others give their templates.

Those are left out that would make a run differ from another, or reach beyond it: random values,
the current time, the environment, the network, keys and certificates. Whoever has a clock or a
random stream offers such functions beside these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang.template.sprig import (
    arithmetic,
    encodings,
    lists_and_maps,
    patterns,
    questions,
    texts,
)

if TYPE_CHECKING:
    from kubestage.golang.template.functions import Function

FUNCTIONS: Final[dict[str, Function]] = {
    **texts.FUNCTIONS,
    **arithmetic.FUNCTIONS,
    **lists_and_maps.FUNCTIONS,
    **questions.FUNCTIONS,
    **encodings.FUNCTIONS,
    **patterns.FUNCTIONS,
}
