"""Bodies, changed in their structure, their bytes or their form."""

from __future__ import annotations

import copy
import json
import struct
from typing import TYPE_CHECKING, Any

import yaml

from kubestage.errors import KubestageError
from tests.server.fuzz import values
from tests.server.protobuf import encoding

if TYPE_CHECKING:
    import random

PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
FORMS = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf", *PATCHES)
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(12)
)
YAMLS = (
    BOMB,
    b"a: &a\n  b: *a\n",
    b"&a [*a]",
    b"<<: {a: b}\nmetadata: {name: x}",
    b"--- a\n--- b\n",
    b"!!python/object/apply:os.getpid []",
    b"? [a]\n: b",
    b"{{ x }}: {}",
    b"\t- a",
    b"a: 0o17\nb: 1_000\nc: 2026-01-01\nd: .inf\ne: .nan\nf: 0x1p3\n1: 2\nnull: 3",
    b"%YAML 9.9\n---\na",
    b"\xff\xfe\x00a",
    b"- " * 3000 + b"a",
    b"{a: " * 3000,
    b"!!binary YQ",
    b"!!set {a, b}",
    b"a: |\n" + b" x\n" * 5,
)


def mutated(body: bytes, rng: random.Random, pool: Pool) -> tuple[bytes, str]:
    """Another body, and the form that it is in; none if that stays as it was."""
    chance = rng.random()
    if chance < 0.08:
        return values.altered_bytes(body, rng), ""
    if chance < 0.10:
        return rng.choice((b"", b"null", b"[]", b'""', b"0", b"{}", b"\xff", rng.randbytes(40))), ""
    if chance < 0.12:
        return rng.choice(YAMLS), rng.choice(("application/yaml", PATCHES[3]))
    value = read(body)
    if value is None:
        return values.altered_bytes(body, rng), ""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        value = change(value, rng, pool)
    if chance < 0.20:
        return json_patch(value, rng), PATCHES[0]
    if chance < 0.26:
        packed = protobuf(value)
        if packed is not None:
            form = "application/vnd.kubernetes.protobuf"
            return (values.altered_bytes(packed, rng) if rng.random() < 0.7 else packed), form
    if chance < 0.30:
        return in_yaml(value), "application/yaml"
    return values.written(value, rng), rng.choice(FORMS) if chance < 0.45 else ""


def read(body: bytes) -> Any:
    """What JSON says; None if it says nothing."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def protobuf(value: Any) -> bytes | None:
    """An object as protobuf, if it has such a form."""
    try:
        return encoding.envelope(value)
    except (LookupError, AssertionError, AttributeError, TypeError, ValueError):
        return None
    except (ArithmeticError, RecursionError, KubestageError, struct.error):
        return None


def in_yaml(value: Any) -> bytes:
    """A value as YAML."""
    try:
        return yaml.dump(value, Dumper=yaml.CSafeDumper).encode("utf-8", "surrogatepass")
    except (RecursionError, UnicodeEncodeError):
        return b"- " * 600


class Pool:
    """What the recording holds by field name: another object's value where this one's was."""

    def __init__(self, bodies: list[Any]) -> None:
        self._by_name: dict[str, list[Any]] = {}
        for body in bodies:
            self._add(body)
        self.names = sorted(self._by_name)

    def _add(self, value: Any) -> None:
        if isinstance(value, dict):
            for name, item in value.items():
                found = self._by_name.setdefault(name, [])
                if len(found) < 40:
                    found.append(item)
                self._add(item)
        elif isinstance(value, list):
            for item in value:
                self._add(item)

    def value(self, name: str, rng: random.Random) -> Any:
        """Something that was found under a name."""
        return copy.deepcopy(rng.choice(self._by_name.get(name) or [None]))


def change(value: Any, rng: random.Random, pool: Pool) -> Any:
    """A value in which one place is another."""
    path = _somewhere(value, rng)
    return _changed(value, path, rng, pool)


def _somewhere(value: Any, rng: random.Random) -> list[Any]:
    path: list[Any] = []
    while isinstance(value, dict | list) and value and (not path or rng.random() < 0.85):
        key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        path.append(key)
        value = value[key]
    return path


def _changed(value: Any, path: list[Any], rng: random.Random, pool: Pool) -> Any:
    if len(path) > 1:
        made = copy.copy(value)
        made[path[0]] = _changed(value[path[0]], path[1:], rng, pool)
        return made
    if not path:
        return values.any_value(rng)
    if isinstance(value, list):
        return _changed_list(value, path[0], rng)
    return _changed_object(value, path[0], rng, pool)


def _changed_list(items: list[Any], at: int, rng: random.Random) -> Any:
    made = list(items)
    match rng.randrange(6):
        case 0:
            del made[at]
        case 1:
            made.append(made[at])
        case 2:
            made = made * rng.choice((2, 30))
        case 3:
            made[at] = values.any_value(rng)
        case 4:
            return {"0": made[at]}
        case _:
            made.insert(at, values.any_value(rng))
    return made


def _changed_object(obj: dict[str, Any], key: str, rng: random.Random, pool: Pool) -> Any:
    made = dict(obj)
    match rng.randrange(9):
        case 0:
            del made[key]
        case 1:
            made[rng.choice((*values.STRINGS, key.upper(), key + " "))] = made.pop(key)
        case 2:
            name = rng.choice(pool.names)
            made[name] = pool.value(name, rng)
        case 3:
            made[key] = pool.value(rng.choice(pool.names), rng)
        case 4:
            made[key] = pool.value(key, rng)
        case 5 if isinstance(made[key], str):
            made[key] = values.altered(made[key], rng)
        case 6:
            made[key] = [made[key]] if rng.random() < 0.5 else {"a": made[key]}
        case 7:
            made[rng.choice(pool.names)] = values.any_value(rng)
        case _:
            made[key] = values.any_value(rng)
    return made


def json_patch(value: Any, rng: random.Random) -> bytes:
    """Operations on what an object may hold, with pointers right and wrong."""
    made = []
    for _ in range(rng.choice((1, 1, 2, 5))):
        pointer = "".join(f"/{str(part).replace('/', '~1')}" for part in _somewhere(value, rng))
        if rng.random() < 0.4:
            odd = ("", "/", "//", "/-", "/~", "/~2", "a", "/0", "/-1", "/99999999999", "/metadata/")
            pointer += rng.choice((*odd, "/metadata/labels/-", "/spec/containers/00", "/\ud800"))
        operations = ("add", "remove", "replace", "move", "copy", "test")
        operation = {"op": rng.choice(operations), "path": pointer}
        operation["value"] = values.any_value(rng)
        operation["from"] = rng.choice(
            ("", "/", pointer, "/metadata", "/spec", "/a/b", "/metadata/labels")
        )
        if rng.random() < 0.2:
            operation[rng.choice(list(operation))] = values.any_value(rng)
        if rng.random() < 0.2:
            del operation[rng.choice(list(operation))]
        made.append(operation)
    return values.written(made if rng.random() < 0.9 else made[0], rng)
