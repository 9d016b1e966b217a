"""A person is told why a run waits, and only if it does."""

from __future__ import annotations

import subprocess
import sys
import types
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import progress
from kubestage.runs import kernel_notice
from kubestage.scheduler.quick import kernels
from kubestage.traffic.fast import compiling

if TYPE_CHECKING:
    import pathlib

SMALL_RUN = """
import sys
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

stage = Stage()
scheduler = stage.add_scheduler()
stage.load([make_node(f"n{number}") for number in range(10)])
for number in range(200):
    stage.store.create(make_pod(f"p{number}", cpu="1m"))
assert scheduler.run_until_idle() == 200
print("numba" in sys.modules)
"""


def test_it_is_told_on_stderr_when_the_schedulers_are_not_kept_yet(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "COMPILED", kernels.Compiled())
    kernel_notice.expect(progress.OBSERVER)
    stats = types.SimpleNamespace(cache_path=str(tmp_path))
    kernel = types.SimpleNamespace(stats=stats, __name__="place_all")
    assert kernels.COMPILED.on_load is not None
    kernels.COMPILED.on_load(types.SimpleNamespace(place_all=kernel))
    assert capsys.readouterr() == ("", f"Note: {kernel_notice.SCHEDULER}\n")
    (tmp_path / "compiled.place_all-62.py311.nbi").touch()
    kernels.COMPILED.on_load(types.SimpleNamespace(place_all=kernel))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("is_cached", [True, False])
def test_it_is_told_on_stderr_when_those_of_requests_are_not_kept_yet(
    is_cached: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "COMPILED", compiling.Compiled())
    kernel_notice.expect(progress.OBSERVER)
    assert compiling.COMPILED.on_load is not None
    compiling.COMPILED.on_load(types.SimpleNamespace(is_cached=lambda: is_cached))
    told = "" if is_cached else f"Note: {kernel_notice.REQUESTS}\n"
    assert capsys.readouterr() == ("", told)


def test_numba_keeps_the_kernels_under_the_names_that_are_looked_for() -> None:
    from kubestage.scheduler.quick import compiled as scheduler
    from kubestage.scheduler.quick.compiling import is_cached
    from kubestage.traffic.fast import compiled as requests

    scheduler.get_ready()
    requests.get_ready()
    assert is_cached(scheduler.place_all)
    assert requests.is_cached()


def test_a_small_run_does_not_load_numba() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SMALL_RUN], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
