"""Which runs a sweep consists of: combinations of parameters, each with every seed.

The order is fixed: all combinations with the first seed, then all with the second. So seeds that
are added later come behind all others, and rows of one seed are comparable.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.sweep.axes import Axis  # noqa: TC001 - msgspec reads it
from kubestage.sweep.rows import Scalar, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

Method = Literal["grid", "random", "lhs"]
METHODS: Final = ("grid", "random", "lhs")
_MOST: Final = 10_000_000


class Design(msgspec.Struct, frozen=True):
    """Axes, seeds, and how combinations are chosen: all, at random, or as a Latin hypercube."""

    axes: tuple[Axis, ...]
    seeds: tuple[int, ...] = (0,)
    method: Method = "grid"
    samples: int | None = None
    """How many combinations are drawn; a grid has all."""
    sampling_seed: int = 0
    """Another one draws other combinations."""

    def check(self) -> None:
        """Refuse what makes no sense."""
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise InputError("each seed counts once", path="--seeds", fix="write 1..50")
        drawn = next((each for each in self.axes if each.is_drawn), None)
        if self.method == "grid":
            if drawn is not None:
                fix = "add --design random --samples 100, or list values"
                raise InputError(
                    "a grid has no distributions", path=f"--vary {drawn.path}", fix=fix
                )
            if self.samples is not None:
                fix = "add --design random, or leave it out"
                raise InputError("a grid has all combinations", path="--samples", fix=fix)
        elif self.samples is None or self.samples < 1:
            fix = "add --samples 100"
            raise InputError(
                "how many combinations are drawn is missing", path="--samples", fix=fix
            )
        if self.size > _MOST:
            fix = "take larger steps, or --design lhs --samples 1000"
            raise InputError(f"{self.size:,} runs are too many", path="--vary", fix=fix)

    @property
    def size(self) -> int:
        """How many runs there are."""
        count = self.samples or 1
        if self.method == "grid":
            count = 1
            for each in self.axes:
                count *= len(each.values) if isinstance(each.values, tuple) else 1
        return count * len(self.seeds)

    def settings(self) -> list[dict[str, Scalar]]:
        """All combinations of parameters, in order."""
        if self.method == "grid":
            columns = [each.values for each in self.axes if isinstance(each.values, tuple)]
            rows: Iterator[tuple[Scalar, ...]] = itertools.product(*columns)
        else:
            assert self.samples is not None
            draw = self._stratified if self.method == "lhs" else self._random
            rows = zip(*(draw(each, self.samples) for each in self.axes), strict=True)
            if not self.axes:
                rows = iter([()])
        paths = [each.path for each in self.axes]
        return [dict(zip(paths, row, strict=True)) for row in rows]

    def tasks(self) -> Iterator[Task]:
        """All runs, in order."""
        settings = self.settings()
        places = itertools.count()
        for seed in self.seeds:
            for parameters in settings:
                yield Task(next(places), parameters, seed)

    def with_more_seeds(self, number: int) -> Design:
        """The same with so many seeds more, those that follow the highest."""
        highest = max(self.seeds)
        added = tuple(range(highest + 1, highest + 1 + number))
        return msgspec.structs.replace(self, seeds=(*self.seeds, *added))

    def _random(self, axis: Axis, number: int) -> list[Scalar]:
        stream = distributions.stream_of(self.sampling_seed, "sweep", "random", axis.path)
        return [axis.at(stream.random()) for _ in range(number)]

    def _stratified(self, axis: Axis, number: int) -> list[Scalar]:
        """A draw from each of so many equally likely parts, in random order."""
        stream = distributions.stream_of(self.sampling_seed, "sweep", "lhs", axis.path)
        order = list(range(number))
        stream.shuffle(order)
        return [axis.at((each + stream.random()) / number) for each in order]
