"""kubestage: a deterministic stand-in for a Kubernetes cluster, in virtual time.

The functions do what the commands of the same names do, and return what came of it::

    from kubestage import run

    result = run("examples/07-preemption")
    result.to_pandas()

`Stage` is one simulated cluster as a value, to build on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import ApiError, InputError, KubestageError, SimulationError

if TYPE_CHECKING:
    from kubestage.runs.analyze import analyze
    from kubestage.runs.backtest import backtest
    from kubestage.runs.compare import compare
    from kubestage.runs.explain import explain
    from kubestage.runs.load.limit import find_limit
    from kubestage.runs.load.running import load
    from kubestage.runs.run import run
    from kubestage.runs.validation import validate
    from kubestage.runs.verify import verify
    from kubestage.server.launch.serving import serve
    from kubestage.sim.environment import Environment
    from kubestage.stage import Stage
    from kubestage.store.store import Store

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "Environment",
    "InputError",
    "KubestageError",
    "SimulationError",
    "Stage",
    "Store",
    "__version__",
    "analyze",
    "backtest",
    "compare",
    "explain",
    "find_limit",
    "load",
    "run",
    "serve",
    "validate",
    "verify",
]

# Loaded when first used, so that a command like `kubestage version` answers at once.
__getattr__ = lazy.exports(__name__)


def __dir__() -> list[str]:
    return __all__
