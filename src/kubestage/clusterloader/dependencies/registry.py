"""Every method of a dependency, by the name that configurations write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.clusterloader.dependencies.dra_test_driver import DRATestDriver
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.clusterloader.dependencies.dependency import Dependency

METHODS: Final[dict[str, type[Dependency]]] = {"DRATestDriver": DRATestDriver}


def named(method: str) -> type[Dependency]:
    """The dependency of a method."""
    found = METHODS.get(method)
    if found is None:
        raise InputError(
            f"unknown dependency method {method!r}",
            path="dependencies",
            fix=f"known: {', '.join(METHODS)}",
        )
    return found
