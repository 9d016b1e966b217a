"""Ray is really started: one small cluster for all tests here, and ended by them."""

from __future__ import annotations

import contextlib
import os
import pathlib
from typing import TYPE_CHECKING

import pytest
import ray

from kubestage.errors import InputError
from kubestage.sweep import sweep
from kubestage.sweep.engines import crashes, draining
from kubestage.sweep.engines.ray_engine import RayEngine
from tests.runs.replaying import recordings
from tests.sweep import inputs, works

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTENING = "0A"
LOOPBACK = {
    "0100007F",
    "0000000000000000FFFF00000100007F",
    "00000000000000000000000001000000",
}


@pytest.fixture(scope="module")
def engine() -> Iterator[RayEngine]:
    """A cluster that stays between tests: the engine uses one that is there already."""
    engine = RayEngine(jobs=2)
    engine.connect()
    yield engine
    ray.shutdown()


def test_a_cluster_listens_on_the_loopback_interface_only(engine: RayEngine) -> None:
    with engine.open(works.Doubling()) as pool:
        assert len(list(draining.rows(pool, works.tasks(3)))) == 3
        listening = _listening(_descendants(os.getpid()))
    assert listening
    assert listening <= LOOPBACK


def _descendants(number: int) -> set[int]:
    found: set[int] = set()
    todo = [number]
    while todo:
        for thread in pathlib.Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                todo += map(int, thread.read_text().split())
                found |= set(todo)
    return found


def _listening(processes: set[int]) -> set[str]:
    """The addresses at which processes listen, as the kernel writes them."""
    sockets: set[str] = set()
    for number in processes:
        for place in pathlib.Path(f"/proc/{number}/fd").glob("*"):
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(place))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].partition(":")[0])
    return found


def test_rows_are_those_of_one_process(engine: RayEngine) -> None:
    with engine.open(works.Doubling()) as pool:
        found = sorted(draining.rows(pool, works.tasks(30)), key=lambda row: row.index)
    alone = works.Doubling()
    assert found == [alone(task) for task in works.tasks(30)]


def test_a_task_whose_worker_dies_is_tried_again(engine: RayEngine, tmp_path: pathlib.Path) -> None:
    with engine.open(works.Dying(tmp_path, {1: 1, 3: 99})) as pool:
        found = sorted(draining.rows(pool, works.tasks(5)), key=lambda row: row.index)
    assert [row.index for row in found] == list(range(5))
    assert found[3].error is not None
    assert found[3].error.startswith(crashes.CRASHED)
    assert len((tmp_path / "3").read_bytes()) == crashes.ATTEMPTS
    assert not any(row.error for row in found if row.index != 3)


def test_a_sweep_gives_the_bytes_of_one_process(engine: RayEngine, tmp_path: pathlib.Path) -> None:
    folder = inputs.cluster(tmp_path)
    words, axes = ["run", folder, "--tie-break", "random"], {inputs.CPU: "1,2,5"}
    alone = sweep(words, axes, seeds="1..4", out=tmp_path / "one", jobs=1)
    on_ray = sweep(words, axes, seeds="1..4", out=tmp_path / "ray", engine="ray", jobs=2)
    assert alone == on_ray
    for name in ("sweep.sqlite", "results.parquet", "sweep.yaml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes()
    # It was there before, so it is there still.
    assert ray.is_initialized()


def test_a_recording_is_replayed_as_in_one_process(
    engine: RayEngine, tmp_path: pathlib.Path
) -> None:
    del engine
    words = ["replay", recordings.make(tmp_path / "rec"), "--to", "2026-03-01T08:06:00Z"]
    axes = {"scale": "deployment/web=3,deployment/web=9"}
    alone = sweep(words, axes, seeds="1..2", out=tmp_path / "one", jobs=1)
    on_ray = sweep(words, axes, seeds="1..2", out=tmp_path / "ray", engine="ray", jobs=2)
    assert not alone.errors
    assert alone == on_ray
    for name in ("sweep.sqlite", "results.parquet", "sweep.yaml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes()


def test_an_address_is_for_ray() -> None:
    with pytest.raises(InputError, match="is for Ray"):
        sweep(["run", "x"], address="10.0.0.1:6379")
