"""Damage to texts, byte by byte and value by value; the same for the same random stream."""

from __future__ import annotations

import copy
import json
import math
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    Path = tuple[Any, ...]

_NASTY_BYTES = (
    b"\x00", b"\t", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\x1b[31m",
    b"{", b"}", b"[", b"]", b'"', b"'", b":", b"- ", b"\n---\n", b"&a ", b"*a", b"<<: *a",
    b"!!binary ", b"{{", b"}}", b"%", b"|", b"\\", b"1e999", b"9" * 5000, b"(" * 5000, b"</script>",
)  # fmt: skip


# A number with more digits than Python turns into text; it stands in for itself until the end.
_HUGE = "a huge number"
_DIGITS = b"7" * 5000


def _deep(width: int) -> Any:
    value: Any = 1
    for _ in range(width):
        value = [value]
    return value


def _values(random: random.Random) -> Any:
    """A value that has no place where it is put."""
    return random.choice(
        (
            None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 2**64, 10**30, _HUGE, 0.5,
            -0.1, 1e-300, 1e300, math.nan, math.inf, "", "text", "1Ei", "-1", "999999999", "1e-300",
            "0x10", "100000000d", "a" * 70_000, "\x1b[31mred", "[red]x[/red]", "</script><script>",
            "a\x00b", "\ud800", "(" * 5000, "{{ . }}", "{{", "..", "../../etc/passwd", "/dev/zero",
            "2026-13-45T00:00:00Z", "9999999-01-01T00:00:00Z", "NaN", "Infinity", "${X}", "%s%n",
            [], {}, [None], [[]], {"": ""}, {"a": {"b": {"c": []}}}, [{}], _deep(150), _deep(400),
        )
    )  # fmt: skip


def in_bytes(data: bytes, random: random.Random) -> bytes:
    """The text with a few places damaged."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice(_BYTE_CHANGES)(data, random)
    return data


def _flip(data: bytes, random: random.Random) -> bytes:
    at = random.randrange(len(data) or 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, random: random.Random) -> bytes:
    at = random.randrange(len(data) or 1)
    return data[:at]


def _remove(data: bytes, random: random.Random) -> bytes:
    at = random.randrange(len(data) or 1)
    return data[:at] + data[at + random.randrange(1, 40) :]


def _insert(data: bytes, random: random.Random) -> bytes:
    at = random.randrange(len(data) or 1)
    return data[:at] + random.choice(_NASTY_BYTES) + data[at:]


def _repeat(data: bytes, random: random.Random) -> bytes:
    at = random.randrange(len(data) or 1)
    end = at + random.randrange(1, 200)
    return data[:end] + data[at:]


def _line_ends(data: bytes, random: random.Random) -> bytes:
    return data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\x0b", b"\xe2\x80\xa8", b"\n\t")))


def _mark(data: bytes, random: random.Random) -> bytes:
    encoded = data.decode(errors="replace")
    return random.choice(
        (b"\xef\xbb\xbf" + data, encoded.encode("utf-16"), encoded.encode("utf-32"))
    )


def _number(data: bytes, random: random.Random) -> bytes:
    """Another number where there is one."""
    places = [at for at, each in enumerate(data) if chr(each).isdigit()]
    if not places:
        return data
    at = random.choice(places)
    other = random.choice(
        (b"-1", b"0", b"999999999", b"1e-300", b"1e300", b"9" * 5000, b"1Ei", b"0.1", b"")
    )
    return data[:at] + other + data[at + 1 :]


_BYTE_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip, _cut, _remove, _insert, _insert, _repeat, _line_ends, _mark, _number, _number,
)  # fmt: skip


def in_values(data: bytes, random: random.Random) -> bytes:
    """The text with a few values replaced, removed, repeated or renamed."""
    try:
        documents = [
            each for each in yaml.load_all(data, Loader=yaml.CSafeLoader) if each is not None
        ]
    except (yaml.YAMLError, ValueError, UnicodeDecodeError):
        return in_bytes(data, random)
    if not documents:
        return in_bytes(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _change(documents, random)
    if random.random() < 0.4:
        separator = "\n" if random.random() < 0.8 else ""
        texts = [
            json.dumps(each, default=str, indent=random.choice((None, 1))) for each in documents
        ]
        return _encoded(separator.join(texts))
    return _encoded("".join("---\n" + _dumped(each) for each in documents))


def _encoded(text: str) -> bytes:
    data = text.encode(errors="surrogatepass")
    for quoted in (f'"{_HUGE}"', f"'{_HUGE}'", _HUGE):
        data = data.replace(quoted.encode(), _DIGITS)
    return data


def _dumped(value: Any) -> str:
    try:
        return yaml.dump(value, Dumper=yaml.CSafeDumper, width=200)
    except (UnicodeError, ValueError, RecursionError):
        return json.dumps(value, default=str) + "\n"


def _paths(value: Any, path: Path = ()) -> list[Path]:
    found = [path] if path else []
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    if len(path) < 40:
        for key, each in entries:
            found += _paths(each, (*path, key))
    return found


def _change(documents: list[Any], random: random.Random) -> None:
    paths = _paths(documents)
    if not paths:
        return
    *above, last = path = random.choice(paths)
    holder = _at(documents, above)
    how = random.randrange(10)
    if how < 5:
        holder[last] = _values(random)
    elif how == 5:
        del holder[last]
    elif how == 6 and isinstance(holder, dict):
        names = ("", "x", str(last).upper(), "kind", "metadata")
        holder[random.choice(names)] = holder.pop(last)
    elif how == 7 and isinstance(holder, list):
        holder.insert(0, copy.deepcopy(holder[last]))
    elif how == 8:
        other = random.choice(paths)
        value = _at(documents, other)
        # The same value twice is an alias in YAML; none may contain itself.
        is_copied = random.random() < 0.5 or path[: len(other)] == other
        if len(_paths(value)) < 200:
            holder[last] = copy.deepcopy(value) if is_copied else value
    else:
        holder[last] = _text(str(holder[last])[:2000], random)


def _at(value: Any, path: Sequence[Any]) -> Any:
    for key in path:
        value = value[key]
    return value


def _text(text: str, random: random.Random) -> str:
    longer = (f"{text}\x1b[0m", (text * 300)[:50_000], f" {text} ", f"{text}\n")
    return random.choice((*longer, text[: len(text) // 2], text))
