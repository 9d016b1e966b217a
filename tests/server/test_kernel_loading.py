from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kubestage.scheduler.quick import kernels
from kubestage.server import kernel_loading
from kubestage.traffic.fast import compiling

if TYPE_CHECKING:
    import pytest


def test_kernels_are_loaded_by_another_thread_and_are_none_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = kernels.Compiled(pays_after=10)
    monkeypatch.setattr(kernels, "COMPILED", compiled)
    may_load, done, threads = threading.Event(), threading.Event(), list[str]()

    def load() -> bool:
        may_load.wait(60)
        threads.append(threading.current_thread().name)
        done.set()
        return False

    monkeypatch.setattr(compiled, "load", load)
    kernel_loading.load_in_thread()
    try:
        assert compiled.get(20) is None
        assert compiled.get(20) is None
        assert not threads
        may_load.set()
        assert done.wait(60)
        assert threads == ["kernels"]
    finally:
        kernel_loading.load_inline()
    assert compiling.COMPILED.run is compiling.at_once
