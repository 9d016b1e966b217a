"""Tokens in the volumes of pods, which this server accepts."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import ApiError
from kubestage.programs import tokens as mounted

with lazy.imports():
    from kubestage.server import tokens

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live


def provide(live: Live) -> None:
    """Have the kubelet mount tokens that this server accepts."""
    known = weakref.ref(live)

    def make(pod: Json, projection: Json) -> str:
        found = known()
        if found is None:
            return ""
        try:
            return tokens.mounted(found, pod, projection)
        except ApiError:
            # Its account is not there: a real kubelet would wait for it.
            return ""

    mounted.provide(live.store, make)
