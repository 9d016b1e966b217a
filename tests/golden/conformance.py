"""Requests and answers of a real kube-apiserver v1.36.4, replayed on ours.

``python -m tests.golden.conformance --topic apply --show 5`` tells how many steps are identical,
and where the others differ.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import functools
import gzip
import pathlib
from typing import Any

import msgspec

from kubestage.server.app import Application
from kubestage.server.live import Live
from kubestage.stage import Stage
from kubestage.store import admission
from kubestage.store.admission import service_account
from tests.golden.conformance_replay import Replay, Result

HERE = pathlib.Path(__file__).parent
FULL = HERE.parents[2] / "shared" / "conformance" / "public.json.gz"
AT_ONCE = 48
# When the recording was made: some cells tell how long ago a recorded time was.
START = "2026-11-15T12:00:00Z"


@functools.cache
def sequences() -> list[dict[str, Any]]:
    """The full recording where it is found next to the repository, else the part kept here."""
    path = FULL if FULL.exists() else HERE / "conformance.json.gz"
    found: list[dict[str, Any]] = msgspec.json.decode(gzip.decompress(path.read_bytes()))
    return found


def application() -> Application:
    """A server as the recorded one was: alone, without the ServiceAccount plugin."""
    steps = tuple(step for step in admission.DEFAULT if step is not service_account.admit)
    stage = Stage(
        start=START,
        implicit_namespaces=False,
        admission=steps,
        garbage="manual",
        seeded_by="kube-apiserver",
    )
    return Application(Live(stage))


async def replay(chosen: list[dict[str, Any]]) -> list[Result]:
    """Replay sequences, many at once; those that need a server of their own get one."""
    app, turns = application(), asyncio.Semaphore(AT_ONCE)

    async def one(sequence: dict[str, Any]) -> list[Result]:
        async with turns:
            alone = sequence.get("exclusive")
            return await Replay(application() if alone else app, sequence).run()

    results = await asyncio.gather(*(one(each) for each in chosen))
    return [result for part in results for result in part]


def main() -> None:
    """Print what is identical, topic by topic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topic", action="append")
    parser.add_argument("--name", action="append")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--width", type=int, default=300)
    args = parser.parse_args()
    chosen = [
        each
        for each in sequences()
        if (not args.topic or each["topic"] in args.topic)
        and (not args.name or any(name in each["name"] for name in args.name))
    ]
    results = asyncio.run(replay(chosen))
    totals: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for result in results:
        totals[result.topic][0] += not result.differences
        totals[result.topic][1] += 1
    for topic, (same, count) in sorted(totals.items()):
        print(f"{topic:14} {same:5} / {count:5}  {100 * same / count:6.2f} %")
    same = sum(each[0] for each in totals.values())
    print(f"{'all':14} {same:5} / {len(results):5}  {100 * same / max(len(results), 1):6.2f} %")
    for result in [each for each in results if each.differences][: args.show]:
        print(f"\n{result.where}")
        for difference in result.differences[:4]:
            print("   ", difference[: args.width])


if __name__ == "__main__":
    main()
