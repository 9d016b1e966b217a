"""Tokens in volumes: made by the server of a store, if there is one."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.store.store import Store

    Make = Callable[[Json, Json], str]

# NOTE: a store that is copied is not served yet, so that this is no part of it.
_MAKERS: Final[weakref.WeakKeyDictionary[Store, Make]] = weakref.WeakKeyDictionary()


def provide(store: Store, make: Make) -> None:
    """Have tokens made for the pods of a store, from a pod and a projection."""
    _MAKERS[store] = make


def mounted(store: Store, pod: Json, projection: Json) -> str:
    """The token that a kubelet puts into a volume; empty if there is none."""
    make = _MAKERS.get(store)
    return "" if make is None else make(pod, projection)
