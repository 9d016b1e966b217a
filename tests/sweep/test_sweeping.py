"""The same sweep gives the same bytes, also after an interrupt or a kill."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep import results, store, sweep, sweep_file
from tests import deadlines
from tests.sweep import inputs

if TYPE_CHECKING:
    from kubestage.sweep.rows import Table

FILES = ("sweep.sqlite", "results.parquet", "sweep.yaml")
SEEDS = "1..4"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> str:
    return inputs.cluster(tmp_path)


def _bytes(place: pathlib.Path) -> dict[str, bytes]:
    return {name: (place / name).read_bytes() for name in FILES}


def _words(folder: str) -> list[str]:
    return ["run", folder, "--tie-break", "random"]


def _sweep(
    folder: str, out: pathlib.Path | None = None, jobs: int = 1, *, resume: bool = False
) -> Table:
    axes = {inputs.CPU: "1,2,5", "config:percentageOfNodesToScore": "0,50"}
    return sweep(_words(folder), axes, seeds=SEEDS, out=out, jobs=jobs, resume=resume)


def test_one_process_and_four_give_the_same_bytes(folder: str, tmp_path: pathlib.Path) -> None:
    alone = _sweep(folder, tmp_path / "one")
    several = _sweep(folder, tmp_path / "four", jobs=4)
    assert alone == several
    assert len(alone.rows) == 24
    assert _bytes(tmp_path / "one") == _bytes(tmp_path / "four")
    assert results.open(tmp_path / "one") == alone
    assert sorted(each.name for each in (tmp_path / "one").iterdir()) == sorted(FILES)


def test_the_directory_has_all_that_is_needed_to_repeat_it(
    folder: str, tmp_path: pathlib.Path
) -> None:
    table = _sweep(folder, tmp_path / "a")
    definition = sweep_file.read(str(tmp_path / "a" / sweep_file.NAME))
    again = sweep(
        definition.words(),
        definition.vary,  # type: ignore[arg-type]
        seeds=definition.seeds,
        jobs=1,
    )
    assert again == table


def test_a_sweep_into_the_same_directory_gives_the_same_bytes(
    folder: str, tmp_path: pathlib.Path
) -> None:
    _sweep(folder, tmp_path / "a")
    before = _bytes(tmp_path / "a")
    _sweep(folder, tmp_path / "a")
    assert _bytes(tmp_path / "a") == before


def test_an_unfinished_sweep_is_not_overwritten(folder: str, tmp_path: pathlib.Path) -> None:
    _leave_unfinished(tmp_path / "a")
    with pytest.raises(InputError, match="not complete") as raised:
        _sweep(folder, tmp_path / "a")
    assert raised.value.fix is not None
    assert "--resume" in raised.value.fix
    assert len(_sweep(folder, tmp_path / "a", resume=True).rows) == 24


def test_what_is_there_is_not_harmed(folder: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match=r"other files, such as mine\.txt"):
        _sweep(folder, tmp_path / "a")
    with pytest.raises(InputError, match="no sweep to resume"):
        _sweep(folder, tmp_path / "b", resume=True)
    with pytest.raises(InputError, match="nothing says what to resume"):
        _sweep(folder, resume=True)


def _leave_unfinished(place: pathlib.Path) -> None:
    place.mkdir()
    unfinished = store.RowStore(place / store.FILE)
    unfinished.start({"axes": "[]"})
    unfinished.close()


def test_until_adds_seeds(folder: str, tmp_path: pathlib.Path) -> None:
    sizes: list[int] = []

    def until(table: Table) -> int:
        sizes.append(len(table.rows))
        return 2 if len(table.rows) < 6 else 0

    table = sweep(_words(folder), {}, seeds=[3, 4], until=until, jobs=1, out=tmp_path / "a")
    assert sizes == [2, 4, 6]
    assert [row.seed for row in table.rows] == [3, 4, 5, 6, 7, 8]
    assert results.open(tmp_path / "a") == table


def test_how_many_seeds_begin_with_that_of_the_command(folder: str) -> None:
    table = sweep(["run", folder, "--seed", "7"], seeds=3, jobs=1)
    assert [row.seed for row in table.rows] == [7, 8, 9]
    assert [row.seed for row in sweep(["run", folder, "--seed", "7"], jobs=1).rows] == [7]


def test_draws_need_a_number(folder: str) -> None:
    with pytest.raises(InputError, match="is missing"):
        sweep(_words(folder), {inputs.CPU: "uniform(1,5)"})
    table = sweep(_words(folder), {inputs.CPU: "uniform(1,5)"}, design="lhs", samples=5, jobs=1)
    assert sorted(str(row.parameters[inputs.CPU]) for row in table.rows) == [
        "1",
        "2",
        "3",
        "4",
        "5",
    ]


@pytest.mark.parametrize("killed", ["driver", "worker", "both"])
def test_a_sweep_is_completed_after_kill_9(
    killed: str, folder: str, tmp_path: pathlib.Path
) -> None:
    _sweep(folder, tmp_path / "whole")
    place = tmp_path / "killed"
    driver = _started(folder, place)
    deadlines.until(lambda: _rows_in(place) > 0)
    if killed != "driver":
        os.kill(_workers(driver.pid)[0], signal.SIGKILL)
    if killed != "worker":
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        assert not results.is_complete(place)
        kept = _rows_in(place)
        assert 0 < kept < 24
        done = _completed(place)
        assert done.returncode == 0, done.stderr
    else:
        assert driver.wait() == 0, driver.communicate()
        driver.communicate()
    assert _bytes(place) == _bytes(tmp_path / "whole")


def test_ctrl_c_leaves_a_sweep_that_resume_completes(folder: str, tmp_path: pathlib.Path) -> None:
    _sweep(folder, tmp_path / "whole")
    place = tmp_path / "interrupted"
    driver = _started(folder, place)
    deadlines.until(lambda: _rows_in(place) > 0)
    workers = _workers(driver.pid)
    driver.send_signal(signal.SIGINT)
    _, errors = driver.communicate()
    assert driver.returncode == 130
    assert "runs are done and kept" in errors
    assert f"kubestage sweep --resume --out {place}" in errors
    assert not any(pathlib.Path(f"/proc/{each}").exists() for each in workers)
    assert _completed(place).returncode == 0
    assert _bytes(place) == _bytes(tmp_path / "whole")


def _started(folder: str, place: pathlib.Path) -> subprocess.Popen[str]:
    """A sweep in another process."""
    words = ["sweep", *_words(folder), "--vary", f"{inputs.CPU}=1,2,5"]
    words += ["--vary", "config:percentageOfNodesToScore=0,50", "--seeds", SEEDS]
    return subprocess.Popen(
        [sys.executable, "-m", "kubestage", *words, "--out", str(place), "-j", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _completed(place: pathlib.Path) -> subprocess.CompletedProcess[str]:
    words = ["sweep", "--resume", "--out", str(place), "-j", "2"]
    return subprocess.run(
        [sys.executable, "-m", "kubestage", *words], capture_output=True, text=True, check=False
    )


def _rows_in(place: pathlib.Path) -> int:
    try:
        return len(results.open(place).rows)
    except InputError:
        return 0


def _workers(driver: int) -> list[int]:
    found = pathlib.Path(f"/proc/{driver}/task/{driver}/children").read_text()
    return [int(each) for each in found.split()]
