"""A person is told why a run waits, and only if it does."""

from __future__ import annotations

import subprocess
import sys
import types
from typing import TYPE_CHECKING, Any

from kubestage.cli import kernel_notice
from kubestage.scheduler.quick import kernels

if TYPE_CHECKING:
    import pathlib

    import pytest

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


def _module(folder: pathlib.Path) -> Any:
    stats = types.SimpleNamespace(cache_path=str(folder))
    return types.SimpleNamespace(place_all=types.SimpleNamespace(stats=stats))


def test_it_is_told_on_stderr_when_nothing_is_kept_yet(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "COMPILED", kernels.Compiled())
    kernel_notice.expect()
    assert kernels.COMPILED.on_load is not None
    kernels.COMPILED.on_load(_module(tmp_path))
    assert capsys.readouterr() == ("", f"{kernel_notice.NOTICE}\n")
    (tmp_path / "compiled.place_all-62.py311.nbi").touch()
    kernels.COMPILED.on_load(_module(tmp_path))
    assert capsys.readouterr() == ("", "")


def test_numba_keeps_the_kernels_under_the_name_that_is_looked_for() -> None:
    from kubestage.scheduler.quick import compiled

    kept: Any = compiled.place_all
    compiled.get_ready()
    assert kernel_notice.are_kept(kept)


def test_a_small_run_does_not_load_numba() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SMALL_RUN], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
