"""Large objects as JSON, in pieces: no single step holds up other threads for long.

NOTE: to encode fifty thousand pods in one call takes half a second, in which no other thread runs
(benchmarks/pauses.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

# Lists of more items are encoded item by item.
_LONG: Final = 500
# So deep long lists are looked for, as in spec.events of a Scenario.
_DEPTH: Final = 2
_encode: Final = msgspec.json.Encoder().encode


def encode(value: Any) -> bytes:
    """A value as JSON, the same text as if it were encoded at once."""
    return b"".join(_pieces(value, _DEPTH))


def _pieces(value: Any, depth: int) -> Iterator[bytes]:
    if isinstance(value, list) and len(value) > _LONG:
        yield b"["
        for at, item in enumerate(value):
            yield b"," + _encode(item) if at else _encode(item)
        yield b"]"
    elif isinstance(value, dict) and value and depth:
        yield b"{"
        for at, (name, part) in enumerate(value.items()):
            yield (b"," if at else b"") + _encode(name) + b":"
            yield from _pieces(part, depth - 1)
        yield b"}"
    else:
        yield _encode(value)
