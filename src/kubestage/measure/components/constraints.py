"""What containers may use at most, and which of them used more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import floats
from kubestage.measure.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Row = tuple[str, float, int]

_MIB: Final = 1024 * 1024
_PATH: Final = "params.resourceConstraints"


class Constraint(msgspec.Struct, frozen=True, rename="camel"):
    """How much CPU in cores and memory in bytes; 0 is no limit."""

    cpu_constraint: float = 0.0
    memory_constraint: int = 0


def read(
    path: str,
    nodes: int,
    render: Callable[[str, Mapping[str, Any]], list[dict[str, Any]]] | None,
) -> dict[str, Constraint]:
    """The constraints of a file below the configuration's folder, by the container's name."""
    if not path:
        return {}
    if render is None:
        raise InputError("no file can be read in this run", path=_PATH, fix="leave it out")
    documents = render(path, {"Nodes": nodes})
    try:
        return msgspec.convert(documents[0] if documents else {}, dict[str, Constraint])
    except msgspec.ValidationError as error:
        raise InputError(
            str(error), file=path, path=_PATH, fix="write cpuConstraint and memoryConstraint"
        ) from error


def check(
    rows: list[Row], constraints: dict[str, Constraint]
) -> tuple[list[str], tuple[Verdict, ...]]:
    """The problems with the usage of containers (name, CPU and memory), and a verdict on each."""
    problems, verdicts = [], []
    for name, cpu, memory in rows:
        constraint = constraints.get(name.partition("/")[2].partition("/")[0])
        if constraint is None:
            continue
        if limit := constraint.cpu_constraint:
            verdicts.append(_verdict(f"{name} CPU p99", cpu, limit, "cores"))
            if cpu > limit:
                problems.append(
                    f"container {name} is using {floats.text(cpu)}/{floats.text(limit)} CPU"
                )
        if bytes_limit := constraint.memory_constraint:
            used, most = memory / _MIB, bytes_limit / _MIB
            verdicts.append(_verdict(f"{name} memory p99", used, most, "MiB"))
            if memory > bytes_limit:
                problems.append(
                    f"container {name} is using "
                    f"{floats.text(used)}/{floats.text(most)} MB of memory"
                )
    return problems, tuple(verdicts)


def _verdict(name: str, value: float, limit: float, unit: str) -> Verdict:
    return Verdict(name=name, passed=value <= limit, value=value, threshold=limit, unit=unit)
