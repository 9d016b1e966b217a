"""Recorded usage: written in segments, and read as far as it goes."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sources import usage
from kubestage.sources.usage import UsageSample, UsageWriter

if TYPE_CHECKING:
    import pathlib

SECOND = 10**9


def _sample(at: int, pod: str = "web-1", cpu: int = 1_500_000, memory: int = 2048) -> UsageSample:
    return UsageSample(
        at_ns=at * SECOND, namespace="shop", pod=pod, container="web", cpu_nanocores=cpu,
        memory_bytes=memory, window_ns=30 * SECOND,
    )  # fmt: skip


def test_what_is_written_is_read(tmp_path: pathlib.Path) -> None:
    node = UsageSample(at_ns=20 * SECOND, node="a", cpu_nanocores=3 * 10**9, memory_bytes=4096)
    written = [_sample(10), _sample(10, "web-2"), node, _sample(25)]
    assert not usage.is_recorded(tmp_path)
    writer = UsageWriter(tmp_path, usage.METRICS_API)
    writer.add(written[:3])
    writer.flush()
    # While it grows.
    assert list(usage.read(tmp_path)) == written[:3]
    writer.add(written[3:])
    writer.close()
    assert list(usage.read(tmp_path)) == written
    assert usage.is_recorded(tmp_path)
    assert writer.samples == 4


def test_names_are_written_once(tmp_path: pathlib.Path) -> None:
    writer = UsageWriter(tmp_path, usage.METRICS_API)
    for at in range(5):
        writer.add([_sample(at)])
    writer.close()
    (path,) = (tmp_path / "recording").iterdir()
    text = gzip.decompress(path.read_bytes()).decode()
    assert text.count("web-1") == 1
    first, *_, last = text.splitlines()
    assert json.loads(first) == {
        "format": "kubestage.dev/usage/v1", "segment": 1, "source": "metrics.k8s.io",
    }  # fmt: skip
    assert json.loads(last) == {"at": "1970-01-01T00:00:04Z", "window": 30.0, "used": [0, 1500, 2]}


def test_amounts_are_rounded_up(tmp_path: pathlib.Path) -> None:
    writer = UsageWriter(tmp_path, usage.METRICS_API)
    writer.add([_sample(1, cpu=1_000_001, memory=1025), _sample(2, cpu=0, memory=0)])
    writer.close()
    first, second = usage.read(tmp_path)
    assert (first.cpu_nanocores, first.memory_bytes) == (1_001_000, 2048)
    assert (second.cpu_nanocores, second.memory_bytes) == (0, 0)


def test_a_large_segment_is_followed_by_another(tmp_path: pathlib.Path) -> None:
    writer = UsageWriter(tmp_path, usage.METRICS_API, most_bytes=1)
    for at in range(3):
        writer.add([_sample(at)])
        writer.flush()
    assert sorted(each.name for each in (tmp_path / "recording").iterdir()) == [
        f"usage-{number:06d}.jsonl.gz" for number in (1, 2, 3)
    ]
    assert list(usage.read(tmp_path)) == [_sample(at) for at in range(3)]


def test_a_cut_end_loses_the_last_line_alone(tmp_path: pathlib.Path) -> None:
    writer = UsageWriter(tmp_path, usage.METRICS_API)
    for at in range(50):
        writer.add([_sample(at, cpu=at * 1_000)])
        writer.flush()
    (path,) = (tmp_path / "recording").iterdir()
    data = path.read_bytes()
    writer.close()
    for cut in range(1, 60):
        path.write_bytes(data[:-cut])
        found = list(usage.read(tmp_path))
        assert found == [_sample(at, cpu=at * 1_000) for at in range(len(found))]
        assert 45 <= len(found) <= 50
    path.write_bytes(b"")
    assert list(usage.read(tmp_path)) == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"format":"kubestage.dev/usage/v9","segment":1,"source":"x"}'], "v9"),
        (["no json"], "malformed"),
        (['{"at":"2026-01-01T00:00:00Z","used":[7,1,1]}'], "series 7 has no names"),
        (['{"series":0,"pod":"a"}', '{"at":"2026-01-01T00:00:00Z","used":[0,1]}'], "shorter"),
        (['{"series":0,"pod":"a"}', '{"at":"yesterday","used":[0,1,1]}'], "yesterday"),
    ],
)
def test_a_broken_line_is_named(tmp_path: pathlib.Path, lines: list[str], said: str) -> None:
    header = '{"format":"kubestage.dev/usage/v1","segment":1,"source":"x"}'
    written = lines if "format" in lines[0] else [header, *lines]
    (tmp_path / "recording").mkdir()
    path = tmp_path / "recording" / "usage-000001.jsonl.gz"
    path.write_bytes(gzip.compress("".join(f"{each}\n" for each in written).encode()))
    with pytest.raises(InputError, match=said) as caught:
        list(usage.read(tmp_path))
    assert caught.value.file == str(path)
    assert caught.value.line == len(written)


def test_a_damaged_file_is_named(tmp_path: pathlib.Path) -> None:
    writer = UsageWriter(tmp_path, usage.METRICS_API)
    writer.add([_sample(1)])
    writer.close()
    (path,) = (tmp_path / "recording").iterdir()
    path.write_bytes(path.read_bytes()[:10] + b"\xff" * 40)
    with pytest.raises(InputError, match="is damaged"):
        list(usage.read(tmp_path))
