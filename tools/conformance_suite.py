"""Run Kubernetes' own end-to-end suite against ``kubestage serve``, and write down what passes.

Run ``python tools/conformance_suite.py PROGRAMS``, where PROGRAMS is a folder with the unmodified
``e2e.test`` of Kubernetes v1.36. The specs are dealt out to several processes, each with a server
of its own, in each pace. Nothing is supplied by hand: the servers have nodes, and no more.

``--suite conformance`` are the specs of the conformance profile; ``--suite beyond`` all others of
the groups whose subject is simulated, but those of feature gates and flaky ones.

``--write`` puts the table into ``docs/conformance.md``. The exit code is 1 if a spec fails for
which ``tools/conformance_reasons.yaml`` has no reason, or if one passes that has a reason.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import Any, Final, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from tools import conformance_table
from tools.conformance_table import SpecResult

ROOT: Final = pathlib.Path(__file__).resolve().parents[1]
CONFORMANCE: Final = r"\[Conformance\]"
_GROUPS: Final = "api-machinery|apps|architecture|auth|instrumentation|scheduling"
SUITES: Final = {
    "conformance": (CONFORMANCE, ""),
    "beyond": (rf"\[sig-({_GROUPS})\]", rf"{CONFORMANCE}|\[FeatureGate:|\[Flaky\]"),
}
"""Regular expressions of the names of specs by suite: those to run, and of these those not to."""
PACES: Final = ("jump", "realtime")
NODES: Final = 4
# Longer than the longest wait of the suite itself; a spec that takes longer hangs.
SPEC_TIMEOUT_S: Final = 30 * 60
_READY_S: Final = 600
_LOOK_S: Final = 0.2
_GRACE_S: Final = 60
_SPECIAL: Final = re.compile(r"([\\.+*?()|\[\]{}^$])")
_ESCAPED: Final = r"\\\1"


class Shard(NamedTuple):
    """A part of the specs in one pace, in a place of its own."""

    pace: str
    names: list[str]
    place: pathlib.Path


def main() -> int:
    """Run the suite; 1 if a result has no explanation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=pathlib.Path, metavar="PROGRAMS")
    parser.add_argument("--pace", action="append", choices=PACES, help="default: both")
    parser.add_argument("--suite", choices=SUITES, default="conformance", help="which specs")
    parser.add_argument("--focus", help="a regular expression of spec names, in place of these")
    parser.add_argument("--skip", help="a regular expression of names to leave out")
    parser.add_argument("--shards", type=int, default=16, help="how many specs run at a time")
    parser.add_argument("--out", type=pathlib.Path, help="default: build/SUITE")
    parser.add_argument(
        "--without-known", action="store_true", help="leave out those with a reason"
    )
    parser.add_argument("--write", action="store_true", help="write docs/conformance.md")
    options = parser.parse_args()
    program = options.programs.resolve() / "e2e.test"
    if not program.is_file():
        parser.error(f"{program} is not there: build it from Kubernetes' test/e2e")
    focus, skip = SUITES[options.suite]
    if options.focus is not None or options.skip is not None:
        focus, skip = options.focus or focus, options.skip or ""
    out: pathlib.Path = options.out or ROOT / "build" / options.suite
    out.mkdir(parents=True, exist_ok=True)
    names = listed(program, focus, skip, out)
    reasons = conformance_table.load_reasons()
    if options.without_known:
        names = [name for name in names if conformance_table.reason_of(name, reasons) is None]
    print(f"{len(names)} specs", flush=True)
    results: dict[str, list[SpecResult]] = {}
    for pace in options.pace or PACES:
        results[pace] = run(program, pace, names, options.shards, out / pace)
        conformance_table.save(results[pace], out / f"{pace}.json")
        passed = sum(each.state == "passed" for each in results[pace])
        print(f"{pace}: {passed} of {len(results[pace])} pass", flush=True)
    unexplained = conformance_table.unexplained(results, reasons)
    for line in unexplained:
        print(line)
    if options.write:
        conformance_table.write(results, reasons, ROOT / "docs" / "conformance.md", options.suite)
    return 1 if unexplained else 0


def listed(program: pathlib.Path, focus: str, skip: str, out: pathlib.Path) -> list[str]:
    """The names of the specs that a run would have."""
    report = out / "listed.json"
    words = [f"--ginkgo.focus={focus}", "--ginkgo.dry-run", f"--ginkgo.json-report={report}"]
    if skip:
        words.append(f"--ginkgo.skip={skip}")
    subprocess.run(
        [program, *words, "--provider=skeleton"], check=True, stdout=subprocess.DEVNULL, cwd=out
    )
    return sorted(each.name for each in conformance_table.read_report(report))


def run(
    program: pathlib.Path, pace: str, names: list[str], shards: int, out: pathlib.Path
) -> list[SpecResult]:
    """Run specs in one pace; one result for each."""
    count = max(1, min(shards, len(names)))
    # Neighbours in the list take about as long; so they are dealt out like cards.
    parts = [Shard(pace, names[number::count], out / f"{number:02}") for number in range(count)]
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        found = [each for part in pool.map(lambda part: run_shard(program, part), parts)
                 for each in part]  # fmt: skip
    return sorted(found, key=lambda each: each.name)


def run_shard(program: pathlib.Path, shard: Shard) -> list[SpecResult]:
    """Run the specs of a shard; what was not finished hung, and the rest goes on without it."""
    shard.place.mkdir(parents=True, exist_ok=True)
    left = list(shard.names)
    found: dict[str, SpecResult] = {}
    turn = 0
    while left:
        server, kubeconfig = start_server(shard)
        try:
            report = shard.place / f"report-{turn}.json"
            hung = run_program(program, kubeconfig, left, report, shard.place)
        finally:
            stop(server)
        if report.exists():
            found |= {each.name: each for each in conformance_table.read_report(report)}
        found = {name: each for name, each in found.items() if each.state != "skipped"}
        if hung is None:
            break
        found[hung] = SpecResult(hung, "hung", float(SPEC_TIMEOUT_S), "did not end")
        left = [name for name in left if name not in found]
        turn += 1
    missing = SpecResult("", "not run", 0.0, "it skipped itself, or the suite ended before it")
    return [found.get(name) or missing._replace(name=name) for name in shard.names]


def run_program(
    program: pathlib.Path,
    kubeconfig: pathlib.Path,
    names: list[str],
    report: pathlib.Path,
    place: pathlib.Path,
) -> str | None:
    """Run the suite's program; the spec that hung, if one did."""
    words = [f"--ginkgo.focus={focused(name)}" for name in names]
    words += [
        f"--kubeconfig={kubeconfig}", f"--ginkgo.json-report={report}", "--ginkgo.no-color",
        "--ginkgo.v", "--ginkgo.timeout=24h", "--provider=skeleton", "--disable-log-dump",
    ]  # fmt: skip
    log_path = place / "e2e.log"
    with log_path.open("w") as log:
        process = subprocess.Popen([program, *words], stdout=log, stderr=log, cwd=place)
        current, since = "", time.monotonic()
        while process.poll() is None:
            time.sleep(_LOOK_S)
            now = running_spec(log_path, names)
            if now != current:
                current, since = now, time.monotonic()
            if time.monotonic() - since > SPEC_TIMEOUT_S:
                process.send_signal(signal.SIGINT)
                wait_or_kill(process)
                return current
    return None


def focused(name: str) -> str:
    """A regular expression of Go that finds one spec; the name of the suite comes before it."""
    return f"{_SPECIAL.sub(_ESCAPED, name)}$"


def running_spec(log: pathlib.Path, names: list[str]) -> str:
    """The spec that the program's output names last."""
    with log.open("rb") as opened:
        opened.seek(max(0, log.stat().st_size - 200_000))
        text = opened.read().decode(errors="replace")
    places = {name: text.rfind(name) for name in names}
    last = max(places, key=lambda name: places[name])
    return last if places[last] >= 0 else ""


def start_server(shard: Shard) -> tuple[subprocess.Popen[bytes], pathlib.Path]:
    """A new server with nodes and nothing else, and its kubeconfig."""
    ready, kubeconfig = shard.place / "ready.json", shard.place / "kubeconfig"
    ready.unlink(missing_ok=True)
    kubeconfig.unlink(missing_ok=True)
    words = ["serve", "--in-memory", "--port", "0", "--nodes", str(NODES), "--pace", shard.pace]
    words += ["--ready-file", str(ready), "--kubeconfig", str(kubeconfig), "--exit-with-parent"]
    # The suite's WebSockets name an origin, as pages of browsers do.
    words += ["--allow-origin", "http://localhost"]
    with (shard.place / "server.log").open("a") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "kubestage", *words],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=dict(os.environ),
        )  # fmt: skip
    deadline = time.monotonic() + _READY_S
    while not ready.exists():
        if server.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the server did not start: see {shard.place / 'server.log'}")
        time.sleep(_LOOK_S)
    facts: dict[str, Any] = json.loads(ready.read_text())
    return server, pathlib.Path(facts["kubeconfig"])


def stop(server: subprocess.Popen[bytes]) -> None:
    """End a server."""
    server.terminate()
    wait_or_kill(server)


def wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that was signalled; end it if it does not."""
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    raise SystemExit(main())
