"""How long a person waits for a command, imports included.

Run as ``python benchmarks/startup.py [rounds]``. Figures are wall time as a shell would see it,
the median of the rounds, and the least CPU time of one, for the machine is shared. Byte code is
cached, as after the first run of an installed program.
"""

from __future__ import annotations

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
PROGRAM = (sys.executable, "-c", "from kubestage import cli; cli.main()")
DEAREST = 8
# In milliseconds of wall time.
MAX_ANSWER = 200
MAX_RUN = 550

RUN = (*PROGRAM, "run", "07-preemption")
LIFE = (*PROGRAM, "run", "10-node-failure", "--for", "1m")
STAGES = (*PROGRAM, "run", *(f"13-kwok-stages/{each}.yaml" for each in ("stages", "nodes", "work")))
COMMANDS: tuple[tuple[str, tuple[str, ...], int | None], ...] = (
    ("python -c pass", (sys.executable, "-c", "pass"), None),
    ("python -c 'import numpy'", (sys.executable, "-c", "import numpy"), None),
    ("kubestage version", (*PROGRAM, "version"), MAX_ANSWER),
    ("kubestage --help", (*PROGRAM, "--help"), MAX_ANSWER),
    ("kubestage run: two pods", RUN, MAX_RUN),
    ("kubestage run: a Scenario", (*PROGRAM, "run", "14-scenario/scenario.yaml"), MAX_RUN),
    ("kubestage run --for: controllers and kubelets", LIFE, MAX_RUN),
    ("kubestage run --for: KWOK's Stages", (*STAGES, "--for", "2m"), MAX_RUN),
)


def run(command: tuple[str, ...]) -> str:
    """Run a command to its end; what it writes to stderr."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    ended = subprocess.run(
        command, cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=True
    )
    return ended.stderr


def measured(command: tuple[str, ...]) -> tuple[float, float]:
    """Wall and CPU time of a command, in milliseconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(command)
    wall_s, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s * 1e3, cpu_s * 1e3


def waiting(rounds: int) -> None:
    print("from the shell and back: wall time (CPU time)")
    for name, command, most_ms in COMMANDS:
        run(command)
        walls, cpus = zip(*(measured(command) for _ in range(rounds)), strict=True)
        wall_ms = statistics.median(walls)
        mark = "" if most_ms is None else ("  ok" if wall_ms <= most_ms else "  MISSED")
        print(f"  {name:<50} {wall_ms:>6.0f} ms ({min(cpus):.0f} ms){mark}")


def loading(rounds: int) -> None:
    print("what a run loads: the time of modules themselves, at best")
    best: dict[str, int] = {}
    for _ in range(rounds):
        for line in run((RUN[0], "-X", "importtime", *RUN[1:])).splitlines():
            figures, _, name = line.rpartition("|")
            spent = figures.removeprefix("import time:").split("|")[0].strip()
            if spent.isdecimal():
                best[name.strip()] = min(best.get(name.strip(), sys.maxsize), int(spent))
    rooms: dict[str, list[int]] = {}
    for name, spent_us in best.items():
        parts = name.split(".")
        room = ".".join(parts[: 2 if parts[0] == "kubestage" else 1])
        rooms.setdefault(room, []).append(spent_us)
    dearest = sorted(rooms.items(), key=lambda item: -sum(item[1]))[:DEAREST]
    for name, each_us in [(f"all {len(best)} modules", list(best.values())), *dearest]:
        print(f"  {name:<50} {sum(each_us) / 1e3:>6.0f} ms")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    waiting(rounds)
    loading(rounds)


if __name__ == "__main__":
    main()
