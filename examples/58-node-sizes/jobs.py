"""A day of a CI system that also trains models, drawn with a seed: `python jobs.py --seed 7`.

Pull requests come as on a working day. Each has a lint job and a build; then three shards of tests
follow, and for every second one a test on a GPU. There are benchmarks by night, and models that are
trained for hours on four GPUs.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUR = 3600
PULL_REQUESTS_PER_HOUR = (
    *(0.5,) * 6, 1, 2, 4, 6, 7, 6, 4, 6, 7, 6, 5, 3, 2, 1, 1, 0.5, 0.5, 0.5,
)  # fmt: skip
"""By the hour of the day."""


class Shape(NamedTuple):
    """What jobs of a kind request, and how many minutes they take: at least, and at most."""

    kind: str
    cores: float
    gib: float
    gpus: int
    shortest: int
    longest: int


LINT = Shape("lint", 2, 4, 0, 2, 5)
BUILD = Shape("build", 7.5, 15, 0, 12, 40)
TEST = Shape("test", 3.75, 14, 0, 15, 50)
GPU_TEST = Shape("gpu-test", 15, 58, 1, 20, 55)
BENCHMARK = Shape("benchmark", 15, 28, 0, 45, 75)
TRAINING = Shape("training", 46, 180, 4, 90, 240)


class Job(NamedTuple):
    """One job: when it comes and how long it takes, in seconds."""

    name: str
    shape: Shape
    at: int
    seconds: int


def jobs(seed: int) -> list[Job]:
    """All jobs of the day in the order in which they come."""
    draw = random.Random(seed)
    found = [*_pull_requests(draw), *_nightly(draw)]
    return sorted(found, key=lambda job: (job.at, job.name))


def _pull_requests(draw: random.Random) -> Iterator[Job]:
    for number, at in enumerate(_arrivals(draw), 1):
        yield _job(draw, LINT, f"pr-{number}", at)
        build = _job(draw, BUILD, f"pr-{number}", at)
        yield build
        built = at + build.seconds
        for shard in range(3):
            yield _job(draw, TEST, f"pr-{number}-{shard}", built)
        if draw.random() < 0.5:
            yield _job(draw, GPU_TEST, f"pr-{number}", built)


def _arrivals(draw: random.Random) -> Iterator[int]:
    """When pull requests come: at random, as often as the hour has them."""
    for hour, rate in enumerate(PULL_REQUESTS_PER_HOUR):
        at = 0.0
        while True:
            at += -math.log(1 - draw.random()) * HOUR / rate
            if at >= HOUR:
                break
            yield int(hour * HOUR + at)


def _nightly(draw: random.Random) -> Iterator[Job]:
    for number in range(12):
        yield _job(draw, BENCHMARK, str(number), 2 * HOUR + 300 * number)
    for number in range(4):
        yield _job(draw, TRAINING, str(number), (1 + 5 * number) * HOUR)


def _job(draw: random.Random, shape: Shape, name: str, at: int) -> Job:
    minutes = shape.shortest + draw.random() * (shape.longest - shape.shortest)
    return Job(f"{shape.kind}-{name}", shape, at, int(60 * minutes))


def main() -> None:
    """Write the jobs as CSV."""
    parser = argparse.ArgumentParser(description="A day of jobs as CSV.")
    parser.add_argument("--seed", type=int, default=7, help="another seed is another day")
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(("name", "cores", "gib", "gpus", "at", "seconds", "keep"))
    for job in jobs(parser.parse_args().seed):
        shape = job.shape
        rows.writerow((job.name, shape.cores, shape.gib, shape.gpus, job.at, job.seconds, "true"))


if __name__ == "__main__":
    main()
