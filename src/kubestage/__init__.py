"""kubestage: a deterministic stand-in for a Kubernetes cluster, in virtual time."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kubestage.errors import ApiError, InputError, KubestageError, SimulationError

if TYPE_CHECKING:
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
]

# Loaded when first asked for, so that a command like `kubestage version` answers at once.
_LATER = {
    "Environment": "kubestage.sim.environment",
    "Stage": "kubestage.stage",
    "Store": "kubestage.store.store",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'kubestage' has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)
