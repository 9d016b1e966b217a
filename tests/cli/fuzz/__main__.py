"""Search by hand: ``python -m tests.cli.fuzz --seed 7 --cases 20000``."""

from __future__ import annotations

import argparse
import collections
import contextlib
import faulthandler
import io
import pathlib
import re
import resource
import tempfile

from tests.cli.fuzz import corpus, trying

PLACE = re.compile(r'File ".*?/(kubestage/[^"]+)", line (\d+)')


def main() -> None:
    """Try many cases and print what was found, once for each place in the code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--limit-s", type=float, default=20)
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    place = pathlib.Path(tempfile.mkdtemp(prefix="fuzz-"))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        entries = [each for each in corpus.build(place) if options.only in each.name]
    # What draws charts has reserved far more than it uses.
    reserved = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    size = reserved + int(options.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    seen: collections.Counter[str] = collections.Counter()
    numbers = range(options.first, options.first + options.cases)
    faulthandler.enable()
    for found in trying.cases(entries, options.seed, numbers, options.limit_s):
        where = PLACE.findall(found.problem)
        key = f"{where[-1] if where else ''} {found.problem.strip().splitlines()[-1][:80]}"
        seen[key] += 1
        if seen[key] == 1:
            about = f"{found.number} {found.entry.name} {found.file}"
            print(f"\n##### {about}\n{found.problem}", flush=True)
            if options.keep:
                kept = pathlib.Path(options.keep) / f"{options.seed}-{found.number}"
                kept.mkdir(parents=True, exist_ok=True)
                (kept / pathlib.Path(found.file).name).write_bytes(found.data)
    total = f"{sum(seen.values())} findings in {len(seen)} places"
    print(f"\n{options.cases} cases, {total}; exit codes {dict(trying.ENDED)}")
    for key, count in seen.most_common():
        print(f"{count:6} {key}")


if __name__ == "__main__":
    main()
