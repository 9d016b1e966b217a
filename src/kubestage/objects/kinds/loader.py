"""Finds the behavior of a kind in its module."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds import table
from kubestage.objects.kinds.behavior import CUSTOM_RESOURCE

if TYPE_CHECKING:
    from types import ModuleType

    from kubestage.objects.kinds.behavior import Behavior
    from kubestage.objects.kinds.kind import Kind

_loaded: Final[dict[tuple[str, str], Behavior]] = {}


def behavior(api_version: str, kind: str) -> Behavior:
    """How objects of a type are treated; as custom resources if the type is not built in."""
    key = (api_version, kind)
    found = _loaded.get(key)
    if found is None:
        module = table.MODULES.get(key)
        if module is None:
            return CUSTOM_RESOURCE
        # NOTE: by name, because the index lists the modules and a new kind is one new file; a
        # test compares the index with the files.
        for row in declared(importlib.import_module(f"{__package__}.{module}")):
            assert row.declared is not None, row.kind
            _loaded[row.api_version, row.kind] = row.declared
        found = _loaded[key]
    return found


def declared(module: ModuleType) -> tuple[Kind, ...]:
    """The kinds that a module declares: one `KIND`, or several `KINDS` that are much alike."""
    found: tuple[Kind, ...] = (module.KIND,) if hasattr(module, "KIND") else module.KINDS
    return found
