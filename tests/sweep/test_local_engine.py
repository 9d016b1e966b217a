from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import KubestageError
from kubestage.sweep.engines import crashes, draining, local
from kubestage.sweep.engines.local import InProcessPool, LocalEngine, ProcessPool
from tests import deadlines
from tests.sweep import works

if TYPE_CHECKING:
    from kubestage.sweep.engines.engine import Work
    from kubestage.sweep.rows import Row


def _rows(work: Work, number: int, jobs: int) -> list[Row]:
    with LocalEngine(jobs).open(work) as pool:
        return sorted(draining.rows(pool, works.tasks(number)), key=lambda row: row.index)


def test_one_job_runs_in_this_process_and_two_do_not() -> None:
    assert isinstance(LocalEngine(1).open(works.Doubling()), InProcessPool)
    with LocalEngine(2).open(works.Doubling()) as pool:
        assert isinstance(pool, ProcessPool)
        assert pool.slots == 4


def test_rows_are_the_same_with_any_number_of_processes(capfd: pytest.CaptureFixture[str]) -> None:
    alone = _rows(works.Doubling(), 20, 1)
    assert [row.measures["twice"] for row in alone] == [2 * at for at in range(20)]
    capfd.readouterr()
    assert _rows(works.Doubling(), 20, 3) == alone
    # What a worker prints does not get into the output.
    assert capfd.readouterr().out == ""


def test_tasks_are_taken_only_when_there_is_a_slot() -> None:
    taken: list[int] = []

    def counted() -> object:
        for task in works.tasks(30):
            taken.append(task.index)
            yield task

    done = 0
    with LocalEngine(2).open(works.Doubling()) as pool:
        for _ in draining.rows(pool, counted()):  # type: ignore[arg-type]
            done += 1
            assert len(taken) - done <= pool.slots
    assert done == 30


def test_a_worker_that_dies_is_replaced_and_nothing_is_lost(tmp_path: pathlib.Path) -> None:
    work = works.Dying(tmp_path, {1: 1, 4: 2})
    found = _rows(work, 8, 2)
    assert [row.measures for row in found] == [{"n": at} for at in range(8)]
    assert not any(row.error for row in found)


def test_a_task_that_no_worker_survives_is_a_row_and_the_others_go_on(
    tmp_path: pathlib.Path,
) -> None:
    found = _rows(works.Dying(tmp_path, {2: 99}), 6, 2)
    assert [row.index for row in found] == list(range(6))
    assert found[2].error == f"{crashes.CRASHED} 3 times: SIGKILL"
    assert found[2].parameters == {"x": 2}
    assert len((tmp_path / "2").read_bytes()) == crashes.ATTEMPTS
    assert not any(row.error for row in found if row.index != 2)


def test_work_that_cannot_be_loaded_is_an_error() -> None:
    with pytest.raises(KubestageError, match="broken inputs"):
        _rows(works.Unloadable(), 2, 2)


def test_workers_that_do_not_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_PROGRAM", "raise SystemExit(3)  # {}")
    with pytest.raises(KubestageError, match="do not start: exit code 3"):
        _rows(works.Doubling(), 2, 2)


def test_workers_end_with_the_pool() -> None:
    with LocalEngine(2).open(works.Waiting(600)) as pool:
        assert isinstance(pool, ProcessPool)
        for task in works.tasks(4):
            pool.submit(task)
        numbers = [worker.process_id for worker in pool.workers]
    assert not any(_is_alive(each) for each in numbers)


def test_workers_end_when_their_driver_is_killed(tmp_path: pathlib.Path) -> None:
    program = (
        "from kubestage.sweep.engines.local import LocalEngine\n"
        "from tests.sweep import works\n"
        "pool = LocalEngine(2).open(works.Waiting(600))\n"
        "[pool.submit(task) for task in works.tasks(4)]\n"
        "print(*(each.process_id for each in pool.workers), flush=True)\n"
        "pool.next()\n"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert driver.stdout is not None
    numbers = [int(each) for each in driver.stdout.readline().split()]
    assert len(numbers) == 2
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    deadlines.until(lambda: not any(_is_alive(each) for each in numbers))


def _is_alive(number: int) -> bool:
    try:
        state = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("code", "text"), [(1, "exit code 1"), (-9, "SIGKILL"), (-99, "signal 99")]
)
def test_why_a_process_ended(code: int, text: str) -> None:
    assert crashes.reason(code) == text
