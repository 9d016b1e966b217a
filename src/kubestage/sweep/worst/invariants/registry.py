"""The table of invariants."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.sweep.worst.invariants import parameters
from kubestage.sweep.worst.invariants.budget import BudgetHolds
from kubestage.sweep.worst.invariants.fits import NothingFits
from kubestage.sweep.worst.invariants.oscillation import NoOscillation
from kubestage.sweep.worst.invariants.starvation import NoStarvation

if TYPE_CHECKING:
    from kubestage.sweep.worst.invariants.invariant import Invariant

INVARIANTS: Final[dict[str, type[Invariant]]] = {
    "budget": BudgetHolds,
    "fits": NothingFits,
    "oscillation": NoOscillation,
    "starvation": NoStarvation,
}


def read(text: str) -> Invariant:
    """The invariant of a text such as ``oscillation:changes=3,within=10m``."""
    name, stated = parameters.split(text)
    if name not in INVARIANTS:
        near = difflib.get_close_matches(name, INVARIANTS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(INVARIANTS)}"
        raise InputError(f'there is no invariant "{name}"', path="--breaks", fix=hint)
    return INVARIANTS[name].read(stated)
