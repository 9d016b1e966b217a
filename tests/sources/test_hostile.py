"""Mutated sources: an import, or an error that names the file; never anything else."""

from __future__ import annotations

import copy
import json
import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.sources import folder, reading
from kubestage.sources.anonymising import anonymiser
from tests.sources import samples
from tests.sources.test_anonymising import _set
from tests.sources.test_formats import _shark, _simkube

if TYPE_CHECKING:
    import pathlib

_ODD: tuple[Any, ...] = (None, "", "x", 7, -1, True, [], {}, [None], {"a": None}, "../..", [[1]])
_LOG = [
    samples.audit("create", "pods", "a", 1, response=samples.pod("a"), code=201),
    samples.audit("patch", "pods", "a", 2, request={"spec": {"x": 1}}, level="Request"),
    samples.audit("update", "deployments", "web", 3, group="apps", sub="scale",
                  request={"spec": {"replicas": 2}}),
    samples.audit("deletecollection", "pods", "", 4, response={"items": [samples.pod("a")]}),
]  # fmt: skip
_KSS = [
    {"time": "2026-03-01T10:00:00Z", "event": "Add", "resource": samples.pod()},
    {"time": "2026-03-01T10:00:01Z", "event": "Delete", "resource": samples.pod()},
]
_KWOK = [
    samples.pod(),
    {"apiVersion": "action.kwok.x-k8s.io/v1alpha1", "kind": "ResourcePatch",
     "resource": {"version": "v1", "resource": "pods"}, "method": "patch",
     "target": {"name": "web-1", "namespace": "shop"}, "durationNanosecond": 5,
     "template": {"spec": {"containers": [{"name": "web", "image": "b"}]}}},
]  # fmt: skip
_REPLAY = {
    "cluster": "c",
    "captured": "2026-03-01T11:00:00Z",
    "events": [
        {"type": "create", "kind": "Deployment", "key": "shop/web",
         "deployment": samples.deployment(), "timestamp": "2026-03-01T10:00:00Z"},
        {"type": "scale", "kind": "Deployment", "key": "shop/web", "replicas": 7,
         "timestamp": "2026-03-01T10:01:00Z"},
    ],
}  # fmt: skip
SOURCES: dict[str, Any] = {
    "dump.json": {"apiVersion": "v1", "kind": "List", "items": _set()},
    "trace.json": _simkube(),
    "replay.json": _REPLAY,
    "audit.jsonl": _LOG,
    "kss.jsonl": _KSS,
    "kwok.jsonl": _KWOK,
    "shark.jsonl": [_shark("/api/v1/pods", 0, samples.listed(samples.pod())),
                    _shark("/api/v1/pods", 1, samples.pod("b"), "ADDED")],
}  # fmt: skip


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, each in inner:
        found.append((*at, key))
        if isinstance(each, dict | list):
            found += _places(each, (*at, key))
    return found


def _mutated(value: Any, draw: random.Random) -> Any:
    changed = copy.deepcopy(value)
    for _ in range(draw.randint(1, 3)):
        places = _places(changed)
        if not places:
            break
        *way, last = draw.choice(places)
        holder = changed
        for key in way:
            holder = holder[key]
        if draw.random() < 0.3:
            del holder[last]
        else:
            holder[last] = draw.choice(_ODD)
    return changed


def _written(name: str, value: Any) -> bytes:
    return samples.lines(*value) if name.endswith("jsonl") else json.dumps(value).encode()


def _tried(place: pathlib.Path, out: pathlib.Path) -> bool:
    """Whether an import was possible; an InputError says why not."""
    try:
        found = reading.read([str(place)])
    except InputError as error:
        if error.file is None:
            raise
        return False
    hidden = anonymiser.anonymise(found, b"key")
    for kind, each in (("plain", found), ("hidden", hidden)):
        folder.write(each, str(out / kind))
    return True


@pytest.mark.parametrize("name", SOURCES)
def test_values_of_another_shape(name: str, tmp_path: pathlib.Path) -> None:
    draw = random.Random(name)
    done = 0
    for number in range(60):
        place = tmp_path / f"{number}-{name}"
        place.write_bytes(_written(name, _mutated(SOURCES[name], draw)))
        done += _tried(place, tmp_path / str(number))
    assert done > 10


@pytest.mark.parametrize("name", SOURCES)
def test_bytes_that_are_cut_or_changed(name: str, tmp_path: pathlib.Path) -> None:
    draw = random.Random(name)
    sound = _written(name, SOURCES[name])
    for number in range(60):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        place = tmp_path / f"{number}-{name}"
        place.write_bytes(bytes(data[: draw.randrange(len(data))] if number % 2 else data))
        _tried(place, tmp_path / str(number))


def test_a_packed_trace_that_is_damaged(tmp_path: pathlib.Path) -> None:
    draw = random.Random(3)
    sound = msgspec.msgpack.encode(_simkube())
    for number in range(60):
        data = bytearray(sound)
        data[draw.randrange(12, len(data))] = draw.randrange(256)
        (tmp_path / str(number)).write_bytes(bytes(data))
        _tried(tmp_path / str(number), tmp_path / f"out-{number}")
