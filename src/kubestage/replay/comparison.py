"""Where a replayed step and its recording differ."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from kubestage.replay import naming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kubestage.aliases import Json

A = TypeVar("A")
B = TypeVar("B")


def pair(
    recorded: Sequence[A], actual: Sequence[B], distance: Callable[[A, B], int]
) -> list[tuple[A | None, B | None]]:
    """Pairs of which as many as possible are alike; what remains goes to its nearest, or alone."""
    costs = [[distance(want, got) for got in actual] for want in recorded]
    taken: dict[int, int] = {}
    for row in range(len(recorded)):
        _place(row, costs, taken, set())
    partner = {row: column for column, row in taken.items()}
    rest = sorted(
        (cost, row, column)
        for row, line in enumerate(costs)
        for column, cost in enumerate(line)
        if row not in partner and column not in taken
    )
    for _, row, column in rest:
        if row not in partner and column not in taken:
            partner[row], taken[column] = column, row
    pairs: list[tuple[A | None, B | None]] = [
        (want, actual[partner[row]] if row in partner else None)
        for row, want in enumerate(recorded)
    ]
    pairs.extend((None, got) for column, got in enumerate(actual) if column not in taken)
    return pairs


def _place(row: int, costs: list[list[int]], taken: dict[int, int], tried: set[int]) -> bool:
    """Find a partner that is alike, if need be by giving another one's partner away."""
    for column, cost in enumerate(costs[row]):
        if cost or column in tried:
            continue
        tried.add(column)
        if column not in taken or _place(taken[column], costs, taken, tried):
            taken[column] = row
            return True
    return False


Class = Literal["state", "events", "errors", "trace"]
Found = tuple[str, Any, Any]

VARIES: Final = "<varies>"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One field that is not as recorded. Absent is None."""

    step: int
    kind: Class
    path: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        where = f"step {self.step} {self.kind} {self.path}"
        return f"{where}: expected {self.expected!r}, got {self.actual!r}"


def compare_state(
    recorded: dict[str, dict[str, Json]], actual_by_kind: dict[str, list[tuple[str, Json]]]
) -> Iterator[Found]:
    """Every object of every kind; random names stand for one another."""
    for kind in sorted({*recorded, *actual_by_kind}):
        expected = [
            (name, naming.unnumbered(name), _ordered(kind, naming.unnumbered(obj)))
            for name, obj in (recorded.get(kind) or {}).items()
        ]
        actual = actual_by_kind.get(kind) or []
        for stem in sorted({each[1] for each in expected} | {name for name, _ in actual}):
            yield from _compare_alike(
                kind,
                [(name, obj) for name, called, obj in expected if called == stem],
                [(name, obj) for name, obj in actual if name == stem],
            )


def by_content(values: Iterable[Json]) -> list[Json]:
    """Values in an order that depends on nothing but themselves."""
    return sorted(values, key=lambda each: json.dumps(each, sort_keys=True))


def _ordered(kind: str, obj: Json) -> Json:
    """Lists whose order means nothing, in our order."""
    if kind == "EndpointSlice" and isinstance(obj.get("endpoints"), list):
        keys = ("conditions", "targetRef", "hostname", "nodeName")
        shaped = [{key: each.get(key) for key in keys} for each in obj["endpoints"]]
        return {**obj, "endpoints": by_content(shaped)}
    if obj.get("finalizers") and isinstance(obj["finalizers"], list):
        return {**obj, "finalizers": sorted(obj["finalizers"])}
    return obj


def _compare_alike(
    kind: str, expected: list[tuple[str, Json]], actual: list[tuple[str, Json]]
) -> Iterator[Found]:
    pairs = pair(
        expected,
        actual,
        lambda want, got: sum(1 for _ in differences(want[1], got[1])),
    )
    for want, got in pairs:
        name = want[0] if want is not None else got[0] if got is not None else ""
        path = f"{kind}/{name}"
        if want is None or got is None:
            yield path, want and want[1], got and got[1]
        else:
            for below, *values in differences(want[1], got[1]):
                yield f"{path}/{below}", values[0], values[1]


def differences(want: Any, got: Any, path: str = "") -> Iterator[Found]:
    """Where two values differ; any of the values of one that varies will do."""
    if isinstance(want, dict) and VARIES in want:
        if not any(_same(each, got) for each in want[VARIES]):
            yield path, want, got
    elif isinstance(want, dict) and isinstance(got, dict):
        for key in {**want, **got}:
            below = f"{path}/{key}" if path else str(key)
            yield from differences(want.get(key), got.get(key), below)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for number, (each, ours) in enumerate(zip(want, got, strict=True)):
            yield from differences(each, ours, f"{path}/{number}" if path else str(number))
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield path, want, got


def _same(want: Any, got: Any) -> bool:
    return next(differences(want, got), None) is None
