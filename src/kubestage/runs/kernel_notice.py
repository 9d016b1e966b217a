"""Notes why the first large run on a machine begins with a wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler.quick import kernels
from kubestage.traffic.fast import compiling

if TYPE_CHECKING:
    from kubestage.runs.observer import Observer

NOTICE: Final = "compiling the {} kernels, once on this machine; about ten seconds"
SCHEDULER: Final = NOTICE.format("scheduler's")
REQUESTS: Final = NOTICE.format("requests'")


def expect(observer: Observer) -> None:
    """Note it when kernels are compiled."""
    kernels.COMPILED.on_load = _SchedulerNotice(observer)
    compiling.COMPILED.on_load = _RequestsNotice(observer)


class _SchedulerNotice:
    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def __call__(self, module: Any) -> None:
        from kubestage.scheduler.quick.compiling import is_cached

        if not is_cached(module.place_all):
            self._observer.note(SCHEDULER)


class _RequestsNotice:
    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def __call__(self, module: Any) -> None:
        if not module.is_cached():
            self._observer.note(REQUESTS)
