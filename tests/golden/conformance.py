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

import httpx
import msgspec

from kubestage.server.app import Application
from kubestage.server.live import Live
from kubestage.stage import Stage
from kubestage.store import admission
from kubestage.store.admission import service_account
from tests.deadlines import HANG_S
from tests.golden.conformance_http import OverHttp
from tests.golden.conformance_replay import Replay, Result

HERE = pathlib.Path(__file__).parent
FULL = HERE.parents[2] / "shared" / "conformance" / "public.json.gz"
AT_ONCE = 48
# When the recording was made: some cells tell how long ago a recorded time was.
START = "2026-11-15T12:00:00Z"

# The same as `application`, on the command line.
OPTIONS = (
    "--in-memory", "--api-only", "--no-allow-privileged", "--pace", "still", "--start", START,
)  # fmt: skip


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
        allow_privileged=False,
    )
    return Application(Live(stage))


async def replay(chosen: list[dict[str, Any]], app: Any = None) -> list[Result]:
    """Replay sequences, many at once; those that need a server of their own go alone.

    Without an application each of them gets a new one.
    """
    shared = application() if app is None else app
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(sequence: dict[str, Any]) -> list[Result]:
        async with turns:
            return await Replay(shared, sequence).run()

    together = [each for each in chosen if not each.get("exclusive")]
    results = await asyncio.gather(*(one(each) for each in together))
    for each in chosen:
        if each.get("exclusive"):
            results.append(await Replay(application() if app is None else app, each).run())
    return [result for part in results for result in part]


async def replay_at(url: str, chosen: list[dict[str, Any]]) -> list[Result]:
    """Replay sequences on a server at an address, which must be as `application` is."""
    limits = httpx.Limits(max_connections=4 * AT_ONCE)
    async with httpx.AsyncClient(base_url=url, timeout=HANG_S, limits=limits) as client:
        client.headers.clear()
        return await replay(chosen, OverHttp(client))


def main() -> None:
    """Print what is identical, topic by topic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topic", action="append")
    parser.add_argument("--name", action="append")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--url", help="of a server; without one, an application in this process")
    args = parser.parse_args()
    chosen = [
        each
        for each in sequences()
        if (not args.topic or each["topic"] in args.topic)
        and (not args.name or any(name in each["name"] for name in args.name))
    ]
    results = asyncio.run(replay_at(args.url, chosen) if args.url else replay(chosen))
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
