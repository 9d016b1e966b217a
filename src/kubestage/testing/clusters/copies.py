"""Copies of a stage that is prepared once and used by many tests."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.errors import InputError
from kubestage.stage import few_collections

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.stage import Stage


class _Packed(NamedTuple):
    data: bytes
    revision: int
    now_ns: int
    checks: tuple[object, ...]


class PackedStage:
    """Remembers a stage as it was encoded for the last copy, as long as nothing happens to it.

    NOTE: encoding a stage takes longer than decoding it (benchmarks/fixtures.py).
    """

    def __init__(self) -> None:
        self._packed: _Packed | None = None

    def copy_of(self, stage: Stage) -> Stage:
        """A copy of the stage as it is now."""
        store = stage.store
        now = (store.revision, stage.clock.now_ns, store.checks)
        packed = self._packed
        if packed is None or packed[1:] != now:
            packed = self._packed = _Packed(_encode(stage), *now)
        with few_collections():
            copy: Stage = pickle.loads(packed.data)
        return copy


class _NoServer:
    """Stands in on a copy for what serves the original: it ignores every call."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _ignore


def _ignore(*_: object, **__: object) -> None:
    """Nothing is served here."""


class _Unserved(pickle.Pickler):
    """Encodes a stage without the server around it, which holds sockets and an event loop."""

    def reducer_override(self, obj: Any) -> Any:
        """What stands for an object: nothing of the server is copied."""
        if type(obj).__module__.startswith("kubestage.server."):
            return _NoServer, ()
        return NotImplemented


def _encode(stage: Stage) -> bytes:
    try:
        with few_collections():
            if stage.scenarios is None:
                return pickle.dumps(stage, pickle.HIGHEST_PROTOCOL)
            # Only what is served runs Scenarios.
            encoded = io.BytesIO()
            _Unserved(encoded, pickle.HIGHEST_PROTOCOL).dump(stage)
            return encoded.getvalue()
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        fix = "classes of plugins and autoscalers must be defined at the top of a module"
        raise InputError(f"the cluster cannot be copied: {error}", fix=fix) from None
