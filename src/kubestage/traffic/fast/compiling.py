"""When the kernel is compiled: once there is enough work for that to pay, if Numba is there."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

from kubestage.traffic.fast import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPILED: Final = "kubestage.traffic.fast.compiled"
_PAYS_AFTER: Final = 30_000
_COMPILING_PAYS_AFTER: Final = 500_000


def at_once(work: Callable[[], object]) -> object:
    """Do it now."""
    return work()


class Compiled:
    """The compiled kernel, loaded when that pays; one for all.

    It does when so many requests were worked through without, or are at hand; more if it is not
    on disk yet. `on_load` is called with the module before it is compiled. `run` has it loaded: at
    once, unless a caller that cannot wait replaces it.

    NOTE: to load it takes half a second, and to compile it, once on a machine, seven. A request
    takes 10 us without it and 0.3 us with it, of which a third is the kernel's
    (benchmarks/traffic.py).
    """

    def __init__(
        self, pays_after: int = _PAYS_AFTER, compiling_pays_after: int = _COMPILING_PAYS_AFTER
    ) -> None:
        self._left = pays_after
        self._more = compiling_pays_after - pays_after
        self._is_requested = False
        self._is_tried = False
        self._loading: Any = None
        self._module: Any = None
        self.on_load: Callable[[Any], None] | None = None
        self.run: Callable[[Callable[[], object]], object] = at_once

    def get(self, requests: int) -> Any:
        """The kernel for so many more requests: the compiled one as soon as it pays."""
        if self._module is None and not self._is_tried:
            self._left -= requests
            if self._left < 0 and not self._is_requested:
                self._is_requested = True
                self.run(self._weigh)
        return self._module or kernel

    def get_now(self) -> Any:
        """The compiled kernel if there can be one."""
        self.load()
        return self._module or kernel

    def load(self) -> bool:
        """Have the compiled kernel at hand from now on; whether there is one on this machine."""
        if not self._is_tried and self._is_possible():
            if self.on_load is not None:
                self.on_load(self._loading)
            self._loading.get_ready()
            self._module = self._loading
        self._is_tried = True
        return self._module is not None

    def load_soon(self) -> None:
        """Load it at once if it is on disk; compile it as `run` does if not."""
        if self._is_tried or self._is_requested:
            return
        self._is_requested = True
        if self._is_possible() and not self._loading.is_cached():
            self.run(self.load)
        else:
            self.load()

    def _weigh(self) -> None:
        """Load the kernel, unless it had to be compiled and there is too little work for that."""
        if self._more > 0 and self._is_possible() and not self._loading.is_cached():
            self._left += self._more
            self._more = 0
            if self._left >= 0:
                self._is_requested = False
                return
        self.load()

    def _is_possible(self) -> bool:
        if self._loading is None and importlib.util.find_spec("numba") is not None:
            self._loading = importlib.import_module(_COMPILED)
        return self._loading is not None


COMPILED: Final = Compiled()
