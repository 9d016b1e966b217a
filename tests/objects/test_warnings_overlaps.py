"""Ports and files that overlap: the same warnings as by comparing all pairs, with far less work."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kubestage.objects.warnings import containers, file_overlaps, limits, volumes
from kubestage.objects.warnings.file_overlaps import File


class Counted(dict[str, Any]):
    """A dict that counts how often it is read."""

    reads = 0

    def get(self, key: str, default: Any = None) -> Any:
        Counted.reads += 1
        return super().get(key, default)


def _ports_by_pairs(ports: list[tuple[dict[str, Any], str]]) -> list[str]:
    found = []
    for index, (port, path) in enumerate(ports):
        mine = port.get("hostIP", ""), port.get("hostPort", 0)
        if mine[0] and not mine[1]:
            found.append("hostIP")
        for other, where in ports[:index]:
            theirs = other.get("hostIP", ""), other.get("hostPort", 0)
            if port["containerPort"] != other["containerPort"]:
                continue
            if mine == theirs:
                found.append(f"{path}: duplicate port definition with {where}")
            elif not mine[1] or not theirs[1]:
                found.append(f"{path}: overlapping port definition with {where}")
            elif mine[1] == theirs[1] and bool(mine[0]) != bool(theirs[0]):
                found.append(f"{path}: dangerously ambiguous port definition with {where}")
    return found


@pytest.mark.parametrize("seed", range(30))
def test_ports_overlap_as_by_comparing_all_pairs(seed: int) -> None:
    rng = random.Random(seed)
    ports = []
    for _ in range(rng.randrange(2, 25)):
        port: dict[str, Any] = {"containerPort": rng.choice((80, 81))}
        if rng.random() < 0.7:
            port["hostPort"] = rng.choice((1, 2, 3))
        if rng.random() < 0.5:
            port["hostIP"] = rng.choice(("10.0.0.1", "10.0.0.2"))
        ports.append(port)
    spec = {"containers": [{"name": "main", "ports": ports}]}
    found = containers.containers(spec, "spec")
    entries = [(port, f"spec.containers[0].ports[{index}]") for index, port in enumerate(ports)]
    shown = ["hostIP" if "without hostPort" in each else each for each in found]
    assert shown == _ports_by_pairs(entries)


def _files_by_pairs(files: list[File]) -> list[str]:
    found: list[str] = []
    seen: list[File] = []
    for each in files:
        file = File(each.path.rstrip("/"), each.source)
        for other in seen:
            inside = f"{file.path}/".startswith(f"{other.path}/")
            around = f"{other.path}/".startswith(f"{file.path}/")
            if file.path and other.path and (inside or around):
                found.append(f"{file} with {other}")
        seen.append(file)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("seed", range(60))
def test_files_overlap_as_by_comparing_all_pairs(seed: int) -> None:
    rng = random.Random(seed)
    paths = ("a", "a/b", "a/b/", "a/b/c", "ab", "a//b", "/a", "/", "", "b", "a-b/c", "a/c/d")
    files = [
        File(rng.choice(paths), rng.choice(("", "one", "two"))) for _ in range(rng.randrange(1, 30))
    ]
    assert file_overlaps.collisions(files) == _files_by_pairs(files)


def test_of_two_million_overlaps_only_the_first_are_collected() -> None:
    many = [{"name": f"c{number}", "ports": [{"containerPort": 80}]} for number in range(2000)]
    found = containers.containers({"containers": many}, "spec")
    assert len(found) == limits.MOST_RUNES
    start = "spec.containers[{}].ports[0]: duplicate port definition with spec.containers[{}]"
    assert found[0].startswith(start.format(1, 0))
    assert found[2].startswith(start.format(2, 1))


@pytest.mark.parametrize("claim", ["ports", "addresses"])
def test_ports_that_do_not_overlap_are_not_compared_with_each_other(claim: str) -> None:
    ports = [Counted(containerPort=80, hostPort=number + 1) for number in range(3000)]
    if claim == "addresses":
        for number, port in enumerate(ports):
            port |= {"hostPort": 1, "hostIP": f"10.0.{number // 250}.{number % 250}"}
    Counted.reads = 0
    assert containers.containers({"containers": [{"ports": ports}]}, "spec") == []
    assert Counted.reads < 20 * len(ports)


def test_many_files_are_not_compared_with_each_other() -> None:
    nested = [{"path": "/".join("x" * depth)} for depth in range(1, 400)]
    same = [{"path": "same"} for _ in range(20_000)]
    apart = [{"path": f"d{number}/f"} for number in range(20_000)]
    held = [{"name": "v", "configMap": {"name": "c", "items": [*same, *apart, *nested]}}]
    found = volumes.volumes(held, "spec.volumes")
    assert found[0].endswith('overlapping paths: "same" with "same"')
    assert found[1].endswith('overlapping paths: "x/x" with "x"')
    assert len(found) == limits.MOST_RUNES
