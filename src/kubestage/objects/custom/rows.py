"""Which kinds are custom, and their compiled definitions.

NOTE: most stores have no definitions; what validates them is loaded with the first one.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.objects import kinds, own_definitions

with lazy.imports():
    from kubestage.objects.custom import definition_check, instances

if TYPE_CHECKING:
    from types import ModuleType

    from kubestage.aliases import Json
    from kubestage.objects.custom.instances import Instances
    from kubestage.objects.kinds import Kind


_BUILT_IN: Final = frozenset((row.api_version, row.kind) for row in kinds.BUILT_IN)


def are_custom(kind: Kind) -> bool:
    """Whether objects of a kind are treated by their definition; most of our own kinds are not."""
    if kind.definition is None:
        return (kind.api_version, kind.kind) in own_definitions.TREATED_BY_DEFINITION
    key = (kind.api_version, kind.kind)
    return key not in _BUILT_IN or key in own_definitions.TREATED_BY_DEFINITION


def compiled(kind: Kind) -> Instances:
    """The compiled definition of a kind; of one that is built in, ours."""
    if (kind.api_version, kind.kind) in own_definitions.TREATED_BY_DEFINITION:
        return _shipped(kind.api_version, kind.kind)
    return instances.instances_of(kind)


@functools.cache
def _shipped(api_version: str, name: str) -> Instances:
    row = kinds.built_in(api_version, name)
    assert row is not None
    version = own_definitions.version(row)
    return instances.instances_of(dataclasses.replace(row, definition=version, declared=None))


def definition_rules() -> ModuleType:
    """The rules for definitions themselves."""
    return definition_check


def condition(definition: Json, type_name: str) -> Json:
    """A condition of a definition, or nothing."""
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == type_name), {})


def is_established(definition: Json) -> bool:
    """Whether a definition is served."""
    return condition(definition, "Established").get("status") == "True"
