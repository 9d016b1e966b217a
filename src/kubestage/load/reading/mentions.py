"""What a measurement is told, checked before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.measure import params
from kubestage.measure.measurements import with_action

if TYPE_CHECKING:
    from kubestage.load.config import Mention
    from kubestage.load.reading.problems import Place, Problems


def check(mention: Mention, methods: Any, place: Place, problems: Problems) -> None:
    """Tell what is odd about the parameters of a measurement, if `methods` has its class.

    ClusterLoader2 reads them when the step is there, so none of it refuses a configuration.
    """
    find = getattr(methods, "find", None)
    if not callable(find):
        return
    kind = find(mention.method).params_type
    if not mention.instances:
        _check(mention.params, kind, place, problems)
    for index, each in enumerate(mention.instances):
        told = {**mention.params, **each.params}
        _check(told, kind, place.child("instances").at(index), problems)


def _check(
    raw: dict[str, Any], kind: type[params.Params], place: Place, problems: Problems
) -> None:
    try:
        _, strange = params.typed(kind, with_action(raw))
    except InputError as error:
        problems.odd(place.child(error.path or "params"), error.problem, error.fix)
        return
    for each in strange:
        key, _, said = each.partition(": ")
        problem, _, fix = said.partition("; ")
        problems.odd(place.child(key), problem, fix or None)
