"""How the objects of one kind are charged to a quota."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.quota import scopes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList


def _in_no_scope(_requirement: Json, _obj: Json) -> bool:
    return False


def _nothing_missing(_required: Collection[str], _obj: Json) -> str | None:
    return None


def _only_new_ones(_new: Json, _old: Json, _subresource: str) -> bool:
    return False


def whole_updates(_new: Json, _old: Json, subresource: str) -> bool:
    """An update of the object itself is charged again."""
    return not subresource


class Evaluator(msgspec.Struct, frozen=True):
    """How the objects of a kind are charged."""

    tracks: Callable[[str], bool]
    """Whether a resource name is about this kind."""
    usage: Callable[[Json, int], ResourceList]
    """What an object uses at a time."""
    fits_scope: Callable[[Json, Json], bool] = _in_no_scope
    """Whether an object is in a scope."""
    missing: Callable[[Collection[str], Json], str | None] = _nothing_missing
    """What an object fails to state under a quota for some resources."""
    is_charged_anew: Callable[[Json, Json, str], bool] = _only_new_ones
    """Whether an update is charged again."""

    def fits_scopes(self, resource_quota: Json, obj: Json) -> bool:
        """Whether an object is in all the scopes of a quota."""
        required = scopes.selectors(resource_quota)
        return all(self.fits_scope(requirement, obj) for requirement in required)
