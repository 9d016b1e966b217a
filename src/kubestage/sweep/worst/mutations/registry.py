"""The table of mutations, by group, and how one mutant is made of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sweep.worst.mutations import arrivals, failures, order, priorities, requests, sizes

if TYPE_CHECKING:
    import random

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits
    from kubestage.sweep.worst.mutations.mutation import Mutation

GROUPS: Final[dict[str, tuple[Mutation, ...]]] = {
    "arrivals": (
        arrivals.Move(),
        arrivals.Burst(),
        arrivals.Add(),
        arrivals.Remove(),
        requests.Requests(),
    ),
    "sizes": (sizes.Resize(), sizes.ExchangeSizes()),
    "order": (order.Exchange(),),
    "failures": (failures.Fail(), failures.Recover()),
    "priorities": (priorities.Reprioritize(),),
}
_TRIES: Final = 20


def mutant(case: Case, stream: random.Random, limits: Limits, number: int) -> Case:
    """The case after so many mutations; fewer if few are possible."""
    done = 0
    for _ in range(_TRIES * number):
        group = GROUPS[stream.choice(limits.groups)]
        changed = stream.choice(group)(case, stream, limits)
        if changed is not None and changed.key != case.key:
            case = changed
            done += 1
        if done == number:
            break
    return case
