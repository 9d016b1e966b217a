"""What runs in the worker processes of Ray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import kubestage
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.sweep.engines.engine import Work
    from kubestage.sweep.rows import Row, Task

# The newest work of this process, by its token: it is fetched once, and keeps what it has parsed.
_works: Final[dict[str, Work]] = {}


def compute(token: str, work: list[Any], task: Task, version: str) -> Row:
    """The row of a task; `work` has the reference of the work."""
    if version != kubestage.__version__:
        problem = f"a worker has kubestage {kubestage.__version__}, and the driver {version}"
        raise InputError(problem, path="--engine", fix="install the same version everywhere")
    if token not in _works:
        import ray  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - an extra

        _works.clear()
        _works[token] = ray.get(work[0])
    return _works[token](task)
